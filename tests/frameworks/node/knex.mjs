// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import knex from "knex";

// Without a transaction, so that the lock's row is committed while it runs.
const slow = { config: { transaction: false }, up: () => globalThis.underTheLock(), down: () => {} };

/** A migration. Returns why somebody else's lock forbids it. */
export async function run() {
    const migrationSource = {
        getMigrations: () => Promise.resolve(["slow"]),
        getMigrationName: (name) => name,
        getMigration: () => slow,
    };
    const database = knex({ client: "pg", connection: {}, migrations: { migrationSource } });
    try {
        await database.migrate.latest();
    } catch (failed) {
        if (failed.name === "MigrationLocked" || /already locked/.test(failed.message)) return failed.message.split("\n")[0];
        throw failed;
    }
}
