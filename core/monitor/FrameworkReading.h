// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"
#include "core/domain/Snapshot.h"

#include <optional>

namespace lockscope::monitor {

/// The way of reading frameworks' tables that is in force, for the window and `lockctl check`.
struct FrameworkReading {
    enum class Way : quint8 {
        ByLogin, ///< with the login's own rights: what the rule of trust allows
        ByReader, ///< by the role that the URL names
        Refused, ///< that role can't read, or must not
        Off, ///< the URL turns it off
    };
    Way way = Way::ByLogin;
    QString text; ///< a sentence or two; empty where the engine has one way only
    QString remedy{}; ///< the change that it takes; may be empty
    bool isLimited = false; ///< some tables are not read for it

    bool operator==(const FrameworkReading&) const = default;
};

/// Finds out for a server from its URL, and from the limitations of its last poll.
FrameworkReading frameworkReadingOf(const db::ServerUrl& url, const Snapshot& snapshot);

/// Returns the limitation for a reader that could not read, or for tables beyond the ceiling;
/// frameworkReadingOf recognises them.
Limitation readerLimitation(const Error& error);
Limitation ceilingLimitation(qsizetype read, qsizetype found);
bool isOfReader(const Limitation& limitation);

} // namespace lockscope::monitor
