// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/PotentialDeadlock.h"

#include <QJsonArray>

#include <algorithm>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

QString modeText(const Taken& taken)
{
    const QString mode = taken.mode.title().isEmpty() ? taken.mode.name() : taken.mode.title();
    return taken.standsForRows ? u"rows"_s : mode.toLower();
}

QJsonObject lockJson(const Taken& taken)
{
    return {{u"class"_s, taken.name->className}, {u"lock"_s, taken.name->name},
        {u"mode"_s, taken.mode.name()}, {u"rows_assumed"_s, taken.standsForRows}};
}

QJsonValue timeJson(ServerTime time)
{
    return time.isValid() ? QJsonValue(time.toIsoString()) : QJsonValue();
}

} // namespace

QString PotentialDeadlock::title() const
{
    QStringList names;
    for (const Leg& leg : legs)
        names << leg.first;
    if (names.size() == 2)
        return u"%1 and %2 are taken in both orders"_s.arg(names[0], names[1]);
    return u"%1 are taken in a ring of orders"_s.arg(names.join(u", "_s));
}

QString legText(const Leg& leg)
{
    const Witness& witness = leg.witness;
    // In one go: names may have a "%1" in them.
    QString text = u"%1 had %2 (%3) and %4 %5 (%6)"_s.arg(witness.who(), witness.first.name->name,
        modeText(witness.first), witness.evidence == Evidence::Waiting ? u"waited for"_s : u"then took"_s,
        witness.second.name->name, modeText(witness.second));
    if (witness.evidence == Evidence::Looks)
        text += u"; it had the first at both looks, and may have given it back in between"_s;
    return text + u'.';
}

QString explanation(const PotentialDeadlock& found)
{
    if (!found.gate.isEmpty())
        return u"Guarded by %1: whoever was seen to take them had it all the while, so that they can't meet."_s
            .arg(found.gate);
    QString text = found.legs.size() == 2
        ? u"If two sessions do this at the same time, each has what the other one waits for, and one is "
          "sacrificed."_s
        : u"If %1 sessions do this at the same time, each has what another one waits for, and one is "
          "sacrificed."_s.arg(found.legs.size());
    text += found.isOneClass ? u" Take locks of one kind in one order, for instance by their numbers."_s
                             : u" Take them in the same order everywhere."_s;
    const bool areRowsAssumed = std::any_of(found.legs.begin(), found.legs.end(),
        [](const Leg& leg) { return leg.witness.first.standsForRows || leg.witness.second.standsForRows; });
    if (areRowsAssumed)
        text += u" Which rows a session has changed the server does not show: that they are the same ones is "
                "assumed, because rows of these tables were waited for."_s;
    else if (!found.isOneClass)
        text += u" It takes the same rows or names on both sides."_s;
    return text;
}

QJsonObject toJson(const PotentialDeadlock& found)
{
    QJsonArray legs;
    for (const Leg& leg : found.legs) {
        const Witness& witness = leg.witness;
        QJsonObject seen{{u"session"_s, witness.session.id.value},
            {u"started"_s, timeJson(witness.session.started)}, {u"user"_s, witness.user},
            {u"program"_s, witness.program}, {u"host"_s, witness.host}, {u"statement"_s, witness.statement},
            {u"step"_s, witness.step}, {u"at"_s, timeJson(witness.at)},
            {u"evidence"_s, evidenceName(witness.evidence)}};
        if (!witness.thread.isEmpty()) {
            seen.insert(u"thread"_s, witness.thread);
            seen.insert(u"here"_s, witness.here.toString(Qt::ISODateWithMs));
        }
        legs.append(QJsonObject{{u"first"_s, lockJson(witness.first)},
            {u"second"_s, lockJson(witness.second)}, {u"count"_s, leg.count}, {u"waited"_s, leg.waited},
            {u"seen_first"_s, timeJson(leg.seenFirst)}, {u"seen_last"_s, timeJson(leg.seenLast)},
            {u"witness"_s, seen}});
    }
    return {{u"id"_s, found.id}, {u"title"_s, found.title()}, {u"database"_s, found.database},
        {u"orders"_s, legs}, {u"one_class"_s, found.isOneClass}, {u"guarded_by"_s, found.gate},
        {u"count"_s, found.count()}, {u"waiting_seen"_s, found.sawWaiting()},
        {u"certain"_s, found.isCertain()}, {u"explanation"_s, explanation(found)}};
}

} // namespace lockscope::order
