// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <QStringList>

namespace lockscope::test {

class LockRig;

/// Two contenders take two locks in different order: the test fails unless the server makes one of them the
/// victim, and the other one goes on once the victim's lock is released.
void deadlockHasOneVictim(const LockRig& rig);

/// On PostgreSQL, as superuser: each session takes its lock by a statement, then all wait for the next one's.
/// The server ends one of them after `stands`; returns when all are over. Ends the program if one does not
/// begin.
void makeRing(const db::Server& server, const QStringList& locks, milliseconds stands = milliseconds(50));
/// The same with two sessions and the advisory locks `key` and the next one.
void makeDeadlock(const db::Server& server, int key, milliseconds stands = milliseconds(50));

} // namespace lockscope::test
