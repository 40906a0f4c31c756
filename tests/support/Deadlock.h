// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

namespace lockscope::test {

class LockRig;

/// Two contenders take two locks in different order: a test that fails unless the server makes one of them
/// the victim, and the other one goes on once that lets go of what it held.
void deadlockHasOneVictim(const LockRig& rig);

} // namespace lockscope::test
