// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderTable.h"

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

using report::Shown;
using report::Type;

constexpr qsizetype maxStatementShown = 120;

qint64 waitedIn(const PotentialDeadlock& found)
{
    qint64 sum = 0;
    for (const Leg& leg : found.legs)
        sum += leg.waited;
    return sum;
}

/// Names the evidence of the less certain witness.
QString basisText(const PotentialDeadlock& found, bool isMuted)
{
    if (isMuted)
        return u"muted"_s;
    if (!found.gate.isEmpty())
        return u"guarded"_s;
    auto least = Evidence::Waiting;
    for (const Leg& leg : found.legs)
        least = std::min(least, leg.witness.evidence);
    return evidenceName(least);
}

QString witnessNames(const PotentialDeadlock& found)
{
    QStringList names;
    for (const Leg& leg : found.legs)
        names << leg.witness.who();
    names.removeDuplicates();
    return names.join(u", "_s);
}

QStringList linesOf(const Leg& leg)
{
    const Witness& witness = leg.witness;
    QStringList facts{leg.count == 1 ? u"seen once"_s : u"seen %1 times"_s.arg(leg.count)};
    if (leg.waited > 0)
        facts << u"%1 waiting"_s.arg(leg.waited);
    if (witness.at.isValid() && witness.step.isEmpty())
        facts << u"here at "_s + report::timeText(witness.at);
    QStringList lines{u"%1 then %2: %3."_s.arg(leg.first, leg.second, facts.join(u", "_s)), legText(leg)};
    const QString statement = witness.statement.simplified();
    if (!statement.isEmpty())
        lines << (statement.size() > maxStatementShown ? statement.left(maxStatementShown - 1) + u'…'
                                                       : statement);
    return lines;
}

} // namespace

report::Section foundSection(const QList<PotentialDeadlock>& found, const QSet<QString>& mutedIds)
{
    report::Section section{.key = u"potential_deadlocks"_s,
        .columns = {{.key = u"id"_s, .title = u"Id"_s, .shown = Shown::OnRequest},
            {.key = u"title"_s,
                .title = u"Taken in opposite orders"_s,
                .meaning = u"Tables, and named locks without their numbers"_s,
                .share = 4},
            {.key = u"count"_s,
                .title = u"Seen"_s,
                .type = Type::Count,
                .meaning = u"How often, in the order seen less"_s},
            {.key = u"waited"_s,
                .title = u"Waiting"_s,
                .type = Type::Count,
                .meaning = u"How often somebody was seen waiting for the second lock"_s},
            {.key = u"last"_s,
                .title = u"Last seen"_s,
                .type = Type::Time,
                .meaning = u"By the server's clock"_s,
                .yields = 1},
            {.key = u"known_by"_s,
                .title = u"Known by"_s,
                .meaning = u"What tells the order, of the less certain witness"_s,
                .yields = 2},
            {.key = u"sessions"_s, .title = u"Witnesses"_s, .share = 2, .yields = 3},
            {.key = u"database"_s, .title = u"Database"_s, .shown = Shown::OnRequest},
            {.key = u"one_class"_s, .type = Type::Flag, .shown = Shown::ToPrograms},
            {.key = u"guarded_by"_s, .shown = Shown::ToPrograms},
            {.key = u"waiting_seen"_s, .type = Type::Flag, .shown = Shown::ToPrograms},
            {.key = u"certain"_s, .type = Type::Flag, .shown = Shown::ToPrograms},
            {.key = u"explanation"_s, .shown = Shown::ToPrograms}}};
    for (const PotentialDeadlock& each : found) {
        using report::Value;
        const bool isAlarm = each.sawWaiting() && each.gate.isEmpty();
        const qint64 waited = waitedIn(each);
        const QString why = explanation(each);
        section.rows.push_back(
            {.cells = {each.id, Value(each.title(), isAlarm ? report::Mark::Alarm : report::Mark::None),
                 each.count(), waited > 0 ? Value(waited) : Value(), each.last(),
                 basisText(each, mutedIds.contains(each.id)), witnessNames(each), each.database,
                 Value::flag(each.isOneClass), each.gate, Value::flag(each.sawWaiting()),
                 Value::flag(each.isCertain()), why},
                .key = each.id,
                .more = {why},
                .about = each});
    }
    return section;
}

