// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/SnapshotText.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkLocks.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingForest.h"
#include "core/domain/ContendedOrder.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SessionName.h"
#include "core/monitor/Figures.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using Fit = TextTable::Fit;

namespace {

constexpr int frameworkPlace = 5; ///< of a lock's framework: behind the resource

QString stateOf(const LockRequest& request)
{
    static constexpr QStringView words[] = {u"held", u"WAITS", u"CONVERTS"};
    return words[size_t(request.state)].toString();
}

QString ageText(const std::optional<Age>& age)
{
    return age ? age->toString() : u"?"_s;
}

// Statements keep to one line here; --json has them whole.
QString statementOf(const Session* session)
{
    if (!session)
        return {};
    return session->statementVisible ? printable(session->statement).simplified() : u"(hidden)"_s;
}

QString ageSince(ServerTime since, ServerTime now)
{
    if (!since.isValid())
        return u"?"_s;
    return formatDuration(std::chrono::duration_cast<milliseconds>(now - since));
}

/// Of those that wait below the node; the greatest time there is if nobody's is known.
ServerTime earliestWait(const BlockingNode& node)
{
    ServerTime earliest{std::numeric_limits<qint64>::max()};
    for (const BlockingNode& waiter : node.children)
        earliest = std::min({earliest, waiter.row.since.value_or(earliest), earliestWait(waiter)});
    return earliest;
}

template <class Row> QString nameOf(const Row& row)
{
    return row.name.isEmpty() ? u"(no name)"_s : printable(row.name);
}

} // namespace

SnapshotText::SnapshotText(const Snapshot& snapshot, int columns, bool colours, bool all)
    : m_snapshot(snapshot)
    , m_columns(columns)
    , m_colours(colours)
    , m_all(all)
{
}

bool SnapshotText::isShown(const LockRequest& request) const
{
    const Session* session = m_snapshot.session(request.session);
    return m_all || !session || !session->own;
}

/// Held locks are not counted at each look while nobody waits for one; when they were is said.
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
    return {printable(m_snapshot.server), m_snapshot.takenAt.toIsoString().left(19) + u'Z',
        u"holders %1, waiters %2, longest wait %3, stale %4"_s.arg(holders())
            .arg(figures.waiters)
            .arg(figures.waiters > 0 ? figures.longestWait.toString() : u"-"_s)
            .arg(figures.stale),
        u"(poll %1 ms, server %2 ms)"_s.arg(ms(m_snapshot.cost.roundTrip), ms(m_snapshot.cost.server))};
}

QString SnapshotText::inTone(const QString& heading) const
{
    const monitor::Figures figures = monitor::figuresOf(m_snapshot);
    const Tone tone = figures.waiters > 0 || figures.stale > 0 ? Tone::Warning : Tone::Bold;
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
    return m_choice.filter.isEmpty() || std::any_of(cells.begin(), cells.end(), [&](const QString& cell) {
        return cell.contains(m_choice.filter, Qt::CaseInsensitive);
    });
}

QStringList SnapshotText::locks() const
{
    const std::vector<quint32> contended = contendedOrder(m_snapshot);
    std::vector<size_t> place(m_snapshot.resources.size(), contended.size());
    for (size_t i = 0; i < contended.size(); ++i)
        place[contended[i]] = i;
    std::vector<const LockRequest*> rows;
    for (const LockRequest& request : m_snapshot.requests) {
        if (isShown(request))
            rows.push_back(&request);
    }
    std::ranges::stable_sort(rows, {}, [&](const LockRequest* request) { return place[request->resource]; });
    const bool areKnown = std::ranges::any_of(rows,
        [&](const LockRequest* request) { return m_snapshot.resourceOf(*request).framework != nullptr; });

    std::vector<TextTable::Column> columns{{u"STATE"_s}, {u"AGE"_s, Fit::Right}, {u"MODE"_s}, {u"KIND"_s},
        {u"RESOURCE"_s, Fit::Flexible}, {u"SESSION"_s, Fit::Right}, {u"USER"_s, Fit::Flexible},
        {u"PROGRAM"_s, Fit::Flexible}, {u"HOST"_s, Fit::Flexible}, {u"STATEMENT"_s, Fit::Flexible}};
    if (areKnown)
        columns.insert(columns.begin() + frameworkPlace, {u"FRAMEWORK"_s, Fit::Flexible});
    TextTable table(columns);
    for (const LockRequest* request : rows) {
        const Resource& resource = m_snapshot.resourceOf(*request);
        const Session* session = m_snapshot.session(request->session);
        const auto told = [session](QString Session::*field) {
            return session ? printable(session->*field) : QString();
        };
        QStringList cells{stateOf(*request), ageText(m_snapshot.ageOf(*request)), request->mode.name(),
            resourceKindName(resource.key.kind), printable(resource.name),
            printable(sessionName(m_snapshot, request->session)), told(&Session::user),
            told(&Session::program), told(&Session::host), statementOf(session)};
        if (areKnown)
            cells.insert(frameworkPlace,
                resource.framework ? printable(frameworkLockTitle(*resource.framework)) : QString());
        table.add(cells, request->isWaiting() ? Tone::Warning : Tone::Plain);
    }
    if (!table.isEmpty())
        return table.lines(m_columns, m_colours);
    // Nothing seen is nothing there only if everything could be looked at.
    return {m_snapshot.isIncomplete() ? u"No locks were seen, but not everything could be read:"_s
                                      : u"No locks."_s};
}

