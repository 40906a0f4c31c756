// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {

/// Returns whether the locks are those of a prepared transaction of PostgreSQL: it has no session, and the id
/// that it goes by means nothing to anybody.
bool isPrepared(const Snapshot& snapshot, SessionId id);

/// The name of a prepared transaction as a literal, for COMMIT PREPARED: "'or''ders'". Empty if it is not
/// known, or if it is none.
QString preparedLiteral(const Snapshot& snapshot, SessionId id);

/// Returns the name for people: "63", "prepared 'or''ders'", "a prepared transaction" if its name is not
/// known.
QString sessionName(const Snapshot& snapshot, SessionId id);
/// "63 billing": with the program of a session that has one.
QString sessionTitle(const Snapshot& snapshot, SessionId id);

/// No more names than these stand in one line, or ten thousand waiters would have a list of ten thousand
/// each.
constexpr qsizetype maxNamesInList = 50;
/// "51, 63"; of many the first, "51, 63 and 9948 more".
QString sessionNames(const Snapshot& snapshot, const std::vector<SessionId>& ids);

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
