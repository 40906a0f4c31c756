// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {

inline const QString noValue = QStringLiteral("–");

/// Returns the time from one to the other; nothing if one of them is not known.
std::optional<Age> knownAge(ServerTime since, ServerTime until);
/// "0:41", "≥ 0:41", or a dash if nothing is known.
QString ageText(const std::optional<ServerTime>& since, ServerTime now, bool exact = true);
/// "51, 63 and 4 more"
QString sessionList(const Snapshot& snapshot, std::span<const SessionId> sessions);
/// Returns "bob, nightly-job on app02": the holder of an entry of a lock table, or a waiter for it; "unknown"
/// if it has no name.
QString partyName(const LockOwnerInfo& party);
/// "bob, nightly-job on app02 (process 4711)": the same, so that nobody mistakes it for another one.
QString partyProcessName(const LockOwnerInfo& party);
/// Locks that every transaction has on itself or its database: of interest only while they block somebody.
bool isInternalKind(ResourceKind kind);

} // namespace lockscope