QStringList SnapshotText::entries() const
{
    if (m_snapshot.entries.empty() && m_snapshot.entryWaiters.empty())
        return {};
    const ServerTime now = m_snapshot.takenAt;
    const bool areKnown = !m_choice.brief
        && std::ranges::any_of(
            m_snapshot.entries, [](const LockTableEntry& entry) { return entry.framework != nullptr; });
    /// A name with all who hold it or wait for it.
    struct Group {
        QString name;
        ServerTime waitsSince; ///< of whoever waits longest; invalid: nobody
        std::vector<std::pair<QStringList, Tone>> rows;
    };
    std::vector<Group> groups;
    QHash<std::pair<QString, QString>, size_t> places;
    const auto groupOf = [&](const auto& row) -> Group& {
        const auto [place, isNew] = [&] {
            const auto found = places.constFind({row.table, row.name});
            if (found != places.cend())
                return std::pair(*found, false);
            places.insert({row.table, row.name}, groups.size());
            return std::pair(groups.size(), true);
        }();
        if (isNew)
            groups.push_back({row.name, {}, {}});
        return groups[place];
    };
    const auto cells = [&](const QString& state, const QString& age, const QString& lease, const auto& row) {
        QStringList all{state, age, lease, nameOf(row), printable(row.party.owner),
            printable(row.party.program), printable(row.party.host)};
        if (!m_choice.brief) {
            all.insert(4, printable(row.table));
            all << QString::number(row.party.processId);
        }
        return all;
    };
    const auto add = [](Group& group, const QStringList& row, Tone tone, const QString& badRow) {
        group.rows.emplace_back(row, tone);
        if (!badRow.isEmpty())
            group.rows.emplace_back(
                QStringList{QString(), QString(), QString(), u"bad row: "_s + printable(badRow)},
                Tone::Alarm);
    };
    for (const LockTableEntry& entry : m_snapshot.entries) {
        const bool stale = entry.isStale(now);
        QString lease;
        if (entry.expiresAt)
            lease = stale ? u"over "_s + ageSince(*entry.expiresAt, now) : ageSince(now, *entry.expiresAt);
        const QString state = entry.isBad() ? u"BAD ROW"_s
            : stale                         ? u"STALE"_s
            : entry.dependsOnZone           ? u"held?"_s
                                            : u"held"_s;
        QStringList row = cells(state, ageSince(entry.acquiredAt, now), lease, entry);
        if (!m_choice.brief)
            row << printable(entry.token);
        if (areKnown && entry.framework)
            row << printable(entry.framework->badge()) << verdictName(entry.holderLife.verdict)
                << printable(verdictInBrief(entry.holderLife));
        add(groupOf(entry), row, toneOf(entry, now), entry.badRow);
    }
    for (const LockTableWaiter& waiter : m_snapshot.entryWaiters) {
        const QString state = waiter.isBad() ? u"BAD ROW"_s
            : waiter.isExpired(now)          ? u"expired"_s
                                             : u"WAITS"_s;
        Group& group = groupOf(waiter);
        if (waiter.registeredAt.isValid()
            && (!group.waitsSince.isValid() || waiter.registeredAt < group.waitsSince))
            group.waitsSince = waiter.registeredAt;
        add(group, cells(state, ageSince(waiter.registeredAt, now), QString(), waiter), Tone::Warning,
            waiter.badRow);
    }
    if (m_choice.order == Order::Name)
        std::stable_sort(
            groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
    if (m_choice.order == Order::Wait)
        std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
            return a.waitsSince.isValid() && (!b.waitsSince.isValid() || a.waitsSince < b.waitsSince);
        });

    std::vector<TextTable::Column> columns{{u"STATE"_s}, {u"AGE"_s, Fit::Right}, {u"LEASE"_s, Fit::Right},
        {u"NAME"_s, Fit::Flexible}, {u"OWNER"_s, Fit::Flexible}, {u"PROGRAM"_s, Fit::Flexible},
        {u"HOST"_s, Fit::Flexible}};
    if (!m_choice.brief) {
        columns.insert(columns.begin() + 4, {u"TABLE"_s, Fit::Flexible});
        columns.push_back({u"PID"_s, Fit::Right});
        columns.push_back({u"TOKEN"_s});
    }
    if (areKnown) {
        columns.push_back({u"FRAMEWORK"_s, Fit::Flexible});
        columns.push_back({u"VERDICT"_s});
        columns.push_back({u"EVIDENCE"_s, Fit::Flexible});
    }
    TextTable table(columns);
    for (const Group& group : groups) {
        const bool isShown = std::any_of(
            group.rows.begin(), group.rows.end(), [&](const auto& row) { return isChosen(row.first); });
        if (!isShown)
            continue;
        for (const auto& [row, tone] : group.rows)
            table.add(row, tone);
    }
    return table.isEmpty() ? QStringList() : table.lines(m_columns, m_colours);
}

