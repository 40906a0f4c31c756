// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/FrameworkProbe.h"

#include "core/base/Sentences.h"

#include <QSet>

#include <algorithm>
#include <array>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

using frameworks::FoundTable;
using frameworks::RowLocks;

constexpr std::chrono::seconds lookAgainAfterFailure{5};
constexpr std::chrono::seconds lastLookAgainAfterFailure{60}; // it may be the look itself that takes too long
constexpr std::chrono::seconds firstLookAgain{60};
constexpr std::chrono::seconds lastLookAgain{600};
constexpr std::chrono::seconds pauseAfterFailure{30};

/// Else it is the table, or the way to it, that can't be read.
bool mayBeAValue(const Error& error)
{
    return error.kind == ErrorKind::Server || error.kind == ErrorKind::BadInput;
}

/// "The attached table dbo.Locks", "The table public.shedlock (ShedLock)".
QString called(const FoundTable& found)
{
    return found.isAttached ? u"The attached table "_s + found.shown
                            : u"The table %1 (%2)"_s.arg(found.shown, found.framework->name);
}

/// Names that several rows of a table share get what tells the rows apart.
void makeUnique(std::vector<LockTableEntry>& entries, const QStringList& compare)
{
    QHash<QString, int> counts;
    for (const LockTableEntry& entry : entries)
        ++counts[entry.name];
    QSet<QString> used;
    for (LockTableEntry& entry : entries) {
        if (counts.value(entry.name) > 1 && !entry.stored.isEmpty())
            entry.name += u" (%1 %2)"_s.arg(compare.front(), entry.stored.front());
        const QString name = entry.name;
        for (int number = 2; used.contains(entry.name); ++number)
            entry.name = u"%1 #%2"_s.arg(name, QString::number(number));
        used.insert(entry.name);
    }
}

} // namespace

FrameworkProbe::FrameworkProbe(db::Connection& connection, const db::ServerProfile& profile)
    : m_connection(connection)
    , m_dialect(connection.dialect())
    , m_search(m_dialect, frameworks::catalogue(), profile)
    , m_recogniser(connection.engine(), frameworks::catalogue())
    , m_lookAgainAfter(firstLookAgain)
{
}

std::vector<db::BatchItem> FrameworkProbe::lookRound()
{
    m_looked = Clock::now();
    return m_search.items();
}

void FrameworkProbe::judgeLookRound(std::span<const Result<qint64>> results)
{
    m_lookFailure.reset();
    for (const Result<qint64>& result : results) {
        if (!result && !m_lookFailure)
            m_lookFailure = result.error();
    }
    m_lookAfterFailure = m_lookFailure
        ? std::clamp(2 * m_lookAfterFailure, lookAgainAfterFailure, lastLookAgainAfterFailure)
        : std::chrono::seconds(0);
    // What was there a while ago is there still, as far as we know: its locks don't disappear.
    if (m_lookFailure && m_hasLooked)
        return;
    m_hasLooked = !m_lookFailure;
    take();
}

void FrameworkProbe::take()
{
    m_readings.clear();
    m_asked.clear();
    for (const frameworks::FoundTablePtr& table : m_search.found()) {
        const FrameworkMatchPtr match = matchOf(*table);
        m_readings.push_back({table, RowLocks(m_dialect, table, match),
            RowLocks(m_dialect, table, match, RowLocks::Times::WithoutTimes), {}, {}, {}, {}});
    }
    m_missing = m_search.missing();
    m_recogniser.setFacts(m_search.facts());
}

void FrameworkProbe::setReadsRows(bool reads)
{
    if (reads && !m_readsRows)
        m_lookAgainAfter = firstLookAgain;
    m_readsRows = reads;
}

bool FrameworkProbe::isRead(const Reading& reading) const
{
    return (reading.table->isAttached || m_readsRows)
        && reading.table->access == FoundTable::Access::Readable;
}

