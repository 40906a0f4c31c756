// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// frameworks.mjs NAME hold|work: see tests/frameworks/fetch for what a program writes and how it ends.

const [name, act] = process.argv.slice(2);
const { run } = await import(`./${name}.mjs`);

/** What the framework does while it holds its lock: nothing; a holder never comes back. */
globalThis.underTheLock = async () => {
    if (act !== "hold") return;
    console.log("held");
    setInterval(() => {}, 1000);
    await new Promise(() => {});
};

let code = 0;
try {
    const reason = await run();
    console.log(reason ? `locked: ${reason}` : "done");
    code = reason ? 3 : 0;
} catch (failed) {
    console.error(failed);
    code = 1;
}
process.exit(code); // connections of a framework may live on
