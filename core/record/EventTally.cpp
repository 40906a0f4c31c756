// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/EventTally.h"

#include "core/base/Sentences.h"
#include "core/deadlock/DeadlockIdentity.h"
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Counts deadlocks by their events.
class DeadlockTally {
public:
    void add(const Event& event, const QJsonObject& detail)
    {
        const QJsonValue count = detail.value("deadlocks"_L1);
        if (!count.isDouble()) {
            if (const auto ring = deadlock::DeadlockIdentity::fromJson(detail.value("ring"_L1), event.at))
                m_known.add(*ring);
            else
                ++m_unnamed;
            return;
        }
        qint64 left = std::max<qint64>(0, count.toInteger());
        if (detail.value("time_known"_L1).toBool())
            for (const auto& each : detail.value("rings"_L1).toArray())
                if (const auto ring = deadlock::DeadlockIdentity::fromJson(each, event.at);
                    ring && left > 0) {
                    m_known.add(*ring);
                    --left;
                }
        m_vague += left;
    }

    qint64 atLeast() const
    {
        const qint64 seen = m_known.count() - m_known.recordedCount();
        return std::max(m_unnamed + seen, m_known.recordedCount() + std::max(seen, m_vague));
    }

private:
    deadlock::KnownDeadlocks m_known;
    qint64 m_unnamed = 0; ///< seen, of sessions that are not recorded, as in a redacted copy
    qint64 m_vague = 0; ///< recorded by the server; nobody can say which
};

} // namespace

EventTally tallyOf(const QList<Event>& events)
{
    EventTally tally;
    DeadlockTally deadlocks;
    for (const Event& event : events) {
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        switch (event.kind) {
        case Event::Kind::Deadlock:
            deadlocks.add(event, detail);
            break;
        case Event::Kind::Alert:
            tally.alerts += detail.value("state"_L1).toString("begins"_L1) == "begins"_L1 ? 1 : 0;
            break;
        case Event::Kind::Act:
            ++tally.acts;
            break;
        case Event::Kind::Failure:
        case Event::Kind::Gap:
        case Event::Kind::Note:
        case Event::Kind::Mark:
            break;
        }
    }
    tally.deadlocks = deadlocks.atLeast();
    return tally;
}

QString EventTally::toString() const
{
    QStringList parts;
    const auto add = [&parts](qint64 count, QStringView one) {
        if (count > 0)
            parts << counted(count, one);
    };
    add(deadlocks, u"deadlock");
    add(alerts, u"alert");
    add(acts, u"action");
    return parts.join(u", "_s);
}

void EventTally::addTo(report::Report& report) const
{
    for (const auto& [key, count] : {std::pair(u"events.deadlocks"_s, deadlocks),
             std::pair(u"events.alerts"_s, alerts), std::pair(u"events.acts"_s, acts)})
        report.facts.push_back({{report::Type::Count, key}, count});
    if (const QString text = toString(); !text.isEmpty())
        report.closing << u"In that time: %1."_s.arg(text);
}

} // namespace lockscope::record
