// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/Judge.h"

namespace lockscope::scenario {

/// A session's statement waited for a row that another session had changed in a transaction that went on.
struct RowWait {
    int session = 0; ///< from 1: the one that waits
    quint32 asked = 0; ///< the row, in its log
    qint64 from = 0;
    qint64 to = 0;
    int holder = 0; ///< from 1
    quint32 held = 0; ///< the row, in the holder's log
    qint64 heldFrom = 0;
    qint64 heldTo = 0;
    bool operator==(const RowWait&) const = default;
};

/// Finds them by the steps that say which row they lock (SqlStep::locksRow): a statement that had begun while
/// another session had the row, and got on later, has waited that long. In order of the waiting sessions.
std::vector<RowWait> rowWaits(const LogPointers& logs);

} // namespace lockscope::scenario
