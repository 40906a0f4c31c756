// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import pg from "pg";
import PgBoss from "pg-boss";

const key = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ExclusiveLock' AND granted AND pid <> $1";

/** Makes its schema. A holder waits there, with its lock, for somebody who makes the same one. */
export async function run() {
    const boss = new PgBoss({ connectionString: "postgres://", supervise: false, schedule: false });
    boss.on("error", () => {});
    if (process.argv[3] === "hold") {
        const other = new pg.Client();
        await other.connect();
        // Keys that were there before are somebody else's.
        const before = (await other.query(key, [other.processID])).rowCount;
        await other.query("BEGIN");
        await other.query("CREATE SCHEMA pgboss");
        boss.start().catch(() => {});
        while ((await other.query(key, [other.processID])).rowCount === before) await new Promise((done) => setTimeout(done, 100));
        await globalThis.underTheLock();
    }
    await boss.start();
    await boss.createQueue("report");
    await boss.stop({ graceful: false });
}
