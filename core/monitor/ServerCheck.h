// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ConnectionCheck.h"
#include "core/db/Server.h"
#include "core/db/ServerUrl.h"
#include "core/domain/Snapshot.h"

#include <optional>
#include <stop_token>

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

/// Everything that can be found out about a server and the way to it, step by step: what the connection
/// dialog's "Test" shows and `lockctl check` prints. Ends with one reading of the monitor and with what that
/// could not show. Ends with the first step without which there is no next one, or soon after `stop`; true if
/// none failed. A `sandbox:` is started first. The password is in no text, not even in one that repeats it.
/// Blocks for as long as the connect time-out and a few round trips.
bool checkServer(const db::Server& server, const db::CheckSink& tell, const std::stop_token& stop = {});

} // namespace lockscope::monitor
