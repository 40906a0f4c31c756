// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { defineConfig } from "prisma/config";

// The adapter does not know the type "name", which its own engine asks for.
const nameType = 19;
const textType = 25;
const describe = pg.Query.prototype.handleRowDescription;
pg.Query.prototype.handleRowDescription = function (message) {
    for (const field of message.fields) if (field.dataTypeID === nameType) field.dataTypeID = textType;
    describe.call(this, message);
};

/** Says "held" once the server sleeps in the migration: that is under the lock. */
async function sayWhenHeld() {
    const watcher = new pg.Client();
    await watcher.connect();
    const sleeps = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    while ((await watcher.query(sleeps)).rowCount === 0) await new Promise((wake) => setTimeout(wake, 50));
    console.log("held");
}
if (process.env.FRAMEWORK_SECONDS !== "0") sayWhenHeld();

const settings = `-c lockscope.seconds=${process.env.FRAMEWORK_SECONDS}`;

export default defineConfig({
    experimental: { adapter: true },
    engine: "js",
    schema: "schema.prisma",
    adapter: () => Promise.resolve(new PrismaPg({ options: settings, max: 1, allowExitOnIdle: true })),
});
