// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope::ui {

inline const QString noValue = QStringLiteral("–");

/// "0:41", "≥ 0:41", or a dash if nothing is known. `since` may lie a little ahead of `now`: clocks are read
/// twice.
QString ageText(const std::optional<ServerTime>& since, ServerTime now, bool exact = true);
/// How long ago, never negative.
milliseconds ageOf(ServerTime since, ServerTime now);
/// "2026-11-21 03:12:07 UTC"
QString momentText(ServerTime moment);
/// "51, 63 and 4 more"
QString sessionList(const Snapshot& snapshot, std::span<const SessionId> sessions);
/// "bob, nightly-job on app02": who holds or awaits an entry of a lock table; "unknown" if nothing tells.
QString partyName(const LockOwnerInfo& party);
/// "bob, nightly-job on app02 (process 4711)": the same, so that nobody mistakes it for another one.
QString partyProcessName(const LockOwnerInfo& party);
/// "a, b and 4 more"; nothing for none.
QString nameList(const QStringList& names, int most = 3);
/// Locks that every transaction has on itself or its database: of interest only while they block somebody.
bool isInternalKind(ResourceKind kind);

} // namespace lockscope::ui
