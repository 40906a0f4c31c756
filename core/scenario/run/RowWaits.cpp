// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/RowWaits.h"

#include <algorithm>
#include <tuple>

namespace lockscope::scenario {

namespace {

/// The way to the server takes a while: a statement that met the holder for less may not have waited at all.
constexpr qint64 leastWaitUs = 500;

struct RowHold {
    int session;
    quint32 subject;
    qint64 from;
    qint64 to;
};

using RowHolds = QHash<QString, std::vector<RowHold>>;

void addHolds(RowHolds& holds, const SessionLog::Copy& log, int session)
{
    QHash<quint32, qint64> open;
    const auto add = [&](quint32 row, qint64 from, qint64 to) {
        holds[log.subjects.at(row)].push_back({.session = session, .subject = row, .from = from, .to = to});
    };
    for (const RunEvent& event : log.events) {
        if (event.kind == EventKind::RowLocked)
            open.insert(event.subject, event.us);
        else if (event.kind == EventKind::RowFreed && open.contains(event.subject))
            add(event.subject, open.take(event.subject), event.us);
    }
    for (auto each = open.cbegin(); each != open.cend(); ++each) // of a run that goes on
        add(each.key(), each.value(), log.events.back().us);
}

} // namespace

std::vector<RowWait> rowWaits(const LogPointers& logs)
{
    RowHolds holds;
    for (std::size_t i = 0; i < logs.size(); ++i)
        addHolds(holds, *logs[i], int(i) + 1);
    for (std::vector<RowHold>& each : holds)
        std::sort(each.begin(), each.end(), [](const RowHold& a, const RowHold& b) {
            return std::tie(a.to, a.from) < std::tie(b.to, b.from);
        });
    std::vector<RowWait> waits;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const int session = int(i) + 1;
        const std::vector<RunEvent>& events = logs[i]->events;
        for (std::size_t at = 0; at + 1 < events.size(); ++at) {
            const RunEvent& asked = events[at];
            if (asked.kind != EventKind::RowAsked)
                continue;
            const qint64 end = events[at + 1].us;
            const auto known = holds.constFind(logs[i]->subjects.at(asked.subject));
            if (known == holds.cend())
                continue;
            // One has a row at a time: in order of their ends they are in order of their beginnings.
            auto hold = std::upper_bound(known->begin(), known->end(), asked.us,
                [](qint64 us, const RowHold& each) { return us < each.to; });
            for (; hold != known->end() && hold->from < end; ++hold) {
                const RowWait wait{.session = session,
                    .asked = asked.subject,
                    .from = std::max(asked.us, hold->from),
                    .to = std::min(end, hold->to),
                    .holder = hold->session,
                    .held = hold->subject,
                    .heldFrom = hold->from,
                    .heldTo = hold->to};
                if (hold->session != session && wait.to - wait.from >= leastWaitUs)
                    waits.push_back(wait);
            }
        }
    }
    return waits;
}

} // namespace lockscope::scenario
