// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/FrameworkProbe.h"

#include "core/base/Sentences.h"
#include "core/monitor/ServerCheck.h"

#include <QSet>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using frameworks::ProgramZone;
using frameworks::RowLock;

namespace {

constexpr qsizetype maxHeld = 10'000; ///< remembered of a table; with more of them all are forgotten
constexpr int renewalsThatTell = 2;
/// Between two polls that are further apart too much may have happened for a lock's taking to be seen …
constexpr std::chrono::minutes maxBetween{5};
/// … or for a session's end to prove what it was doing.
constexpr std::chrono::seconds maxUnwatched{15};

bool isAtWork(const Session& session)
{
    return session.transactionStarted || session.state == SessionState::Active
        || session.state == SessionState::IdleInTransaction
        || session.state == SessionState::IdleInFailedTransaction
        || session.state == SessionState::RollingBack;
}

using frameworks::FoundTable;
using frameworks::TableRead;

constexpr std::chrono::seconds searchAgainAfterFailure{5};
constexpr std::chrono::seconds lastSearchAgainAfterFailure{60}; // the search itself may take too long
constexpr std::chrono::seconds secondSearch{5}; // programs that have just started create their tables now
constexpr std::chrono::seconds firstSearchAgain{60};
constexpr std::chrono::seconds lastSearchAgain{600};
constexpr std::chrono::seconds pauseAfterFailure{30};
constexpr std::chrono::seconds pauseWhileLocked{5};
/// More tables of one owner are only counted in one note.
constexpr size_t maxUnreadOfOwner = 10;

/// "The attached table dbo.Locks", "The table public.shedlock (ShedLock)".
QString called(const FoundTable& found)
{
    return found.isAttached ? u"The attached table "_s + found.shown
                            : u"The table %1 (%2)"_s.arg(found.shown, found.framework->name);
}

/// Returns the key of a table and the lock that it keeps.
QString keyOf(const FoundTable& table)
{
    return QStringList{table.shown, table.framework->id, table.lock->id}.join(u'\n');
}

/// Names that several rows of a table share get a part that differs.
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

/// A lock that is taken again is another one.
QString HolderWatch::keyOf(const RowLock& row)
{
    const qint64 since = row.zoneless.since.value_or(row.entry.acquiredAt.us);
    return QStringList{row.entry.name, row.signs.holderText, row.signs.process, QString::number(since)}.join(
        u'\n');
}

void HolderWatch::begin(const std::vector<RowLock>& rows, bool isComplete,
    const std::optional<QTimeZone>& configuredZone, ServerTime now)
{
    ++m_poll;
    m_now = now;
    m_isComplete = isComplete;
    m_configuredZone = configuredZone;
    if (m_before.isValid() && now - m_before > maxBetween)
        m_before = {};
    m_counts.clear();
    m_bounds.clear();
    m_isAnyListed = std::ranges::any_of(rows, [](const RowLock& row) { return row.signs.isListed; });
    if (m_held.size() > maxHeld)
        m_held.clear();
    if (m_zones.size() > maxHeld)
        m_zones.clear();
    for (const RowLock& row : rows)
        ++m_counts[keyOf(row)];
    for (const RowLock& row : rows) {
        if (row.zoneless.since && !row.zoneless.isOfDatabase && !holderOf(row).isEmpty())
            m_bounds[holderOf(row)].noteThatHasCome(*row.zoneless.since, now);
        const QString key = keyOf(row);
        if (m_counts.value(key) != 1)
            continue;
        const bool isNew = !m_held.contains(key);
        Held& held = m_held[key];
        held.poll = m_poll;
        if (isNew && m_before.isValid()) {
            held.taken = PossibleTime{m_before, now};
            if (row.zoneless.since)
                noteZone(held, row, *row.zoneless.since);
        }
        noteRenewal(held, row);
    }
}

/// Notes the zone from a time that was written between the poll before and this one.
void HolderWatch::noteZone(Held& held, const RowLock& row, frameworks::ZonelessTime written)
{
    const ProgramZone zone = ProgramZone::seen(written, {m_before, m_now});
    if (!zone.isKnown() || row.zoneless.isOfDatabase)
        return;
    held.zone = zone;
    if (holderOf(row).isEmpty())
        return;
    HolderZone& known = m_zones[holderOf(row)];
    known.areSeveral = known.areSeveral || (known.seen.isKnown() && zone != known.seen);
    known.seen = zone;
}

ProgramZone HolderWatch::zoneOf(const RowLock& row) const
{
    if (row.zoneless.isOfDatabase)
        return ProgramZone::utc();
    if (m_configuredZone)
        return ProgramZone::known(*m_configuredZone);
    const QString key = keyOf(row);
    if (const auto held = m_held.constFind(key);
        held != m_held.cend() && held->zone.isKnown() && m_counts.value(key) == 1)
        return held->zone;
    const HolderZone known = m_zones.value(holderOf(row));
    if (known.areSeveral)
        return {};
    return known.seen.isKnown() ? known.seen : m_bounds.value(holderOf(row));
}

void HolderWatch::noteRenewal(Held& held, const RowLock& row)
{
    const auto beat = row.signs.heartbeat ? std::optional(row.signs.heartbeat->us) : row.zoneless.heartbeat;
    if (beat && held.heartbeat && *beat > *held.heartbeat && m_before.isValid()) {
        held.longest =
            std::max(held.longest, std::chrono::round<milliseconds>(microseconds(*beat - *held.heartbeat)));
        if (++held.renewals >= renewalsThatTell)
            m_renewedEvery = std::max(m_renewedEvery.value_or(held.longest), held.longest);
        if (row.zoneless.heartbeat)
            noteZone(held, row, *beat);
    }
    held.heartbeat = beat;
}

/// Notes which tied sessions have ended. A time that was not watched proves nothing: neither what a session
/// did when it ended, nor that no other one followed it.
void HolderWatch::noteEnds(Held& held, std::span<const Session> sessions) const
{
    const bool isGap = held.watched.isValid() && m_now - held.watched > maxUnwatched;
    for (EndedHolder& ended : held.ended)
        if (isGap && held.watched - ended.missedSince < endIsProofAfter)
            ended.missedSince = m_now;
    std::erase_if(held.tied, [&](const Tied& tied) {
        if (m_now - tied.as.lastSeen > maxUnwatched)
            return true;
        if (std::ranges::find(sessions, tied.key, &Session::key) != sessions.end())
            return false;
        // The strongest evidence goes first.
        const auto ended =
            held.ended.insert(tied.as.wasAtWork ? held.ended.begin() : held.ended.end(), tied.as);
        ended->missedSince = m_now;
        return true;
    });
    held.watched = m_now;
}

void HolderWatch::addTo(RowLock& row, std::span<const Session> sessions, bool areAll)
{
    row.signs.silence.seenInterval = m_renewedEvery;
    row.signs.areOthersListed = m_isAnyListed && !row.signs.isListed;
    const auto held = m_held.find(keyOf(row));
    if (held == m_held.end() || m_counts.value(held.key()) != 1)
        return;
    if (held->taken && !row.signs.taken)
        row.signs.taken = held->taken;
    if (areAll)
        noteEnds(*held, sessions);
    // As long as another session holds it, that one of a pool has ended tells nothing, then or later; but
    // what only its machine ties to the row may never have been the holder.
    if (!held->tied.empty())
        std::erase_if(
            held->ended, [](const EndedHolder& ended) { return !ended.wasAtWork || !ended.isByMachine; });
    row.signs.ended = held->ended;
}

void HolderWatch::note(const RowLock& row, const HolderJudgement& judged)
{
    const auto held = m_held.find(keyOf(row));
    // Without the time of its taking the lock looks like one that was given back and taken again.
    const bool showsTaking = row.zoneless.since || row.entry.acquiredAt.isValid();
    if (held == m_held.end() || !showsTaking)
        return;
    for (EndedHolder& ended : held->ended) {
        ended.isFollowed = ended.isFollowed || judged.isFollowed;
        if (judged.isAnyLeft)
            ended.missedSince = m_now;
    }
    for (const Session* session : judged.tied) {
        const EndedHolder as{.id = session->id,
            .user = session->user,
            .program = session->program,
            .lastSeen = m_now,
            .wasAtWork = isAtWork(*session),
            .isByMachine = judged.isByMachine};
        const auto same = std::ranges::find(held->tied, session->key(), &Tied::key);
        if (same == held->tied.end())
            held->tied.push_back({session->key(), as});
        else
            same->as = as;
    }
}

void HolderWatch::end(ServerTime now)
{
    if (m_isComplete)
        m_held.removeIf([this](QHash<QString, Held>::iterator held) { return held->poll != m_poll; });
    m_before = m_isComplete ? now : ServerTime();
}

FrameworkProbe::FrameworkProbe(
    db::Connection& connection, const db::ServerProfile& profile, const frameworks::CataloguePtr& catalogue)
    : m_connection(connection)
    , m_dialect(connection.dialect())
    , m_search(m_dialect, catalogue, profile)
    , m_reads(connection)
    , m_recogniser(connection.engine(), catalogue->frameworks)
    , m_maxTables(db::maxFrameworkTables(profile.url))
    , m_readsRows(m_maxTables > 0)
    , m_settings(profile.frameworkSettings)
    , m_searchAgainAfter(secondSearch)
{
}

std::vector<db::BatchItem> FrameworkProbe::catalogueSearch()
{
    m_searchedAt = Clock::now();
    return m_search.items();
}

void FrameworkProbe::judgeSearch(std::span<const Result<qint64>> results, const std::stop_token& stop)
{
    m_searchFailure.reset();
    for (const Result<qint64>& result : results) {
        if (!result && !m_searchFailure)
            m_searchFailure = result.error();
    }
    if (const auto judged = m_search.judgeReferring(m_connection, stop); !judged && !m_searchFailure)
        m_searchFailure = judged.error();
    m_searchAfterFailure = m_searchFailure
        ? std::clamp(2 * m_searchAfterFailure, searchAgainAfterFailure, lastSearchAgainAfterFailure)
        : std::chrono::seconds(0);
    // What was there a while ago is there still, as far as we know: its locks don't disappear.
    if (m_searchFailure && m_hasSearched)
        return;
    m_hasSearched = !m_searchFailure;
    take();
}

void FrameworkProbe::take()
{
    m_readings.clear();
    m_asked.clear();
    QSet<QString> known;
    for (const frameworks::FoundTablePtr& table : m_search.found()) {
        m_readings.emplace_back(m_dialect, table);
        known << keyOf(*table);
    }
    std::erase_if(m_watches, [&known](const auto& watch) { return !known.contains(watch.first); });
    m_missing = m_search.missing();
    const frameworks::DatabaseFacts facts = m_search.facts();
    m_database = facts.database;
    m_recogniser.setFacts(facts);
}

void FrameworkProbe::setReadsRows(bool reads)
{
    reads = reads && m_maxTables > 0;
    if (reads && !m_readsRows)
        m_searchAgainAfter = std::min(m_searchAgainAfter, firstSearchAgain);
    m_readsRows = reads;
}

bool FrameworkProbe::isSearchDue() const
{
    const auto since = Clock::now() - m_searchedAt;
    if (m_searchFailure) // attached tables may not be read either
        return since >= m_searchAfterFailure;
    return (m_readsRows || !m_missing.isEmpty()) && since >= m_searchAgainAfter;
}

void FrameworkProbe::addTo(std::vector<db::BatchItem>& items)
{
    m_asked.clear();
    m_unasked = 0;
    const auto now = Clock::now();
    std::vector<TableRead*> reads;
    qsizetype ofFrameworks = 0;
    for (Reading& reading : m_readings) {
        reading.read.read.clear();
        reading.wasRead = false;
        if (!isRead(reading))
            continue;
        if (!reading.table().isAttached && ++ofFrameworks > m_maxTables) {
            ++m_unasked;
            continue;
        }
        if (reading.pausedFor && now < reading.pausedUntil)
            continue;
        reading.pausedFor.reset();
        m_asked.push_back(&reading);
        reads.push_back(&reading.read);
    }
    m_reads.addTo(items, reads);
    m_isSearching = isSearchDue();
    if (!m_isSearching)
        return;
    m_searchAgainAfter = std::min(2 * m_searchAgainAfter, lastSearchAgain);
    for (db::BatchItem& item : catalogueSearch())
        items.push_back(std::move(item));
}

void FrameworkProbe::judge(
    std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask, const std::stop_token& stop)
{
    const auto reads = static_cast<size_t>(m_reads.itemCount());
    const auto cost = m_reads.judge(results.first(reads), ask, stop);
    snapshot.cost.roundTrips += cost.roundTrips;
    snapshot.cost.rows += cost.rows;
    m_hasChanged = false;
    for (Reading* reading : m_asked)
        judge(*reading, snapshot);
    limit(snapshot);
    if (m_isSearching) {
        judgeAgain(results.subspan(reads), stop);
    } else if (m_hasChanged) {
        ++snapshot.cost.roundTrips;
        judgeAgain(ask(catalogueSearch()), stop);
    }
}

/// The rows of this poll are taken over; what was found counts from the next one on.
void FrameworkProbe::judgeAgain(std::span<const Result<qint64>> results, const std::stop_token& stop)
{
    std::vector<Reading> old = m_readings;
    judgeSearch(results, stop);
    if (m_searchFailure && m_hasSearched) // nothing was taken
        return;
    QHash<QString, Reading*> found;
    for (Reading& reading : m_readings)
        found.insert(keyOf(reading.table()), &reading);
    for (Reading& reading : old) {
        Reading* const same = found.value(keyOf(reading.table()));
        if (!same)
            continue;
        same->read.read = std::move(reading.read.read);
        same->read.isAlone = reading.read.isAlone;
        same->wasRead = reading.wasRead;
        same->pausedFor = reading.pausedFor;
        same->pausedUntil = reading.pausedUntil;
    }
}

void FrameworkProbe::judge(Reading& reading, Snapshot& snapshot)
{
    using Outcome = TableRead::Outcome;
    const TableRead& read = reading.read;
    reading.wasRead = read.outcome == Outcome::Read;
    if (reading.wasRead)
        return;
    const Error error = read.error.value_or(Error());
    m_searchAgainAfter = firstSearchAgain; // perhaps the table is another one by now
    m_hasChanged = m_hasChanged || read.outcome == Outcome::Changed;
    const bool isLocked = read.outcome == Outcome::Locked;
    // Tables that were judged again are read by the next poll; a right that is lacking may be granted at any
    // time; one that a person attached is read each time.
    if ((isLocked || read.outcome == Outcome::Failed) && !read.table->isAttached
        && error.kind != ErrorKind::Permission && error.kind != ErrorKind::Connection) {
        reading.pausedFor = error; // shown with the others that are paused
        reading.pausedUntil = Clock::now() + (isLocked ? pauseWhileLocked : pauseAfterFailure);
        return;
    }
    snapshot.limitations.push_back(failureOf(*read.table, error));
    snapshot.limitations.back().hidesLocks = read.outcome == Outcome::Changed;
}

/// Adds the known limitations of the tables beside this poll's failures.
void FrameworkProbe::limit(Snapshot& snapshot) const
{
    const auto add = [&snapshot](
                         Limitation limitation) { snapshot.limitations.push_back(std::move(limitation)); };
    if (m_searchFailure)
        add({.kind = Limitation::Kind::Failed,
            .what = asSentence(
                u"It can't be found out which frameworks keep locks here: "_s + m_searchFailure->detail),
            .remedy = m_searchFailure->hint});
    for (const db::AttachedTable& table : m_searchFailure ? QList<db::AttachedTable>() : m_missing)
        add({.kind = Limitation::Kind::Failed,
            .what = u"The attached table %1 can't be read: it is not there, or lacks a column."_s.arg(
                table.display()),
            .remedy = u"Check the names of schema, table and columns in the server's settings."_s});
    limitUnread(snapshot);
    if (m_unasked > 0)
        add(ceilingLimitation(m_maxTables, m_maxTables + m_unasked));
    for (const Reading& reading : m_readings) {
        const FoundTable& table = reading.table();
        if (table.access == FoundTable::Access::Forbidden && (table.isAttached || m_readsRows))
            add(forbidden(table));
        if (isRead(reading))
            limitRows(reading, snapshot);
    }
}

void FrameworkProbe::limitRows(const Reading& reading, Snapshot& snapshot) const
{
    const FoundTable& table = reading.table();
    const TableRead& read = reading.read;
    if (reading.pausedFor)
        snapshot.limitations.push_back(failureOf(table, *reading.pausedFor));
    else if (read.badValue)
        snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
            .what = asSentence((table.isAttached ? u"Times of the attached table %1 can't be read: %2"_s
                                                 : u"Times of the table %1 can't be read: %2"_s)
                                   .arg(table.shown, read.badValue->detail)),
            .remedy = read.badValue->hint});
    const qint64 limit = frameworks::RowLocks::usualLimit;
    if (const qint64 rows = read.read.empty() ? 0 : read.read.front().rows; rows > limit)
        snapshot.limitations.push_back({.kind = Limitation::Kind::CappedRows,
            .what = u"Showing %1 of %2 locks in the rows of %3."_s.arg(limit).arg(rows).arg(table.shown),
            .shown = limit,
            .total = rows});
}

