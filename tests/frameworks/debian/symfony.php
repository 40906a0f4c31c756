<?php
// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A lock of Symfony's component Lock in a table. See tests/frameworks/fetch for what a program writes and how it ends.

require '/usr/share/php/Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\PdoStore;

$file = getenv('FRAMEWORK_FILE');
$pdo = $file !== false
    ? new PDO("sqlite:$file")
    : new PDO('pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE'),
        getenv('PGUSER'), getenv('PGPASSWORD'));
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$store = new PdoStore($pdo);
try {
    $store->createTable();
} catch (PDOException $there) {
}

$lock = (new LockFactory($store))->createLock('nightly-report');
if (!$lock->acquire()) {
    echo "locked: somebody else has it\n";
    exit(3);
}
if ($argv[1] === 'hold') {
    echo "held\n";
    while (true) {
        sleep(60);
    }
}
$lock->release();
echo "done\n";