report::Section witnessesSection(const QList<PotentialDeadlock>& found)
{
    report::Section section{.key = u"witnesses"_s,
        .columns = {{.key = u"id"_s}, {.key = u"first.class"_s}, {.key = u"first.lock"_s},
            {.key = u"first.mode"_s}, {.key = u"first.rows_assumed"_s, .type = Type::Flag},
            {.key = u"second.class"_s}, {.key = u"second.lock"_s}, {.key = u"second.mode"_s},
            {.key = u"second.rows_assumed"_s, .type = Type::Flag}, {.key = u"count"_s, .type = Type::Count},
            {.key = u"waited"_s, .type = Type::Count}, {.key = u"seen_first"_s, .type = Type::Time},
            {.key = u"seen_last"_s, .type = Type::Time}, {.key = u"session"_s, .type = Type::Count},
            {.key = u"started"_s, .type = Type::Time}, {.key = u"user"_s}, {.key = u"program"_s},
            {.key = u"host"_s}, {.key = u"statement"_s}, {.key = u"step"_s}, {.key = u"thread"_s},
            {.key = u"at"_s, .type = Type::Time}, {.key = u"here"_s}, {.key = u"evidence"_s},
            {.key = u"says"_s}},
        .shown = Shown::ToPrograms};
    for (const PotentialDeadlock& each : found) {
        for (const Leg& leg : each.legs) {
            using report::Value;
            const Witness& seen = leg.witness;
            section.rows.push_back(
                {.cells = {each.id, seen.first.name->className, seen.first.name->name, seen.first.mode.name(),
                     Value::flag(seen.first.standsForRows), seen.second.name->className,
                     seen.second.name->name, seen.second.mode.name(), Value::flag(seen.second.standsForRows),
                     leg.count, leg.waited, leg.seenFirst, leg.seenLast, qint64(seen.session.id.value),
                     seen.session.started, seen.user, seen.program, seen.host, seen.statement, seen.step,
                     seen.thread, seen.at,
                     seen.thread.isEmpty() ? Value() : Value(seen.here.toString(Qt::ISODateWithMs)),
                     evidenceName(seen.evidence), legText(leg)}});
        }
    }
    return section;
}

void addTo(report::Report& report, const QList<PotentialDeadlock>& found)
{
    report.sections.push_back(foundSection(found));
    report.sections.push_back(witnessesSection(found));
    for (const PotentialDeadlock& each : found) {
        if (!report.closing.isEmpty())
            report.closing << QString();
        report.closing << u"%1 %2%3"_s.arg(each.id, each.title(),
            each.database.isEmpty() ? QString() : u" (database %1)"_s.arg(each.database));
        for (const Leg& leg : each.legs)
            report.closing << linesOf(leg);
        report.closing << explanation(each);
    }
}

report::Report toReport(const QList<PotentialDeadlock>& found, const OrderSummary& summary)
{
    const OrderState& state = *summary.state;
    report::Report report{.title = found.isEmpty()
            ? u"No locks were taken in opposite orders"_s
            : u"%1 potential deadlock%2"_s.arg(
                QString::number(found.size()), found.size() == 1 ? u""_s : u"s"_s)};
    QString note = u"In %1 polls, by %2 orders seen"_s.arg(state.looks).arg(state.orders);
    if (summary.muted > 0)
        note += u"; %1 muted"_s.arg(summary.muted);
    if (summary.unreadable > 0)
        note += u"; %1 polls failed"_s.arg(summary.unreadable);
    if (state.forgotten > 0)
        note += u"; %1 pairs not seen for longest were forgotten"_s.arg(state.forgotten);
    if (state.found.isCut)
        note += u"; there may be more"_s;
    report.notes << note + u'.' << u"Locks that came and went between two polls were not seen."_s;
    for (const auto& [key, count] : {std::pair(u"looks"_s, state.looks),
             std::pair(u"failed_looks"_s, summary.unreadable), std::pair(u"orders"_s, state.orders),
             std::pair(u"muted"_s, summary.muted), std::pair(u"forgotten"_s, state.forgotten)})
        report.facts.push_back({{.key = key, .type = Type::Count}, count});
    report.facts.push_back({{.key = u"from"_s, .type = Type::Time}, state.first});
    report.facts.push_back({{.key = u"to"_s, .type = Type::Time}, state.last});
    report.facts.push_back({{.key = u"cut"_s, .type = Type::Flag}, report::Value::flag(state.found.isCut)});
    addTo(report, found);
    return report;
}

} // namespace lockscope::order
