// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import Module from "node:module";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("node_modules/prisma/build/index.js", import.meta.url));
const config = fileURLToPath(new URL("prisma/prisma.config.mjs", import.meta.url));

/** `prisma migrate deploy`, whose migration sleeps on the server. Returns why somebody else's lock forbids it. */
export async function run() {
    // The engine is the one written in WebAssembly: no other is fetched.
    const nothing = ["/bin/true", "/usr/bin/true"].find(existsSync);
    Object.assign(process.env, {
        CHECKPOINT_DISABLE: "1",
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
        PRISMA_QUERY_ENGINE_LIBRARY: nothing,
        PRISMA_SCHEMA_ENGINE_BINARY: nothing,
        FRAMEWORK_SECONDS: process.argv[3] === "hold" ? "600" : "0",
    });
    if (process.argv[3] === "hold") {
        // In this process, which is the one that is killed.
        process.argv = [process.argv[0], program, "migrate", "deploy", "--config", config];
        Module.runMain(program);
        await new Promise(() => {});
    }
    const prisma = (...args) => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [program, "migrate", ...args, "--config", config]);
        return { status, output: String(stdout) + String(stderr) };
    };
    let result = prisma("deploy");
    if (/P3009/.test(result.output)) {
        // It wants to be told what became of a migration that was cut off.
        const resolved = prisma("resolve", "--rolled-back", "1_slow");
        result = resolved.status === 0 ? prisma("deploy") : resolved;
    }
    if (/P1002|advisory lock/.test(result.output)) return result.output.match(/.*advisory lock.*/)?.[0] ?? "P1002";
    if (result.status !== 0) throw new Error(result.output);
}
