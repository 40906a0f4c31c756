// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

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

} // namespace lockscope
