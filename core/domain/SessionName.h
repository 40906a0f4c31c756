// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope {

/// Whether the locks are those of a prepared transaction of PostgreSQL: it has no session, and the id that it
/// goes by means nothing to anybody.
bool isPrepared(const Snapshot& snapshot, SessionId id);

/// The name of a prepared transaction as a literal, for COMMIT PREPARED: "'or''ders'". Empty if it is not
/// known, or if it is none.
QString preparedLiteral(const Snapshot& snapshot, SessionId id);

/// What people call it: "63", "prepared 'or''ders'", "a prepared transaction" if its name is not known.
QString sessionName(const Snapshot& snapshot, SessionId id);
/// "63 billing": with the program of a session that has one.
QString sessionTitle(const Snapshot& snapshot, SessionId id);
QString sessionNames(const Snapshot& snapshot, const std::vector<SessionId>& ids); ///< "51, 63"

} // namespace lockscope
