// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
exports.up = () => globalThis.underTheLock();
exports.down = false;