std::vector<BlockingNode> SnapshotText::chains() const
{
    std::vector<BlockingNode> forest = blockingForest(m_snapshot);
    if (!m_choice.filter.isEmpty())
        forest = matchingPart(forest, [&](const BlockingRow& row) { return isChosen({describe(row)}); });
    if (m_choice.order == Order::Name)
        std::stable_sort(forest.begin(), forest.end(),
            [](const BlockingNode& a, const BlockingNode& b) { return a.row.key.id < b.row.key.id; });
    if (m_choice.order == Order::Wait)
        std::stable_sort(forest.begin(), forest.end(),
            [](const BlockingNode& a, const BlockingNode& b) { return earliestWait(a) < earliestWait(b); });
    return forest;
}

QStringList SnapshotText::blocking() const
{
    QStringList lines;
    for (const auto& ring : m_snapshot.blocking().cycles()) {
        QStringList names;
        for (const SessionId session : ring)
            names << printable(sessionName(m_snapshot, session));
        for (const QString& line :
            wrapped(u"Deadlock: %1 wait for each other."_s.arg(names.join(u", "_s)), m_columns))
            lines << toned(line, Tone::Alarm, m_colours);
    }
    const auto add = [&](const BlockingNode& node, qsizetype level, const auto& self) -> void {
        const QString text = QString(level * 2, u' ') + describe(node.row);
        lines << toned(
            m_columns > 0 ? fitted(text, m_columns) : text, level == 0 ? Tone::Bold : Tone::Plain, m_colours);
        for (const BlockingNode& waiter : node.children)
            self(waiter, level + 1, self);
    };
    for (const BlockingNode& root : chains())
        add(root, 0, add);
    if (!lines.isEmpty())
        return lines;
    if (!m_choice.filter.isEmpty())
        return wrapped(
            u"Nobody who waits for a lock, or is waited for, has \"%1\"."_s.arg(printable(m_choice.filter)),
            m_columns);
    return wrapped(m_snapshot.isIncomplete()
            ? u"Nobody was seen waiting for a lock, but not everything could be read:"_s
            : u"Nobody waits for a lock."_s,
        m_columns);
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
    const auto add = [&](const QStringList& parts) {
        const QString text = u"Note: "_s + sentences(parts);
        for (const QString& line : wrapped(printable(text).trimmed(), m_columns))
            lines << toned(line, Tone::Dim, m_colours);
    };
    for (const Limitation& limitation : m_snapshot.limitations)
        add({limitation.what, limitation.remedy});
    for (const UnreadTable& table : m_snapshot.unreadTables)
        add({u"%1 is not read, though it looks like a table of %2"_s.arg(
                 table.display(), table.framework ? table.framework->frameworkName : u"a framework"_s),
            table.reason, approvalText(table)});
    return lines;
}

} // namespace lockscope::ctl
