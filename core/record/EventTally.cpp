// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/EventTally.h"

#include <QJsonDocument>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

EventTally tallyOf(const QList<Event>& events)
{
    EventTally tally;
    qint64 seen = 0;
    qint64 told = 0;
    for (const Event& event : events) {
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        switch (event.kind) {
        case Event::Kind::Deadlock:
            if (const QJsonValue count = detail.value("deadlocks"_L1); count.isDouble())
                told += std::max<qint64>(0, count.toInteger());
            else
                ++seen;
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
            break;
        }
    }
    tally.deadlocks = std::max(seen, told);
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
    add(acts, u"act"_s, u"acts"_s);
    return parts.join(u", "_s);
}

QJsonObject EventTally::toJson() const
{
    return {{u"deadlocks"_s, deadlocks}, {u"alerts"_s, alerts}, {u"acts"_s, acts}};
}

} // namespace lockscope::record
