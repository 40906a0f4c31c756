// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <QStringList>

namespace lockscope::record {

/// The rights of a login in a history, and the time of that history's clock.
struct HistoryStanding {
    QString user;
    bool mayRead = false; ///< what others have recorded
    bool mayChange = false; ///< or remove: the history's owner is one of these
    bool isSuperuser = false;
    microseconds clockAhead{0}; ///< of this machine's; half of the round trip may be wrong

    /// Returns what a person should know: rights that no writer needs, and a clock that is wrong.
    QStringList remarks() const;
};

/// Asks a history whether this login can write into it, and writes nothing. An error says why not: as
/// checkHistory(); Permission: it lacks a right; ReadOnly: the server takes no changes. Blocks.
Result<HistoryStanding> historyStanding(const db::Server& server);

} // namespace lockscope::record
