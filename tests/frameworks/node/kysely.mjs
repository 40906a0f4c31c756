// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import { Kysely, Migrator, PostgresDialect } from "kysely";
import pg from "pg";

/** A migration; it waits for somebody else's. */
export async function run() {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });
    const slow = { up: () => globalThis.underTheLock() };
    const provider = { getMigrations: () => Promise.resolve({ slow }) };
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error) throw error;
}
