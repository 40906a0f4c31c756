// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import { runner } from "node-pg-migrate";

/** A migration. Returns why somebody else's lock forbids it. */
export async function run() {
    try {
        await runner({
            databaseUrl: {},
            dir: new URL("node-pg-migrate", import.meta.url).pathname,
            direction: "up",
            log: () => {},
            migrationsTable: "pgmigrations",
        });
    } catch (failed) {
        if (/already running/.test(failed.message)) return failed.message;
        throw failed;
    }
}
