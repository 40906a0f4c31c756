// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/SnapshotText.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/Recordings.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/SqlLexer.h"
#include "core/domain/Thresholds.h"
#include "core/monitor/History.h"
#include "core/report/Report.h"
#include "core/report/SnapshotTables.h"
#include "core/report/Writer.h"

#include <QHash>

#include <algorithm>
#include <limits>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QString ageSince(ServerTime since, ServerTime now)
{
    if (!since.isValid())
        return u"?"_s;
    return formatDuration(std::chrono::duration_cast<milliseconds>(now - since));
}

/// Returns the earliest start of a wait below the node; the greatest time there is if none is known.
ServerTime earliestWait(const BlockingNode& node)
{
    ServerTime earliest{std::numeric_limits<qint64>::max()};
    for (const BlockingNode& waiter : node.children)
        earliest = std::min({earliest, waiter.row.since.value_or(earliest), earliestWait(waiter)});
    return earliest;
}

} // namespace

milliseconds longRunning()
{
    static const milliseconds read = loadThresholds().hold.amber;
    return read;
}

SnapshotText::SnapshotText(const Snapshot& snapshot, int columns, bool colours)
    : m_snapshot(snapshot)
    , m_columns(columns)
    , m_colours(colours)
{
}

/// Held locks are not counted in each poll while nobody waits for one; the text says when they were.
QString SnapshotText::holders() const
{
    const Snapshot* const counted = m_snapshot.locksRead ? &m_snapshot : m_counted;
    if (!counted)
        return u"not read"_s;
    const QString count = QString::number(monitor::figuresOf(*counted).holders);
    return m_snapshot.locksRead
        ? count
        : u"%1 (%2 ago)"_s.arg(
            count, durationInWords(std::chrono::floor<milliseconds>(m_snapshot.takenAt - counted->takenAt)));
}