/// Tables that may not be read: a few by name, of many only how many there are and whose.
void FrameworkProbe::limitUnread(Snapshot& snapshot) const
{
    QHash<QString, size_t> counts;
    for (const Reading& reading : m_readings) {
        if (reading.table().access == FoundTable::Access::NotTrusted && !reading.table().isAttached)
            ++counts[reading.table().table.owner];
    }
    QStringList texts;
    for (const Reading& reading : m_readings) {
        const FoundTable& table = reading.table();
        if (table.access != FoundTable::Access::NotTrusted || (!table.isAttached && m_maxTables == 0))
            continue;
        const size_t count = counts.value(table.table.owner);
        if (table.isAttached) {
            snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
                .what = u"The attached table %1 is not read. %2"_s.arg(table.shown, table.whyNot),
                .hidesLocks = true});
        } else if (count <= maxUnreadOfOwner) {
            snapshot.unreadTables.push_back({.framework = reading.read.match(),
                .schema = table.table.names->schema,
                .table = table.table.names->table,
                .owner = table.table.owner,
                .reason = table.whyNot,
                .canBeApproved = table.canBeApproved});
        } else if (!texts.contains(table.table.owner)) {
            texts << table.table.owner;
            snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
                .what =
                    u"%L1 tables that look like those of frameworks are not read: their owner is %2. Of the first, %3: %4"_s
                        .arg(count)
                        .arg(table.table.owner, table.shown, table.whyNot),
                .total = static_cast<qint64>(count)});
        }
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
    // A user who attaches a table expects to see it; that a framework's is closed to us is usual.
    return {.kind = Limitation::Kind::MissingPermission,
        .what = called(table) + u" can't be read by this role."_s,
        .remedy = grant,
        .hidesLocks = table.isAttached};
}