bool FrameworkProbe::isTimeToLookRound() const
{
    const auto since = Clock::now() - m_looked;
    if (m_lookFailure) // attached tables may not be read either
        return since >= m_lookAfterFailure;
    return (m_readsRows || !m_missing.isEmpty()) && since >= m_lookAgainAfter;
}

db::BatchItem FrameworkProbe::itemFor(Reading& reading, const RowLocks& rows) const
{
    return {&rows.statement(), rows.params(),
        [&reading, &rows](const db::Row& row) { reading.read.push_back(rows.read(row)); }};
}

void FrameworkProbe::addTo(std::vector<db::BatchItem>& items)
{
    m_asked.clear();
    const auto now = Clock::now();
    for (Reading& reading : m_readings) {
        reading.read.clear();
        if (!isRead(reading) || (reading.pausedFor && now < reading.pausedUntil))
            continue;
        reading.pausedFor.reset();
        items.push_back(itemFor(reading, reading.inUse()));
        m_asked.push_back(&reading);
    }
    m_looks = isTimeToLookRound();
    if (!m_looks)
        return;
    m_lookAgainAfter = std::min(2 * m_lookAgainAfter, lastLookAgain);
    for (db::BatchItem& item : lookRound())
        items.push_back(std::move(item));
}

void FrameworkProbe::judge(std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask)
{
    for (size_t i = 0; i < m_asked.size(); ++i) {
        if (!results[i])
            judge(*m_asked[i], results[i].error(), snapshot, ask);
    }
    limit(snapshot);
    if (!m_looks)
        return;
    // The rows of this poll are taken over; what was found counts from the next one on.
    std::vector<Reading> old = m_readings;
    judgeLookRound(results.subspan(m_asked.size()));
    if (m_lookFailure && m_hasLooked) // nothing was taken
        return;
    for (Reading& reading : old) {
        const auto same = std::find_if(m_readings.begin(), m_readings.end(), [&](const Reading& one) {
            return one.table->shown == reading.table->shown && one.table->lock->id == reading.table->lock->id
                && one.table->framework->id == reading.table->framework->id;
        });
        if (same != m_readings.end()) {
            same->read = std::move(reading.read);
            same->pausedFor = reading.pausedFor;
            same->pausedUntil = reading.pausedUntil;
        }
    }
}

void FrameworkProbe::judge(Reading& reading, const Error& error, Snapshot& snapshot, const Ask& ask)
{
    reading.read.clear();
    m_lookAgainAfter = firstLookAgain; // perhaps the table is another one by now
    if (error.kind == ErrorKind::Timeout && pause(reading, error))
        return; // told with the others that are paused
    if (reading.badValue || !mayBeAValue(error)) {
        snapshot.limitations.push_back(failureOf(*reading.table, error));
        return;
    }
    const std::array items{itemFor(reading, reading.withoutTimes)};
    const auto results = ask(items);
    ++snapshot.cost.roundTrips;
    if (results.front()) {
        snapshot.cost.rows += *results.front();
        reading.badValue = error;
        return;
    }
    reading.read.clear();
    if (!pause(reading, error)) // else each poll would ask twice
        snapshot.limitations.push_back(failureOf(*reading.table, error));
}

/// What a person attached is asked for each time.
bool FrameworkProbe::pause(Reading& reading, const Error& error)
{
    if (reading.table->isAttached)
        return false;
    reading.pausedFor = error;
    reading.pausedUntil = Clock::now() + pauseAfterFailure;
    return true;
}