QStringList SnapshotText::headingParts() const
{
    const monitor::Figures figures = monitor::figuresOf(m_snapshot);
    const auto ms = [](microseconds time) { return QString::number(double(time.count()) / 1'000, 'f', 1); };
    return {printable(m_snapshot.server), report::timeText(m_snapshot.takenAt),
        u"holders %1, waiters %2, longest wait %3, stale %4"_s.arg(holders())
            .arg(figures.waiters)
            .arg(figures.waiters > 0 ? figures.longestWait.toString() : u"-"_s)
            .arg(figures.stale),
        u"(poll %1 ms, server %2 ms)"_s.arg(ms(m_snapshot.cost.roundTrip), ms(m_snapshot.cost.server))};
}

QString SnapshotText::inTone(const QString& heading) const
{
    const monitor::Figures figures = monitor::figuresOf(m_snapshot);
    const TextTone tone = figures.waiters > 0 || figures.stale > 0 ? TextTone::Warning : TextTone::Bold;
    return toned(m_columns > 0 ? fitted(heading, m_columns) : heading, tone, m_colours);
}

QString SnapshotText::heading() const
{
    return inTone(headingParts().join(u"  "_s));
}

QStringList SnapshotText::headingLines() const
{
    QStringList lines;
    QString line;
    for (const QString& part : headingParts()) {
        if (!line.isEmpty() && m_columns > 0 && displayWidth(line) + 2 + displayWidth(part) > m_columns)
            lines << inTone(std::exchange(line, QString()));
        line += line.isEmpty() ? part : u"  "_s + part;
    }
    return lines << inTone(line);
}

bool SnapshotText::isChosen(const QStringList& cells) const
{
    return m_choice.filter.isEmpty() || std::ranges::any_of(cells, [&](const QString& cell) {
        return cell.contains(m_choice.filter, Qt::CaseInsensitive);
    });
}

QStringList SnapshotText::entries() const
{
    report::Section section = report::entriesSection(m_snapshot);
    static const QStringList wide{
        u"table"_s, u"process_id"_s, u"token"_s, u"framework"_s, u"verdict"_s, u"evidence"_s};
    for (report::Column& each : section.columns)
        if (m_choice.brief && wide.contains(each.key))
            each.shown = report::Shown::OnRequest;
    /// A name with all who hold it or wait for it.
    struct Group {
        ServerTime waitsSince; ///< of the session that waits longest; the greatest there is: nobody
        std::vector<report::ReportRow> rows{};
        QString name() const { return std::get<QString>(rows.front().cells[3].data); }
    };
    std::vector<Group> groups;
    for (report::ReportRow& row : section.rows) {
        if (groups.empty() || groups.back().rows.front().key != row.key)
            groups.push_back({.waitsSince = {std::numeric_limits<qint64>::max()}});
        if (row.rowTime && row.rowTime->isValid())
            groups.back().waitsSince = std::min(groups.back().waitsSince, *row.rowTime);
        groups.back().rows.push_back(std::move(row));
    }
    section.rows.clear();
    section.title.clear();
    if (m_choice.order == Order::Name)
        std::ranges::stable_sort(groups, {}, &Group::name);
    if (m_choice.order == Order::Wait)
        std::ranges::stable_sort(groups, {}, &Group::waitsSince);
    for (Group& group : groups) {
        const bool isShown = std::ranges::any_of(group.rows, [&](const report::ReportRow& row) {
            QStringList cells;
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                if (section.columns[i].shown == report::Shown::Always)
                    cells << shownText(section.columns[i], row.cells[i]);
            return isChosen(cells);
        });
        if (isShown)
            std::ranges::move(group.rows, std::back_inserter(section.rows));
    }
    const QString text = rendered(
        {.sections = {std::move(section)}}, report::Form::Text, {.width = m_columns, .colours = m_colours});
    return text.split(u'\n', Qt::SkipEmptyParts);
}

const std::vector<BlockingNode>& SnapshotText::chains() const
{
    if (!m_chains)
        m_chains = sortedChains();
    return *m_chains;
}

std::vector<BlockingNode> SnapshotText::sortedChains() const
{
    std::vector<BlockingNode> forest = blockingForest(m_snapshot, longRunning());
    if (!m_choice.filter.isEmpty())
        forest = matchingPart(forest, [&](const BlockingRow& row) { return isChosen({describe(row)}); });
    if (m_choice.order == Order::Name)
        std::ranges::stable_sort(
            forest, [](const BlockingNode& a, const BlockingNode& b) { return a.row.key.id < b.row.key.id; });
    if (m_choice.order == Order::Wait)
        std::ranges::stable_sort(forest,
            [](const BlockingNode& a, const BlockingNode& b) { return earliestWait(a) < earliestWait(b); });
    return forest;
}

QStringList SnapshotText::blocking() const
{
    QStringList lines;
    for (const QString& ring : report::ringTexts(m_snapshot))
        for (const QString& line : wrapped(printable(ring), m_columns))
            lines << toned(line, TextTone::Alarm, m_colours);
    for (const BlockingNode& root : chains()) {
        if (m_choice.selected && *m_choice.selected != root.row.key)
            continue;
        if (m_choice.selected)
            for (const QString& line :
                wrapped(u"What resolves it: "_s + printable(root.row.diagnosis.remedy), m_columns))
                lines << toned(line, TextTone::Dim, m_colours);
        addChain(lines, root, 0);
    }
    if (!lines.isEmpty())
        return lines;
    if (!m_choice.filter.isEmpty())
        return wrapped(u"No session that waits for a lock, or blocks others, matches \"%1\"."_s.arg(
                           printable(m_choice.filter)),
            m_columns);
    return wrapped(report::blockingSection(m_snapshot).whenEmpty, m_columns);
}

void SnapshotText::addChain(QStringList& lines, const BlockingNode& node, qsizetype level) const
{
    const auto add = [&](qsizetype indent, const QString& text, TextTone tone) {
        const QString line = QString(indent * 2, u' ') + text;
        lines << toned(m_columns > 0 ? fitted(line, m_columns) : line, tone, m_colours);
    };
    add(level, describe(node.row), level == 0 ? TextTone::Bold : TextTone::Plain);
    constexpr int maxAlike = 3;
    struct Alike {
        int count = 0;
        int shown = 0;
    };
    QHash<QString, Alike> kinds;
    const bool folds = m_choice.folds && m_choice.filter.isEmpty(); // what a filter finds is shown
    for (const BlockingNode& waiter : node.children)
        if (folds && waiter.children.empty())
            ++kinds[kindOf(waiter)].count;
    for (const BlockingNode& waiter : node.children) {
        Alike* const alike = folds && waiter.children.empty() ? &kinds[kindOf(waiter)] : nullptr;
        const int left = alike ? alike->count - maxAlike : 0;
        if (!alike || left < 2 || ++alike->shown <= maxAlike)
            addChain(lines, waiter, level + 1);
        else if (alike->shown == maxAlike + 1)
            add(level + 1, u"… and %1 more like this"_s.arg(left), TextTone::Dim);
    }
}

/// Returns what two waiters of one blocker have in common if one of them stands for both: program, user, what
/// they wait for, and the statement but for its values.
QString SnapshotText::kindOf(const BlockingNode& node) const
{
    const BlockingRow& row = node.row;
    const Session* const session = m_snapshot.session(row.key.id);
    return QStringList{session ? session->user : QString(), row.program,
        row.mode ? row.mode->name() : QString(), row.table.isEmpty() ? row.target : row.table, row.alsoBehind,
        withoutLiterals(row.statement, m_snapshot.engine)}
        .join(QChar::Null);
}

QString SnapshotText::advice(const BlockingRow& row) const
{
    const Session* const session = m_snapshot.session(row.key.id);
    const QString whom =
        session && row.key.id.value < 0 ? session->unitOfWork : QString::number(row.key.id.value);
    switch (cureOf(row.diagnosis.kind, m_snapshot.engine)) {
    case Cure::CancelStatement:
        return m_choice.hasKeys ? u"c cancel statement"_s : u"end-session %1 --cancel"_s.arg(whom);
    case Cure::EndSession:
        return m_choice.hasKeys ? u"e end session"_s : u"end-session %1"_s.arg(whom);
    case Cure::EndPrepared:
        return u"COMMIT or ROLLBACK PREPARED"_s;
    case Cure::GetRights:
        return u"check (a GRANT is missing)"_s;
    case Cure::Wait:
        break;
    }
    return u"wait"_s;
}

QStringList SnapshotText::heads() const
{
    if (chains().empty())
        return {};
    const bool marks = m_choice.selected.has_value();
    TextTable table({{marks ? u"  HEAD"_s : u"HEAD"_s, TextTable::Fit::Flexible},
        {u"PROGRAM"_s, TextTable::Fit::Flexible}, {u"BLOCKS"_s, TextTable::Fit::Right},
        {u"LONGEST"_s, TextTable::Fit::Right}, {u"STATE"_s}, {u"ADVICE"_s}});
    for (const BlockingNode& root : chains()) {
        const BlockingRow& row = root.row;
        const bool isSelected = m_choice.selected == row.key;
        const Session* const session = m_snapshot.session(row.key.id);
        const QString state = m_snapshot.blocking().inCycle(row.key.id) ? u"deadlock"_s
            : session                                                   ? sessionStateName(session->state)
                                                                        : u"not seen"_s;
        const ServerTime longest = earliestWait(root);
        table.add({(!marks              ? QString()
                           : isSelected ? u"> "_s
                                        : u"  "_s)
                          + printable(row.name),
                      printable(row.program), QString::number(row.harm.victims),
                      row.isHead() ? row.harm.longest().toString() : ageSince(longest, m_snapshot.takenAt),
                      state, advice(row)},
            isSelected ? TextTone::Bold : TextTone::Plain);
    }
    const int blocked = countOf(chains()) - int(chains().size());
    const QString title = u"%1, %2 blocked%3"_s.arg(counted(qint64(chains().size()), u"head blocker"),
        counted(blocked, u"session"), m_choice.hasKeys ? QString() : u". Advice is a command of lockctl:"_s);
    return QStringList{toned(title, TextTone::Bold, m_colours)} + table.lines(m_columns, m_colours);
}

std::vector<SessionKey> SnapshotText::headKeys() const
{
    std::vector<SessionKey> keys;
    for (const BlockingNode& root : chains())
        keys.push_back(root.row.key);
    return keys;
}

QString SnapshotText::describe(const BlockingRow& row) const
{
    const Session* session = m_snapshot.session(row.key.id);
    QString text = whoIs(row.key.id);
    if (!row.isHead()) {
        text += u"  waits %1 for %2 on %3"_s.arg(row.since
                ? Age{std::chrono::floor<milliseconds>(m_snapshot.takenAt - *row.since), row.sinceExact}
                      .toString()
                : u"?"_s,
            row.mode ? row.mode->name() : u"a lock"_s, printable(row.target));
        if (!row.alsoBehind.isEmpty())
            text += u", also behind "_s + printable(row.alsoBehind);
    }
    if (row.harm.victims > 0)
        text += u"  blocks %1"_s.arg(row.harm.victims);
    if (row.isHead()) {
        if (const QString inherited = inheritedText(row.harm); !inherited.isEmpty())
            text += u", "_s + inherited;
        text += u", longest "_s + row.harm.longest().toString();
        if (row.harm.joined > 0)
            text += u", +%1 in a minute"_s.arg(row.harm.joined);
    }
    if (!session)
        return text;
    const QString statement =
        session->statementVisible ? printable(session->statement).simplified() : QString();
    if (!row.isHead())
        return statement.isEmpty() ? text : text + u"  "_s + statement;
    text += u"  "_s + sessionStateName(session->state);
    if (session->stateSince)
        text += u' ' + ageSince(*session->stateSince, m_snapshot.takenAt);
    if (!statement.isEmpty())
        text += u": "_s + statement;
    // Often the same; else the call that the statement is a part of.
    const QString sent = printable(session->inputBuffer).simplified();
    return sent.isEmpty() || sent == printable(session->statement).simplified() ? text
                                                                                : text + u"  sent: "_s + sent;
}

QString SnapshotText::whoIs(SessionId id) const
{
    const Session* session = m_snapshot.session(id);
    QString text = printable(sessionName(m_snapshot, id));
    if (isPrepared(m_snapshot, id))
        return text;
    if (!session)
        return text + u"  (not seen)"_s;
    text += u"  "_s + printable(session->user);
    if (!session->host.isEmpty())
        text += u'@' + printable(session->host);
    if (!session->program.isEmpty())
        text += u"  "_s + printable(session->program);
    return text;
}

QStringList SnapshotText::limitations() const
{
    QStringList lines;
    for (const QString& text : limitationTexts(m_snapshot))
        for (const QString& line : wrapped(printable(text).trimmed(), m_columns))
            lines << toned(line, TextTone::Dim, m_colours);
    return lines;
}

QStringList limitationTexts(const Snapshot& snapshot)
{
    QStringList texts;
    for (const Limitation& limitation : snapshot.limitations)
        texts << u"Note: "_s + sentences({limitation.what, limitation.remedy});
    for (const UnreadTable& table : snapshot.unreadTables)
        texts << u"Note: "_s
                + sentences({u"%1 is not read, though it looks like a table of %2"_s.arg(table.display(),
                                 table.framework ? table.framework->frameworkName : u"a framework"_s),
                    table.reason, approvalText(table)});
    return texts;
}

} // namespace lockscope::ctl