Limitation FrameworkProbe::failureOf(const FoundTable& table, const Error& error) const
{
    if (error.kind == ErrorKind::Permission)
        return forbidden(table);
    const QString what = asSentence(u"%1 can't be read: %2"_s.arg(called(table), error.detail));
    if (error.kind == ErrorKind::MissingObject && table.isAttached)
        return {.kind = Limitation::Kind::Failed,
            .what = what,
            .remedy = u"Check the names of schema, table and columns in the server's settings."_s};
    return {.kind = Limitation::Kind::Failed, .what = what, .remedy = error.hint};
}

/// The advisory keys of one number that are held in our database, and by whom.
QHash<quint64, SessionId> FrameworkProbe::heldKeys(const Snapshot& snapshot) const
{
    QHash<quint64, SessionId> keys;
    const auto hasKeys = [](const Reading& reading) {
        return !reading.read.read.empty() && !reading.table().lock->holderKeys.empty();
    };
    if (std::ranges::none_of(m_readings, hasKeys))
        return keys;
    constexpr quint64 ofOneNumber = 1; // pg_locks.objsubid
    for (const LockRequest& request : snapshot.requests) {
        const Resource& resource = snapshot.resourceOf(request);
        if (!request.isWaiting() && resource.key.kind == ResourceKind::ApplicationLock
            && resource.key.part == ofOneNumber && resource.database == m_database)
            keys.insert(resource.key.entity, snapshot.leaderOf(request.session));
    }
    return keys;
}

