// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/json/FileCheck.h"
#include "core/metrics/OpenMetrics.h"
#include "core/record/Recording.h"

#include <tl/expected.hpp>

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

namespace lockscope::agent {

/// A place that the file names, and how to log in there.
struct AgentPlace {
    QString server; ///< a URL, or the name under which it is saved
    QString password{}; ///< alert::readSecret(): "env:NAME", "file:/path"; empty: as everywhere else

    bool operator==(const AgentPlace&) const = default;
    bool operator<(const AgentPlace& other) const
    {
        return std::tie(server, password) < std::tie(other.server, other.password);
    }
};

/// Says how one server is watched.
struct AgentServer : AgentPlace {
    std::optional<AgentPlace> history{}; ///< the team's history that its recording goes into, too
    milliseconds interval{1'000};
    int budget =
        1; ///< percent of the server's time that polls may take; the interval becomes longer by itself
    record::Retention keep{};
    bool redacts = false; ///< values of statements are left out of the recording

    bool operator==(const AgentServer&) const = default;
};

/// Says what `lockctl agent` does. A value.
struct AgentSettings {
    std::vector<AgentServer> servers;
    int atOnce = 16; ///< servers that are polled at the same time, see monitor::PollPlaces
    bool alerts = true; ///< incidents are found by the account's rules
    std::optional<metrics::ListenSettings> metrics{}; ///< nothing: nobody can ask for them

    bool operator==(const AgentSettings&) const = default;
};

/// Returns where a server is, by its name in the file. An error says what is wrong with the name.
using PlaceOf = std::function<Result<QString>(const QString& server)>;
/// Says what is wrong with a team's history that the file names.
using CheckOfHistory = std::function<Result<void>(const AgentPlace& history)>;
/// Reads a file of the format `resources/agent/agent.schema.json`: all faults at once, in the order of the
/// file. `name` is the file's name or path, for errors. `placeOf` returns record::serverPlace() of a server
/// that the file names, so that a database is not watched twice under two names. Without it only equal names
/// are found. Any thread; pure but for `placeOf` and `checkHistory`.
tl::expected<AgentSettings, json::FileFaults> checkAgentFile(const QString& name, const QByteArray& text,
    const PlaceOf& placeOf = {}, const CheckOfHistory& checkHistory = {});

} // namespace lockscope::agent