/// What is known of the tables beside this poll's failures.
void FrameworkProbe::limit(Snapshot& snapshot) const
{
    const auto add = [&snapshot](
                         Limitation limitation) { snapshot.limitations.push_back(std::move(limitation)); };
    if (m_lookFailure)
        add({Limitation::Kind::Failed,
            asSentence(u"Which frameworks keep locks here can't be found out: "_s + m_lookFailure->detail),
            m_lookFailure->hint});
    for (const db::AttachedTable& table : m_lookFailure ? QList<db::AttachedTable>() : m_missing)
        add({Limitation::Kind::Failed,
            u"The attached table %1 can't be read: it is not there, or lacks a column."_s.arg(
                table.display()),
            u"Check the names of schema, table and columns in the server's settings."_s});
    for (const Reading& reading : m_readings) {
        const FoundTable& table = *reading.table;
        if (table.access == FoundTable::Access::NotTrusted)
            snapshot.unreadTables.push_back({reading.rows.match(), table.table.names->schema,
                table.table.names->table, table.table.owner, table.whyNot, !table.table.hidesRows});
        if (table.access == FoundTable::Access::Forbidden && (table.isAttached || m_readsRows))
            add(forbidden(table));
        if (!isRead(reading))
            continue;
        if (reading.pausedFor)
            add(failureOf(table, *reading.pausedFor));
        else if (reading.badValue)
            add({Limitation::Kind::Failed,
                asSentence((table.isAttached ? u"Times of the attached table %1 can't be read: %2"_s
                                             : u"Times of the table %1 can't be read: %2"_s)
                               .arg(table.shown, reading.badValue->detail)),
                reading.badValue->hint});
        if (const qint64 rows = reading.read.empty() ? 0 : reading.read.front().rows;
            rows > reading.rows.limit())
            add({Limitation::Kind::CappedRows,
                u"Showing %1 of %2 locks in the rows of %3."_s.arg(reading.rows.limit())
                    .arg(rows)
                    .arg(table.shown),
                {}, reading.rows.limit(), rows});
    }
}

Limitation FrameworkProbe::forbidden(const FoundTable& table) const
{
    const LockRowTable& names = *table.table.names;
    const QString role = m_dialect.quoted(m_role);
    QString grant = u"GRANT SELECT ON %1 TO %2;"_s.arg(m_dialect.quoted(names.schema, names.table), role);
    if (table.table.rightTo(frameworks::columnsRead(table.row()))
        == frameworks::DatabaseTable::Right::NoSchema)
        grant = u"GRANT USAGE ON SCHEMA %1 TO %2; "_s.arg(m_dialect.quoted(names.schema), role) + grant;
    // Whoever attaches a table wants to see it; that a framework's is closed to us is usual.
    return {Limitation::Kind::MissingPermission, called(table) + u" can't be read by this role."_s, grant, 0,
        0, table.isAttached};
}

Limitation FrameworkProbe::failureOf(const FoundTable& table, const Error& error) const
{
    if (error.kind == ErrorKind::Permission)
        return forbidden(table);
    const QString what = asSentence(u"%1 can't be read: %2"_s.arg(called(table), error.detail));
    if (error.kind == ErrorKind::MissingObject && table.isAttached)
        return {Limitation::Kind::Failed, what,
            u"Check the names of schema, table and columns in the server's settings."_s};
    return {Limitation::Kind::Failed, what, error.hint};
}

void FrameworkProbe::addEntries(Reading& reading, Snapshot& snapshot, SessionsSeen seen) const
{
    std::vector<LockTableEntry> entries;
    for (frameworks::RowLock& lock : reading.read) {
        if (!lock.isHeld(snapshot.takenAt))
            continue;
        lock.entry.holderLife = holderLife(lock.signs, snapshot.sessions, seen, snapshot.takenAt);
        if (HolderLife& life = lock.entry.holderLife;
            m_search.isCopy() && life.state == HolderLife::State::Gone)
            life = {HolderLife::State::Unknown,
                life.reason
                    + u"; but this database is a copy, and its holder's sessions are at the original"_s};
        entries.push_back(std::move(lock.entry));
    }
    reading.read.clear();
    if (!reading.table->isAttached)
        makeUnique(entries, reading.table->row().compare);
    std::move(entries.begin(), entries.end(), std::back_inserter(snapshot.entries));
}

void FrameworkProbe::finish(Snapshot& snapshot, SessionsSeen seen)
{
    snapshot.frameworkRows = m_readsRows;
    for (Reading& reading : m_readings)
        addEntries(reading, snapshot, seen);
    m_recogniser.recognise(snapshot);
}

} // namespace lockscope::monitor