void FrameworkProbe::addEntries(Reading& reading, Snapshot& snapshot, SessionsSeen seen)
{
    const FoundTable& table = reading.table();
    const std::vector<frameworks::RowLock>& rows = reading.read.read;
    const auto settings = frameworks::ProgramSettings::of(m_settings, table.framework->id);
    HolderWatch& watch = m_watches[keyOf(table)];
    const qint64 all = rows.empty() ? 0 : rows.front().rows;
    watch.begin(
        rows, reading.wasRead && all <= reading.read.inUse().limit(), settings.zone, snapshot.takenAt);
    std::vector<LockTableEntry> entries;
    for (frameworks::RowLock& lock : reading.read.read) {
        lock.take(settings, table.row());
        for (const qint64 key : std::as_const(lock.signs.keys))
            if (const auto held = m_heldKeys.constFind(static_cast<quint64>(key)); held != m_heldKeys.cend())
                lock.signs.keyHolder = *held;
        watch.addTo(lock, snapshot.sessions, seen == SessionsSeen::All);
        lock.readZoneless(watch.zoneOf(lock), m_search.zone(), snapshot.takenAt);
        if (!lock.isHeld(snapshot.takenAt))
            continue;
        HolderJudgement judged = judgeHolder(
            lock.signs, snapshot.sessions, m_search.isCopy() ? SessionsSeen::OfCopy : seen, snapshot.takenAt);
        watch.note(lock, judged);
        lock.entry.holderLife = std::move(judged.life);
        entries.push_back(std::move(lock.entry));
    }
    watch.end(snapshot.takenAt);
    reading.read.read.clear();
    if (!table.isAttached)
        makeUnique(entries, table.row().compare);
    std::move(entries.begin(), entries.end(), std::back_inserter(snapshot.entries));
}

/// Judges the rows of Lockscope's own lock table: so far there are no others among the entries.
static void judgeOwnEntries(Snapshot& snapshot, SessionsSeen seen)
{
    QHash<SessionId, const Session*> sessions;
    if (!snapshot.entries.empty())
        for (const Session& session : snapshot.sessions)
            sessions.insert(session.id, &session);
    for (LockTableEntry& entry : snapshot.entries)
        entry.holderLife = lifeOfWriter(entry, sessions.value(entry.party.session), seen, snapshot.takenAt);
}

void FrameworkProbe::finish(Snapshot& snapshot, SessionsSeen seen)
{
    snapshot.frameworkRows = m_readsRows;
    m_heldKeys = heldKeys(snapshot);
    judgeOwnEntries(snapshot, m_search.isCopy() ? SessionsSeen::OfCopy : seen);
    for (Reading& reading : m_readings)
        if (isRead(reading))
            addEntries(reading, snapshot, seen);
    m_recogniser.recognise(snapshot);
}

} // namespace lockscope::monitor
