// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/EventTally.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <map>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// Deadlocks as events tell of them.
class Deadlocks {
public:
    void add(const Event& event, const QJsonObject& detail)
    {
        const QJsonValue count = detail.value("deadlocks"_L1);
        if (!count.isDouble()) {
            if (const auto ring = alert::ringOfDetail(detail.value("ring"_L1), event.at))
                m_seen << *ring;
            else
                ++m_seenBefore;
            return;
        }
        qint64 left = std::max<qint64>(0, count.toInteger());
        if (detail.value("time_known"_L1).toBool())
            for (const auto& each : detail.value("rings"_L1).toArray())
                if (const auto ring = alert::ringOfDetail(each, event.at); ring && left > 0) {
                    m_told[ring->sessions] << *ring;
                    ++m_toldCount;
                    --left;
                }
        m_vague += left;
    }

    qint64 atLeast() const
    {
        const auto isOther = [this](const deadlock::Identity& seen) {
            const auto told = m_told.find(seen.sessions);
            return told == m_told.end()
                || std::none_of(told->second.cbegin(), told->second.cend(),
                    [&seen](const auto& each) { return deadlock::isRecordOf(each, seen); });
        };
        const qint64 others = std::count_if(m_seen.cbegin(), m_seen.cend(), isOther);
        return std::max(m_seenBefore + others, m_toldCount + std::max(others, m_vague));
    }

private:
    QList<deadlock::Identity> m_seen;
    qint64 m_seenBefore = 0; ///< in older recordings, which do not say of which sessions
    std::map<std::set<qint64>, QList<deadlock::Identity>> m_told; ///< by sessions
    qint64 m_toldCount = 0;
    qint64 m_vague = 0; ///< by the server; nobody can say which
};

} // namespace

EventTally tallyOf(const QList<Event>& events)
{
    EventTally tally;
    Deadlocks deadlocks;
    for (const Event& event : events) {
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        switch (event.kind) {
        case Event::Kind::Deadlock:
            deadlocks.add(event, detail);
            break;
        case Event::Kind::Alert:
            tally.alerts += detail.value("state"_L1).toString() == "ends"_L1 ? 0 : 1;
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
    const auto add = [&parts](qint64 count, const QString& one, const QString& many) {
        if (count > 0)
            parts << u"%1 %2"_s.arg(QString::number(count), count == 1 ? one : many);
    };
    add(deadlocks, u"deadlock"_s, u"deadlocks"_s);
    add(alerts, u"alert"_s, u"alerts"_s);
    add(acts, u"action"_s, u"actions"_s);
    return parts.join(u", "_s);
}

QJsonObject EventTally::toJson() const
{
    return {{u"deadlocks"_s, deadlocks}, {u"alerts"_s, alerts}, {u"acts"_s, acts}};
}

} // namespace lockscope::record
