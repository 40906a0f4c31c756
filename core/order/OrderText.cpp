// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Sentences.h"
#include "core/order/OrderWatch.h"

#include <algorithm>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

QString modeText(const Taken& taken)
{
    const QString mode = taken.mode.title().isEmpty() ? taken.mode.name() : taken.mode.title();
    return taken.standsForRows ? u"rows"_s : mode.toLower();
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
    if (witness.evidence == Evidence::Polls)
        text += u"; it had the first at both polls, and may have released it in between"_s;
    return text + u'.';
}

QString explanation(const PotentialDeadlock& found)
{
    if (!found.gate.isEmpty())
        return u"Guarded by %1: each session that was seen to take them had it all the while, so that they can't meet."_s
            .arg(found.gate);
    QString text = found.legs.size() == 2
        ? u"If two sessions do this at the same time, each has what the other one waits for, and one is sacrificed."_s
        : u"If %1 sessions do this at the same time, each has what another one waits for, and one is sacrificed."_s
              .arg(found.legs.size());
    text += found.isOneClass ? u" Take locks of one kind in one order, for instance by their numbers."_s
                             : u" Take them in the same order everywhere."_s;
    const bool areRowsAssumed = std::any_of(found.legs.begin(), found.legs.end(),
        [](const Leg& leg) { return leg.witness.first.standsForRows || leg.witness.second.standsForRows; });
    if (areRowsAssumed)
        text +=
            u" Which rows a session has changed the server does not show: that they are the same ones is assumed, because rows of these tables were waited for."_s;
    else if (!found.isOneClass)
        text += u" It takes the same rows or names on both sides."_s;
    if (found.isSeenOnce())
        text += u" One of the orders was seen only once."_s;
    return text;
}

QString transactionsText(const OrderState& state)
{
    const TransactionCounts& counts = state.transactions;
    if (counts.seen == 0)
        return {};
    const auto known = counts.counted(state.first, state.last);
    const qint64 all = known.value_or(counts.seen);
    const qint64 missed = all - counts.followed;
    QString text = known
        ? u"Of about %L1 transactions that the server counted, these polls' among them, %L2 (%3 %) could not be followed: they were over before a second poll."_s
        : u"Of %L1 transactions that were seen, %L2 (%3 %) could not be followed: they were over before a second poll. How many came and went between two polls is unknown."_s;
    text = text.arg(all).arg(missed).arg(missed * 100 / all)
        + u" Their orders count only where a session waited."_s;
    if (counts.unknown > 0)
        text += u" %1 not counted: the transaction was unknown, or there was none."_s.arg(
            counted(counts.unknown, u"new lock was", u"new locks were"));
    return text;
}

} // namespace lockscope::order
