// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
import { Logger, makeWorkerUtils, runOnce } from "graphile-worker";

const logger = new Logger(() => () => {});

/** A job. Returns why somebody else's lock forbids it. */
export async function run() {
    const utils = await makeWorkerUtils({ connectionString: "postgres://", logger });
    await utils.migrate();
    await utils.addJob("report", {}, { jobKey: "nightly", jobKeyMode: "unsafe_dedupe" });
    await utils.release();
    let ran = false;
    const report = async () => {
        await globalThis.underTheLock();
        ran = true;
    };
    await runOnce({ connectionString: "postgres://", logger, taskList: { report } });
    return ran ? undefined : "no job was free";
}
