// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/RangeText.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/TextTable.h"
#include "core/base/Duration.h"
#include "core/domain/SnapshotJson.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

using Fit = TextTable::Fit;

QString clock(ServerTime at)
{
    return at.toIsoString().left(19) + u'Z';
}

QString nameOr(const QString& name)
{
    return name.isEmpty() ? u"(not known)"_s : printable(name);
}

QString linesOf(const QString& title, const TextTable& table)
{
    if (table.isEmpty())
        return {};
    return u'\n' + title + u'\n' + table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

QString notesText(const QStringList& notes)
{
    QString text;
    for (const QString& note : notes)
        text += wrapped(note, screenSize().columns).join(u'\n') + u'\n';
    return text;
}

QStringList figureCells(const record::WaitFigures& waits)
{
    if (waits.count == 0)
        return {u"0"_s, {}, {}, {}, {}, {}};
    return {QString::number(waits.count), record::atLeastText(waits.total), record::atLeastText(waits.p50),
        record::atLeastText(waits.p90), record::atLeastText(waits.p99),
        record::atLeastText(waits.worst.length())};
}

void addFigures(std::vector<TextTable::Column>& columns)
{
    for (const QString& title : {u"WAITS"_s, u"WAITED"_s, u"P50"_s, u"P90"_s, u"P99"_s, u"WORST"_s})
        columns.push_back({title, Fit::Right});
}

QString locksText(const record::RangeReport& report, qint64 most)
{
    std::vector<TextTable::Column> columns{{u"LOCK"_s, Fit::Flexible}};
    addFigures(columns);
    columns.insert(
        columns.end(), {{u"SESSIONS"_s, Fit::Right}, {u"WORST SEEN AT"_s}, {u"BY"_s, Fit::Flexible}});
    TextTable table(std::move(columns));
    for (const record::RangeLock& each : report.locks.first(std::min(most, qint64(report.locks.size()))))
        table.add(QStringList{nameOr(each.lock.name)} + figureCells(each.waits)
            + QStringList{QString::number(each.waiters), clock(each.waits.worst.to),
                printable(each.waits.worst.party.title())});
    return linesOf(u"Locks that were waited for:"_s, table);
}

QString partiesText(
    const QString& title, const QString& what, const QList<record::RangeParty>& parties, qint64 most)
{
    TextTable table({{what, Fit::Flexible}, {u"WAITS"_s, Fit::Right}, {u"WAITED"_s, Fit::Right},
        {u"WORST"_s, Fit::Right}, {u"BLOCKED"_s, Fit::Right}, {u"MADE WAIT"_s, Fit::Right},
        {u"HELD LONGEST"_s, Fit::Right}, {u"OF"_s, Fit::Flexible}});
    for (const record::RangeParty& each : parties.first(std::min(most, qint64(parties.size()))))
        table.add({nameOr(each.name), QString::number(each.waits.count),
            each.waits.count > 0 ? record::atLeastText(each.waits.total) : QString(),
            each.waits.count > 0 ? record::atLeastText(each.waits.worst.length()) : QString(),
            QString::number(each.blocked), each.blocked > 0 ? record::atLeastText(each.madeWait) : QString(),
            record::atLeastText(each.longestHeld.length()), printable(each.longestHeld.lock.name)});
    return linesOf(title, table);
}

/// What statements held longest is not known.
QString statementsText(const QList<record::RangeParty>& sums, qint64 most)
{
    TextTable table({{u"WAITS"_s, Fit::Right}, {u"WAITED"_s, Fit::Right}, {u"WORST"_s, Fit::Right},
        {u"BLOCKED"_s, Fit::Right}, {u"MADE WAIT"_s, Fit::Right}, {u"STATEMENT"_s, Fit::Flexible}});
    for (const record::RangeParty& each : sums.first(std::min(most, qint64(sums.size()))))
        table.add({QString::number(each.waits.count),
            each.waits.count > 0 ? record::atLeastText(each.waits.total) : QString(),
            each.waits.count > 0 ? record::atLeastText(each.waits.worst.length()) : QString(),
            QString::number(each.blocked), each.blocked > 0 ? record::atLeastText(each.madeWait) : QString(),
            printable(each.name)});
    return linesOf(u"By statement:"_s, table);
}

QString tablesText(const QList<record::RangeParty>& sums, qint64 most)
{
    std::vector<TextTable::Column> columns{{u"TABLE"_s, Fit::Flexible}};
    addFigures(columns);
    TextTable table(std::move(columns));
    for (const record::RangeParty& each : sums.first(std::min(most, qint64(sums.size()))))
        table.add(QStringList{printable(each.name)} + figureCells(each.waits));
    return linesOf(u"By table, with its rows and pages:"_s, table);
}

QString holdersText(const record::RangeReport& report, qint64 most)
{
    TextTable table(
        {{u"HOLDER"_s, Fit::Flexible}, {u"LOCK"_s, Fit::Flexible}, {u"FROM"_s}, {u"HELD"_s, Fit::Right},
            {u"BLOCKED"_s, Fit::Right}, {u"MADE WAIT"_s, Fit::Right}, {u"DIRECTLY"_s, Fit::Right}});
    for (const record::RangeHolder& each :
        report.holders.first(std::min(most, qint64(report.holders.size()))))
        table.add({printable(each.party.title()), nameOr(each.lock.name), clock(each.from),
            record::atLeastText(each.held()), QString::number(each.blocked),
            record::atLeastText(each.madeWait), record::atLeastText(each.madeWaitDirectly)});
    return linesOf(u"Who made others wait longest:"_s, table);
}

QString rateText(std::optional<double> perHour)
{
    return !perHour ? u"–"_s : QString::number(*perHour, 'f', *perHour < 10 ? 1 : 0);
}

QString changesText(
    const QString& title, const QString& what, const QList<record::RangeChange>& changes, qint64 most)
{
    TextTable table(
        {{what, Fit::Flexible}, {u"WAITS/H"_s, Fit::Right}, {u"BEFORE"_s, Fit::Right}, {u"P50"_s, Fit::Right},
            {u"BEFORE"_s, Fit::Right}, {u"P90"_s, Fit::Right}, {u"BEFORE"_s, Fit::Right}, {u"VERDICT"_s}});
    const auto length = [](const record::WaitFigures& waits, microseconds value) {
        return waits.count > 0 ? record::atLeastText(value) : u"–"_s;
    };
    for (const record::RangeChange& each : changes.first(std::min(most, qint64(changes.size()))))
        table.add({nameOr(each.name), rateText(each.perHourAfter), rateText(each.perHourBefore),
                      length(each.after, each.after.p50), length(each.before, each.before.p50),
                      length(each.after, each.after.p90), length(each.before, each.before.p90),
                      record::verdictName(each.verdict)},
            each.verdict == record::RangeChange::Verdict::More
                    || each.verdict == record::RangeChange::Verdict::New
                ? Tone::Warning
                : Tone::Plain);
    return linesOf(title, table);
}

qint64 ms(microseconds length)
{
    return std::chrono::floor<milliseconds>(length).count();
}

QJsonObject json(const record::RangeWait& wait)
{
    return {{u"kind"_s, wait.lock.kind}, {u"database"_s, wait.lock.database}, {u"lock"_s, wait.lock.name},
        {u"session"_s, wait.party.session.value}, {u"user"_s, wait.party.user},
        {u"program"_s, wait.party.program}, {u"host"_s, wait.party.host},
        {u"from"_s, toJson(std::optional(wait.from))}, {u"seen_until"_s, toJson(std::optional(wait.to))},
        {u"seen_polls"_s, wait.sightings.seen}, {u"polls"_s, wait.sightings.polls},
        {u"at_least_ms"_s, wait.sightings.proven ? QJsonValue(ms(wait.length())) : QJsonValue()}};
}

QJsonObject json(const record::WaitFigures& waits)
{
    return {{u"count"_s, waits.count}, {u"at_least_ms"_s, ms(waits.total)}, {u"p50_ms"_s, ms(waits.p50)},
        {u"p90_ms"_s, ms(waits.p90)}, {u"p99_ms"_s, ms(waits.p99)}, {u"cut"_s, waits.cut},
        {u"end_unseen"_s, waits.open},
        {u"worst"_s, waits.count > 0 ? QJsonValue(json(waits.worst)) : QJsonValue()}};
}

QJsonArray json(const QList<record::RangeParty>& parties)
{
    QJsonArray array;
    for (const record::RangeParty& each : parties)
        array.append(QJsonObject{{u"name"_s, each.name}, {u"waits"_s, json(each.waits)},
            {u"made_wait_ms"_s, ms(each.madeWait)}, {u"blocked"_s, each.blocked},
            {u"made_wait_directly_ms"_s, ms(each.madeWaitDirectly)},
            {u"longest_held"_s, json(each.longestHeld)}});
    return array;
}

QJsonArray statementsJson(const QList<record::RangeParty>& sums)
{
    QJsonArray array;
    for (const record::RangeParty& each : sums)
        array.append(QJsonObject{{u"name"_s, each.name}, {u"waits"_s, json(each.waits)},
            {u"made_wait_ms"_s, ms(each.madeWait)}, {u"blocked"_s, each.blocked}});
    return array;
}

QJsonArray tablesJson(const QList<record::RangeParty>& tables)
{
    QJsonArray array;
    for (const record::RangeParty& each : tables)
        array.append(QJsonObject{{u"name"_s, each.name}, {u"waits"_s, json(each.waits)}});
    return array;
}

QJsonObject json(const record::Coverage& coverage)
{
    QJsonArray gaps;
    for (const record::Coverage::Gap& gap : coverage.gaps)
        gaps.append(QJsonObject{{u"from"_s, toJson(std::optional(gap.from))},
            {u"to"_s, toJson(std::optional(gap.to))}, {u"reason"_s, record::gapReasonName(gap.reason)},
            {u"detail"_s, gap.detail}});
    return {{u"range_ms"_s, ms(coverage.length)}, {u"seen_ms"_s, ms(coverage.recorded)},
        {u"looks"_s, coverage.polls}, {u"usual_pause_ms"_s, ms(coverage.usualPause)}, {u"gaps"_s, gaps}};
}

QJsonValue number(std::optional<double> value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

QJsonArray json(const QList<record::RangeChange>& changes, const QString& what)
{
    QJsonArray array;
    for (const record::RangeChange& each : changes)
        array.append(QJsonObject{{what, each.name}, {u"before"_s, json(each.before)},
            {u"after"_s, json(each.after)}, {u"per_hour_before"_s, number(each.perHourBefore)},
            {u"per_hour_after"_s, number(each.perHourAfter)},
            {u"waited_seconds_per_hour_before"_s, number(each.waitedBefore)},
            {u"waited_seconds_per_hour_after"_s, number(each.waitedAfter)},
            {u"verdict"_s, record::verdictName(each.verdict)}});
    return array;
}

} // namespace

QString rangeText(const record::RangeReport& report, qint64 most)
{
    QString text = u"%1 to %2\n"_s.arg(clock(report.from), clock(report.to)) + notesText(notesOf(report));
    if (report.coverage.polls == 0)
        return text;
    if (report.waits.count == 0)
        text += u"Nobody was seen to wait for a lock.\n"_s;
    return text + locksText(report, most) + holdersText(report, most)
        + partiesText(u"By program:"_s, u"PROGRAM"_s, report.programs, most)
        + partiesText(u"By user:"_s, u"USER"_s, report.users, most) + statementsText(report.statements, most)
        + tablesText(report.tables, most);
}

QString comparisonText(const record::RangeComparison& comparison, qint64 most)
{
    const auto range = [](const record::RangeReport& report) {
        return u"%1 to %2"_s.arg(clock(report.from), clock(report.to));
    };
    QString text = u"%1, compared with %2\n"_s.arg(range(comparison.after), range(comparison.before))
        + notesText(notesOf(comparison));
    record::RangeChange all = comparison.all;
    all.name = u"all waits"_s;
    return text + changesText(u"Together:"_s, u"WHAT"_s, {all}, 1)
        + changesText(u"By lock:"_s, u"LOCK"_s, comparison.locks, most)
        + changesText(u"By program that waited:"_s, u"PROGRAM"_s, comparison.programs, most);
}

QJsonObject rangeJson(const record::RangeReport& report)
{
    QJsonArray locks;
    for (const record::RangeLock& each : report.locks)
        locks.append(QJsonObject{{u"kind"_s, each.lock.kind}, {u"database"_s, each.lock.database},
            {u"lock"_s, each.lock.name}, {u"sessions"_s, each.waiters}, {u"waits"_s, json(each.waits)}});
    QJsonArray holders;
    for (const record::RangeHolder& each : report.holders) {
        QJsonObject holder =
            json(record::RangeWait{each.lock, each.party, each.from, each.to, each.sightings});
        holder[u"made_wait_ms"_s] = ms(each.madeWait);
        holder[u"made_wait_directly_ms"_s] = ms(each.madeWaitDirectly);
        holder[u"blocked"_s] = each.blocked;
        holder[u"worst_at"_s] = toJson(std::optional(each.worstAt));
        holders.append(holder);
    }
    return {{u"from"_s, toJson(std::optional(report.from))}, {u"to"_s, toJson(std::optional(report.to))},
        {u"seen"_s, json(report.coverage)}, {u"notes"_s, QJsonArray::fromStringList(notesOf(report))},
        {u"waits"_s, json(report.waits)}, {u"locks"_s, locks}, {u"programs"_s, json(report.programs)},
        {u"users"_s, json(report.users)}, {u"statements"_s, statementsJson(report.statements)},
        {u"tables"_s, tablesJson(report.tables)}, {u"holders"_s, holders}};
}

QJsonObject comparisonJson(const record::RangeComparison& comparison)
{
    const auto range = [](const record::RangeReport& report) {
        return QJsonObject{{u"from"_s, toJson(std::optional(report.from))},
            {u"to"_s, toJson(std::optional(report.to))}, {u"seen"_s, json(report.coverage)}};
    };
    return {{u"before"_s, range(comparison.before)}, {u"after"_s, range(comparison.after)},
        {u"too_little"_s, comparison.tooLittle.isEmpty() ? QJsonValue() : QJsonValue(comparison.tooLittle)},
        {u"notes"_s, QJsonArray::fromStringList(notesOf(comparison))},
        {u"all"_s, json({comparison.all}, u"name"_s).first()},
        {u"locks"_s, json(comparison.locks, u"lock"_s)},
        {u"programs"_s, json(comparison.programs, u"program"_s)}};
}

} // namespace lockscope::ctl
