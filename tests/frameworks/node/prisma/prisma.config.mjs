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

// The migration goes to the server under the lock.
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (...args) {
    const text = args[0]?.text ?? args[0];
    if (process.env.FRAMEWORK_SECONDS !== "0" && String(text).includes("lockscope.seconds")) console.log("held");
    return query.apply(this, args);
};

const settings = `-c lockscope.seconds=${process.env.FRAMEWORK_SECONDS}`;

export default defineConfig({
    experimental: { adapter: true },
    engine: "js",
    schema: "schema.prisma",
    adapter: () => Promise.resolve(new PrismaPg({ options: settings, max: 1, allowExitOnIdle: true })),
});
