// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/SnapshotText.h"

#include "app/lockctl/TextTable.h"
#include "core/base/Duration.h"
#include "core/domain/BlockingForest.h"
#include "core/domain/ContendedOrder.h"
#include "core/domain/SessionName.h"
#include "core/monitor/Figures.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using Fit = TextTable::Fit;

namespace {

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

QString SnapshotText::heading() const
{
    const monitor::Figures figures = monitor::figuresOf(m_snapshot);
    const auto ms = [](microseconds time) { return QString::number(double(time.count()) / 1'000, 'f', 1); };
    const QString text =
        u"%1  %2  holders %3, waiters %4, longest wait %5, stale %6  (poll %7 ms, server %8 ms)"_s
            .arg(printable(m_snapshot.server), m_snapshot.takenAt.toIsoString().left(19) + u'Z')
            .arg(figures.holders)
            .arg(figures.waiters)
            .arg(figures.waiters > 0 ? figures.longestWait.toString() : u"-"_s)
            .arg(figures.stale)
            .arg(ms(m_snapshot.cost.roundTrip), ms(m_snapshot.cost.server));
    const Tone tone = figures.waiters > 0 || figures.stale > 0 ? Tone::Warning : Tone::Bold;
    return toned(m_columns > 0 ? fitted(text, m_columns) : text, tone, m_colours);
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

    TextTable table({{u"STATE"_s}, {u"AGE"_s, Fit::Right}, {u"MODE"_s}, {u"KIND"_s},
        {u"RESOURCE"_s, Fit::Flexible}, {u"SESSION"_s, Fit::Right}, {u"USER"_s, Fit::Flexible},
        {u"PROGRAM"_s, Fit::Flexible}, {u"HOST"_s, Fit::Flexible}, {u"STATEMENT"_s, Fit::Flexible}});
    for (const LockRequest* request : rows) {
        const Resource& resource = m_snapshot.resourceOf(*request);
        const Session* session = m_snapshot.session(request->session);
        const auto told = [session](QString Session::*field) {
            return session ? printable(session->*field) : QString();
        };
        table.add({stateOf(*request), ageText(m_snapshot.ageOf(*request)), request->mode.name(),
                      resourceKindName(resource.key.kind), printable(resource.name),
                      printable(sessionName(m_snapshot, request->session)), told(&Session::user),
                      told(&Session::program), told(&Session::host), statementOf(session)},
            request->isWaiting() ? Tone::Warning : Tone::Plain);
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
    TextTable table({{u"STATE"_s}, {u"AGE"_s, Fit::Right}, {u"LEASE"_s, Fit::Right},
        {u"NAME"_s, Fit::Flexible}, {u"TABLE"_s, Fit::Flexible}, {u"OWNER"_s, Fit::Flexible},
        {u"PROGRAM"_s, Fit::Flexible}, {u"HOST"_s, Fit::Flexible}, {u"PID"_s, Fit::Right}, {u"TOKEN"_s}});
    QSet<std::pair<QString, QString>> held;
    const auto addWhy = [&table](const QString& badRow) {
        if (!badRow.isEmpty())
            table.add({QString(), QString(), QString(), u"bad row: "_s + printable(badRow)}, Tone::Alarm);
    };
    const auto addWaiter = [&](const LockTableWaiter& waiter) {
        table.add({waiter.isBad()                 ? u"BAD ROW"_s
                          : waiter.isExpired(now) ? u"expired"_s
                                                  : u"WAITS"_s,
                      ageSince(waiter.registeredAt, now), QString(), nameOf(waiter), printable(waiter.table),
                      printable(waiter.party.owner), printable(waiter.party.program),
                      printable(waiter.party.host), QString::number(waiter.party.processId)},
            Tone::Warning);
        addWhy(waiter.badRow);
    };
    for (const LockTableEntry& entry : m_snapshot.entries) {
        const bool stale = entry.isStale(now);
        QString lease;
        if (entry.expiresAt)
            lease = stale ? u"over "_s + ageSince(*entry.expiresAt, now) : ageSince(now, *entry.expiresAt);
        table.add(
            {entry.isBad()  ? u"BAD ROW"_s
                    : stale ? u"STALE"_s
                            : u"held"_s,
                ageSince(entry.acquiredAt, now), lease, nameOf(entry), printable(entry.table),
                printable(entry.party.owner), printable(entry.party.program), printable(entry.party.host),
                QString::number(entry.party.processId), printable(entry.token)},
            stale || entry.isBad() ? Tone::Alarm : Tone::Plain);
        addWhy(entry.badRow);
        held.insert({entry.table, entry.name});
        for (const LockTableWaiter& waiter : m_snapshot.entryWaiters) {
            if (waiter.table == entry.table && waiter.name == entry.name)
                addWaiter(waiter);
        }
    }
    for (const LockTableWaiter& waiter : m_snapshot.entryWaiters) {
        if (!held.contains({waiter.table, waiter.name}))
            addWaiter(waiter);
    }
    return table.lines(m_columns, m_colours);
}

QStringList SnapshotText::blocking() const
{
    QStringList lines;
    for (const auto& ring : m_snapshot.blocking().cycles()) {
        QStringList names;
        for (const SessionId session : ring)
            names << printable(sessionName(m_snapshot, session));
        lines << toned(
            u"Deadlock: %1 wait for each other."_s.arg(names.join(u", "_s)), Tone::Alarm, m_colours);
    }
    const auto add = [&](const BlockingNode& node, qsizetype level, const auto& self) -> void {
        const QString text = QString(level * 2, u' ') + describe(node.row);
        lines << toned(
            m_columns > 0 ? fitted(text, m_columns) : text, level == 0 ? Tone::Bold : Tone::Plain, m_colours);
        for (const BlockingNode& waiter : node.children)
            self(waiter, level + 1, self);
    };
    for (const BlockingNode& root : blockingForest(m_snapshot))
        add(root, 0, add);
    if (lines.isEmpty())
        lines << (m_snapshot.isIncomplete()
                ? u"Nobody was seen waiting for a lock, but not everything could be read:"_s
                : u"Nobody waits for a lock."_s);
    return lines;
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
        text += u", longest "_s + formatDuration(row.harm.longestWait);
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
    for (const Limitation& limitation : m_snapshot.limitations) {
        const QString text = u"Note: "_s + limitation.what + u' ' + limitation.remedy;
        lines << toned(printable(text).trimmed(), Tone::Dim, m_colours);
    }
    return lines;
}

} // namespace lockscope::ctl
