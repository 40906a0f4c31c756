// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/OrderText.h"

#include "app/lockctl/TextTable.h"

#include <QJsonArray>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestStatement = 120;

QString momentText(ServerTime at)
{
    return at.isValid() ? at.toIsoString().left(19) + u'Z' : QString();
}

QString legLines(const order::Leg& leg)
{
    QStringList facts{leg.count == 1 ? u"seen once"_s : u"seen %1 times"_s.arg(leg.count)};
    if (leg.waited > 0)
        facts << u"%1 waiting"_s.arg(leg.waited);
    if (const QString last = momentText(leg.witness.at); !last.isEmpty() && leg.witness.step.isEmpty())
        facts << u"here at "_s + last;
    QString text = u"  %1 then %2: %3\n    %4\n"_s.arg(
        printable(leg.first), printable(leg.second), facts.join(u", "_s), printable(legText(leg)));
    if (!leg.witness.statement.isEmpty()) {
        QString statement = leg.witness.statement.simplified();
        if (statement.size() > longestStatement)
            statement = statement.left(longestStatement - 1) + u'…';
        text += u"    "_s + statement + u'\n';
    }
    return text;
}

} // namespace

QString potentialDeadlocksText(const QList<order::PotentialDeadlock>& all)
{
    QString text;
    for (const order::PotentialDeadlock& each : all) {
        text += u"%1  %2%3\n"_s.arg(each.id, printable(each.title()),
            each.database.isEmpty() ? QString() : u" (database %1)"_s.arg(printable(each.database)));
        for (const order::Leg& leg : each.legs)
            text += legLines(leg);
        text += u"  "_s + printable(explanation(each)) + u"\n\n"_s;
    }
    return text;
}

QString orderText(const QList<order::PotentialDeadlock>& told, const OrderSummary& summary)
{
    QString text = potentialDeadlocksText(told);
    text += told.isEmpty()
        ? u"No locks were taken in opposite orders"_s
        : u"%1 potential deadlock%2"_s.arg(told.size()).arg(told.size() == 1 ? u""_s : u"s"_s);
    text += u" in %1 looks, by %2 orders seen"_s.arg(summary.state->looks).arg(summary.state->orders);
    if (summary.muted > 0)
        text += u"; %1 muted"_s.arg(summary.muted);
    if (summary.unreadable > 0)
        text += u"; %1 looks failed"_s.arg(summary.unreadable);
    if (summary.state->forgotten > 0)
        text += u"; %1 pairs not seen for longest were forgotten"_s.arg(summary.state->forgotten);
    if (summary.state->found.isCut)
        text += u"; there may be more"_s;
    return text + u". What came and went between two looks was not seen.\n"_s;
}

QJsonObject orderJson(const QList<order::PotentialDeadlock>& told, const OrderSummary& summary)
{
    QJsonArray found;
    for (const order::PotentialDeadlock& each : told)
        found.append(toJson(each));
    const auto time = [](ServerTime at) {
        return at.isValid() ? QJsonValue(at.toIsoString()) : QJsonValue();
    };
    return {{u"potential_deadlocks"_s, found}, {u"looks"_s, summary.state->looks},
        {u"failed_looks"_s, summary.unreadable}, {u"from"_s, time(summary.state->first)},
        {u"to"_s, time(summary.state->last)}, {u"orders"_s, summary.state->orders},
        {u"muted"_s, summary.muted}, {u"forgotten"_s, summary.state->forgotten},
        {u"cut"_s, summary.state->found.isCut}};
}

} // namespace lockscope::ctl
