// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/agent/AgentFile.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QSet>

namespace lockscope::test {

using namespace std::chrono_literals;

/// Feeds bytes to checkAgentFile; aborts if it refuses without a reason and a place, or accepts what no agent
/// can do: no server, a database twice, or a number that is out of its range.
static void fuzzAgentFile(const QByteArray& text)
{
    const auto placeOf = [](const QString& server) -> Result<QString> {
        return server.startsWith(u'-') ? failure(ErrorKind::BadInput, QStringLiteral("It is unknown."))
                                       : Result<QString>(server.toLower());
    };
    const auto read = agent::checkAgentFile(QStringLiteral("fuzz.json"), text, placeOf);
    if (!read)
        return checkFaults(read.error());
    QSet<QString> places;
    for (const agent::AgentServer& server : read->servers) {
        const auto place = placeOf(server.server);
        if (server.server.isEmpty() || !place || places.contains(*place))
            qFatal("a server that can't be watched");
        places.insert(*place);
        if (server.interval < 100ms || server.interval > 24h || server.budget < 1 || server.budget > 25
            || server.keep.age < 1min)
            qFatal("a server that can't be polled like that");
    }
    if (places.isEmpty() || read->atOnce < 2 || read->atOnce > 1'000)
        qFatal("an agent with nothing to do");
    if (read->metrics && !metrics::checkListening(*read->metrics))
        qFatal("metrics for everybody");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzAgentFile)
