// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The short form; tst_LockStormSoak is the long one.

#include "tests/support/LockStorm.h"
#include "tests/support/TestProgram.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;

class tst_LockStorm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void postgres()
    {
        const LockRig rig({Engine::Postgres, locks::LockKind::Table});
        LockStorm::Order order;
        order.grants = 2'000;
        order.overlaps = 10;
        LockStorm storm(rig, order);
        const QStringList faults = storm.run();
        qInfo("%s", qPrintable(storm.report()));
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    }
};

LOCKSCOPE_TEST_WITH_PARTS(tst_LockStorm, playStormPart)
#include "tst_LockStorm.moc"
