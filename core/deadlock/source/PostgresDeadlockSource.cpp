// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresDeadlockSource.h"

#include "core/base/Sentences.h"
#include "core/db/Connection.h"
#include "core/db/Statement.h"
#include "core/db/postgres/PostgresDialect.h"
#include "core/deadlock/PostgresReport.h"

#include <QDateTime>
#include <QRegularExpression>
#include <QSet>

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// True for an error that ends the whole poll; another one concerns one statement.
bool isOfConnection(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Login
        || error.kind == ErrorKind::Timeout || error.kind == ErrorKind::Cancelled;
}

constexpr qsizetype maxNumbers = 200; // of each kind, for one poll

/// The number of a table and of its database.
struct TableNumber {
    qint64 table = 0;
    qint64 database = 0;
};
std::optional<TableNumber> tableNumberOf(const LockedThing& thing)
{
    const auto number = [&thing](const QString& name) {
        bool isNumber = false;
        const qint64 value = thing.attribute(name).toLongLong(&isNumber);
        return isNumber && value > 0 && value <= std::numeric_limits<quint32>::max() ? value : 0;
    };
    const TableNumber found{number(u"relation"_s), number(u"database"_s)};
    return found.table == 0 || found.database == 0 ? std::nullopt : std::optional(found);
}

/// The key of an advisory lock with one 64-bit key, and its database: "[5,0,77,1]".
std::optional<std::pair<qint64, qint64>> advisoryKeyOf(const LockedThing& thing)
{
    static const QRegularExpression form(u"^\\[(\\d+),(\\d+),(\\d+),1\\]$"_s);
    const auto match = form.match(thing.attribute(u"key"));
    if (!match.hasMatch())
        return std::nullopt;
    const quint64 key = (match.captured(2).toULongLong() << 32U) | match.captured(3).toULongLong();
    return std::pair(qint64(key), match.captured(1).toLongLong());
}

/// Collects the numbers to be named, then has their names.
class NumberedThings {
public:
    void request(const LockedThing& thing)
    {
        if (const auto number = tableNumberOf(thing); number && m_tables.size() < maxNumbers) {
            m_tables.insert(number->table);
            m_databases.insert(number->database);
        } else if (const auto key = advisoryKeyOf(thing); key && m_keys.size() < maxNumbers) {
            m_keys.insert(key->first);
            m_databases.insert(key->second);
        }
    }

    Result<void> ask(db::Connection& connection, const std::stop_token& stop)
    {
        std::vector<db::BatchItem> items;
        const auto add = [&items](const char* statement, const QSet<qint64>& numbers, auto& names) {
            if (!numbers.isEmpty())
                items.push_back({&db::Statement::get(statement), {db::arrayLiteral(numbers)},
                    [&names](const db::Row& row) { names.insert(row.int64(0), row.text(1)); }});
        };
        QHash<qint64, QString> databases;
        add("postgres/names/databases", m_databases, databases);
        add("postgres/names/relations", m_tables, m_tableNames);
        add("postgres/names/app_locks", m_keys, m_keyNames);
        if (items.empty())
            return {};
        for (const auto& result : connection.executeBatch(items, stop))
            if (!result
                && (result.error().kind == ErrorKind::Connection
                    || result.error().kind == ErrorKind::Cancelled))
                return Failure(result.error());
        m_own = databases.key(connection.url().database, 0);
        return {};
    }

    void apply(LockedThing& thing) const
    {
        if (const auto number = tableNumberOf(thing); number && number->database == m_own) {
            const QString name = m_tableNames.value(number->table);
            if (name.isEmpty())
                return;
            thing.table = name;
            thing.named = true;
            thing.name.replace(u"table %1"_s.arg(number->table), name);
        } else if (const auto key = advisoryKeyOf(thing); key && key->second == m_own) {
            if (const QString name = m_keyNames.value(key->first); !name.isEmpty()) {
                thing.name = u"advisory lock “%1”"_s.arg(name);
                thing.named = true;
            }
        }
    }

private:
    QSet<qint64> m_tables, m_databases, m_keys;
    QHash<qint64, QString> m_tableNames, m_keyNames;
    qint64 m_own = 0; ///< database of the connection; 0: not known
};

/// Names the tables, and the advisory locks taken by this library's names, that reports of a log have by
/// number only: those of the connection's database, as they are called now. One round trip, and none where
/// nothing is to be named. A thing that the role may not read, or that is gone, keeps its number; an error is
/// about the connection.
Result<void> nameThings(QList<ReportPtr>& reports, db::Connection& connection, const std::stop_token& stop)
{
    NumberedThings names;
    for (const ReportPtr& report : reports)
        for (const LockedThing& thing : report->resources)
            names.request(thing);
    LOCKSCOPE_TRY(names.ask(connection, stop));
    for (ReportPtr& report : reports) {
        auto named = std::make_shared<DeadlockReport>(*report);
        for (LockedThing& thing : named->resources)
            names.apply(thing);
        if (named->resources != report->resources)
            report = std::move(named);
    }
    return {};
}

} // namespace

PostgresDeadlockSource::PostgresDeadlockSource(db::Connection& connection, std::optional<ServerTime> since)
    : DeadlockSource(connection)
    , m_since(since)
    , m_reader(since)
{
}

QStringList PostgresDeadlockSource::Facts::destinations() const
{
    QStringList all = settings.value(u"log_destination"_s).split(u',');
    for (QString& each : all)
        each = each.trimmed();
    return all;
}

void PostgresDeadlockSource::connectionReplaced()
{
    m_facts.reset();
    m_log.reset();
}

Result<SourcePoll> PostgresDeadlockSource::poll(const std::stop_token& stop)
{
    const auto began = std::chrono::steady_clock::now();
    SourcePoll poll;
    const int readsBefore = m_log ? m_log->roundTrips() : 0;
    bool isNew = false;
    if (!m_log) { // which log there is must be known before it can be asked how far it is
        m_facts.reset();
        LOCKSCOPE_TRY(ask(stop));
        ++poll.roundTrips;
        poll.serverTime += m_ended - m_began;
        chooseLog();
        isNew = m_log != nullptr;
    }
    if (m_log) {
        LOCKSCOPE_TRY(ask(stop));
        ++poll.roundTrips;
        poll.serverTime += m_ended - m_began;
    }
    if (m_log)
        LOCKSCOPE_TRY(readLog(poll, stop));
    if (m_log)
        poll.roundTrips += m_log->roundTrips() - (isNew ? 0 : readsBefore);
    poll.captured = m_captured;
    addLimits(poll);
    poll.clientTime = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - began);
    return poll;
}

/// One round trip: the counters, and what must be known before the log is read, or how far it is.
Result<void> PostgresDeadlockSource::ask(const std::stop_token& stop)
{
    std::vector<db::BatchItem> items;
    ServerTime began, ended;
    const db::Statement& clock = db::Statement::get("postgres/monitor/clock");
    items.push_back({.statement = &clock, .sink = [&began](const db::Row& row) { began = row.time(0); }});
    QList<DeadlockCounter::Value> counters;
    items.push_back({.statement = &db::Statement::get("postgres/deadlocks/counter"),
        .sink = [&counters](const db::Row& row) {
            const QString name = row.isNull(1) ? u"shared objects"_s : u"database "_s + row.text(1);
            counters << DeadlockCounter::Value{
                .key = row.int64(0), .name = name, .total = row.int64(2), .resetAt = row.optionalTime(3)};
        }});
    Facts facts;
    const bool needsFacts = !m_facts;
    if (needsFacts) {
        items.push_back({.statement = &db::Statement::get("postgres/deadlocks/settings"),
            .sink = [&facts](const db::Row& row) { facts.settings.insert(row.text(0), row.text(1)); }});
        items.push_back({.statement = &db::Statement::get("postgres/deadlocks/rights"),
            .sink = [&facts](const db::Row& row) {
                facts.role = row.text(0);
                facts.isReplica = row.boolean(1);
                facts.mayTellCurrentFile = row.boolean(2);
                facts.mayListFiles = row.boolean(3);
                facts.mayReadFiles = row.boolean(4);
                facts.mayTellSize = row.boolean(5);
                facts.mayReadAnyFile = row.boolean(6);
                facts.cloudRole = row.text(7);
            }});
    }
    const size_t ofLog = items.size();
    if (m_log)
        m_log->ask(items, m_reader.file(), m_reader.from());
    const size_t behindLog = items.size();
    items.push_back({.statement = &clock, .sink = [&ended](const db::Row& row) { ended = row.time(0); }});
    const auto results = connection().executeBatch(items, stop);
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i])
            continue;
        const bool isLog = i >= ofLog && i < behindLog;
        if (!isLog || isOfConnection(results[i].error()))
            return Failure(results[i].error());
        // Taken away meanwhile; checked again by the next poll.
        m_unread = sentences({u"The server's log can't be read any more."_s, results[i].error().toString()});
        m_log.reset();
    }
    m_began = began;
    m_ended = ended;
    if (!m_firstPoll.isValid())
        m_firstPoll = began;
    m_counter.take(counters);
    if (needsFacts)
        m_facts = facts;
    return {};
}

void PostgresDeadlockSource::chooseLog()
{
    m_unread.clear();
    m_origin.clear();
    chooseByRights();
    if (m_log) {
        m_origin = u"PostgreSQL's log (%1)"_s.arg(logDestination(m_log->format()));
    } else if ((m_log = localLog(connection(), m_facts->destinations(), m_facts->fileNames()))) {
        m_origin = u"PostgreSQL's log (%1), from this machine's disk"_s.arg(logDestination(m_log->format()));
    } else {
        limitUnread();
    }
}

/// Chooses the log that the role may read by the server's functions, the most detailed format first.
void PostgresDeadlockSource::chooseByRights()
{
    const Facts& facts = *m_facts;
    const QStringList destinations = facts.destinations();
    if (!facts.mayReadFiles)
        return;
    if (facts.isCollected() && facts.mayTellCurrentFile && facts.mayListFiles) {
        for (const SourceFormat format : logFormats)
            if (destinations.contains(logDestination(format))) {
                m_log = collectedLog(connection(), format, facts.fileNames());
                return;
            }
    } else if (!facts.isCollected() && facts.mayTellSize && facts.mayReadAnyFile
        && destinations.contains(u"stderr"_s)) {
        m_log = standardErrorLog(connection());
    }
}

void PostgresDeadlockSource::limitUnread()
{
    const Facts& facts = *m_facts;
    const QString counted = u"Deadlocks are counted, and not shown."_s;
    const QString byHand = u"A copy of the log is read by File → Open and by lockctl deadlock FILE."_s;
    if (!facts.cloudRole.isEmpty() && !facts.mayReadFiles) {
        const QString service = facts.cloudRole == u"rds_superuser" ? u"Amazon RDS"_s
            : facts.cloudRole == u"azure_pg_admin"                  ? u"Azure"_s
                                                                    : u"Google Cloud"_s;
        m_unread = sentences(
            {u"%1 lets nobody read the server's log by SQL, only by its own interface."_s.arg(service),
                counted, byHand});
        return;
    }
    const QStringList destinations = facts.destinations();
    const bool isFile = destinations.contains(u"jsonlog"_s) || destinations.contains(u"csvlog"_s)
        || destinations.contains(u"stderr"_s);
    if (!isFile) {
        m_unread = sentences({u"The server's log goes to no file (log_destination is %1)."_s.arg(
                                  facts.settings.value(u"log_destination"_s)),
            counted, u"log_destination = 'jsonlog' and logging_collector = on would change that."_s});
        return;
    }
    QStringList grants;
    const auto mayCall = [&grants, &facts](bool may, const QString& function) {
        if (!may)
            grants << u"GRANT EXECUTE ON FUNCTION pg_catalog.%1 TO %2;"_s.arg(function, facts.role);
    };
    mayCall(facts.mayReadFiles, u"pg_read_binary_file(text, bigint, bigint, boolean)"_s);
    if (facts.isCollected()) {
        // pg_monitor may do this only from version 16 on.
        mayCall(facts.mayTellCurrentFile, u"pg_current_logfile(text)"_s);
        mayCall(facts.mayListFiles, u"pg_ls_logdir()"_s);
        m_unread = sentences({u"The role %1 may not read the server's log."_s.arg(facts.role), counted,
            u"This would give the right, in the database %1: %2 The role could then read all files of the data directory."_s
                .arg(connection().url().database, grants.join(u' ')),
            byHand});
        return;
    }
    if (!facts.mayReadAnyFile)
        grants << u"GRANT pg_read_server_files TO %1;"_s.arg(facts.role);
    mayCall(facts.mayTellSize, u"pg_stat_file(text, boolean)"_s);
    m_unread = sentences(
        {u"The server's log has no collector (logging_collector is off), and the role %1 may not read the file that its standard error goes to."_s
                .arg(facts.role),
            counted,
            u"If it is a file, this would give the right, in the database %1: %2 The role could then read whatever the server's account can."_s
                .arg(connection().url().database, grants.join(u' ')),
            u"Else set logging_collector = on."_s, byHand});
}

Result<void> PostgresDeadlockSource::readLog(SourcePoll& poll, const std::stop_token& stop)
{
    poll.origin = m_origin;
    if (m_log->files().isEmpty()) {
        m_unread = m_facts->isCollected()
            ? u"The server's collector writes no file of the format %1 at present."_s.arg(
                logDestination(m_log->format()))
            : u"The server's log has no collector (logging_collector is off), and its standard error goes to no file, or to an empty one: deadlocks are counted, and not shown. logging_collector = on would change that."_s;
        poll.origin.clear();
        m_log.reset(); // the next poll asks where it is by then
        return {};
    }
    const QString file = m_log->files().last().name();
    const QString place = m_facts->isCollected() ? u"%1, %2"_s.arg(connection().url().display(), file)
                                                 : connection().url().display();
    const auto part = m_reader.readOn(*m_log, m_ended, place, stop);
    if (!part) {
        if (isOfConnection(part.error()))
            return Failure(part.error());
        m_unread = sentences({u"The server's log can't be read."_s, part.error().toString()});
        poll.origin.clear();
        m_log.reset();
        return {};
    }
    poll.bytesRead = part->bytes;
    poll.isMoreToRead = part->isMoreToRead;
    for (const QString& gap : part->gaps)
        m_gaps << u"Seen at %1: %2"_s.arg(m_ended.toIsoString(), gap);
    constexpr qsizetype maxGaps = 5;
    if (m_gaps.size() > maxGaps)
        m_gaps.remove(0, m_gaps.size() - maxGaps);
    m_read << part->reports;
    return giveRead(poll, stop);
}

/// Gives the reports that were read; on an error they stay for the next poll.
Result<void> PostgresDeadlockSource::giveRead(SourcePoll& poll, const std::stop_token& stop)
{
    LOCKSCOPE_TRY(nameThings(m_read, connection(), stop));
    qint64 captured = 0;
    // Times of the log are cut to milliseconds, or to seconds.
    const auto isSinceFirst = [this](ServerTime time) {
        const qint64 unit = time.us % 1'000'000 == 0 ? 1'000'000 : 1'000;
        return time.us >= m_firstPoll.us - m_firstPoll.us % unit;
    };
    for (const ReportPtr& each : std::as_const(m_read)) {
        DeadlockReport report = *each;
        report.source.position = 0; // a line of a piece means nothing to a reader
        if (report.time.at && !report.time.isZoneKnown)
            LOCKSCOPE_TRY(fixZone(report, stop));
        const bool isZoned = report.time.at && report.time.isZoneKnown;
        if (m_since && isZoned && *report.time.at < *m_since)
            continue;
        const auto kept = std::make_shared<const DeadlockReport>(std::move(report));
        // The server counts only what it found itself.
        const bool isCounted = !isRaised(*kept);
        if (isCounted && (isZoned ? isSinceFirst(*kept->time.at) : !m_since.has_value()))
            captured += deadlocksOf(kept).size();
        poll.reports << kept;
    }
    m_captured += captured;
    m_read.clear();
    return {};
}

/// The log's zone by its name, which the server knows. It is not asked for each report: any session can have
/// it write thousands.
Result<void> PostgresDeadlockSource::fixZone(DeadlockReport& report, const std::stop_token& stop)
{
    constexpr qint64 quarterOfHour = 900'000'000;
    const qint64 quarter = report.time.at->us / quarterOfHour;
    if (const auto ahead = m_ahead.constFind(quarter); ahead != m_ahead.cend()) {
        report.time.at = *report.time.at - *ahead;
        report.time.isZoneKnown = true;
        report.complaints.removeAll(noZoneKnown());
        return {};
    }
    const QString local = report.time.at->toDateTime().toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s);
    ServerTime at;
    const auto done = connection().execute(
        db::Statement::get("postgres/deadlocks/log_time"), {local},
        [&at](const db::Row& row) { at = row.time(0); }, stop);
    if (!done)
        return isOfConnection(done.error()) ? Result<void>(Failure(done.error())) : Result<void>();
    constexpr qsizetype maxQuarters = 1'000;
    if (m_ahead.size() >= maxQuarters)
        m_ahead.clear();
    // The sent time was cut to milliseconds.
    m_ahead.insert(quarter, microseconds(report.time.at->us / 1'000 * 1'000 - at.us));
    report.time.at = at;
    report.time.isZoneKnown = true;
    report.complaints.removeAll(noZoneKnown());
    return {};
}

void PostgresDeadlockSource::addLimits(SourcePoll& poll) const
{
    const auto setting = [this](QStringView name) {
        return m_facts ? m_facts->settings.value(name.toString()) : QString();
    };
    if (m_counter.isKnown() && setting(u"track_counts") != u"off") {
        poll.counted = m_counter.counted();
        poll.countedIsAtLeast = m_counter.isAtLeast();
    } else if (setting(u"track_counts") == u"off") {
        poll.limits << u"The server counts no deadlocks: track_counts is off."_s;
    }
    if (!m_log && !m_unread.isEmpty())
        poll.limits << m_unread;
    const QString least = setting(u"log_min_messages");
    const bool logsErrors = least != u"log" && least != u"fatal" && least != u"panic";
    const bool isTerse = setting(u"log_error_verbosity") == u"terse";
    // Such a log does not prove that there was none.
    if (!logsErrors || isTerse)
        poll.origin.clear();
    if (!logsErrors)
        poll.limits << u"The server logs no deadlocks: log_min_messages is %1. Set it to error or below."_s
                           .arg(least);
    if (isTerse)
        poll.limits
            << u"The server's log says that a deadlock happened, but not between which sessions: log_error_verbosity is terse. Set it to default."_s;
    if (m_facts && m_facts->isReplica)
        poll.limits
            << u"This server is a replica: deadlocks of sessions that write are recorded by its primary server only."_s;
    if (const QStringList others = m_log ? m_log->passedOver() : QStringList(); !others.isEmpty())
        poll.limits << u"Not read, because not named as the server's own log is: %1."_s.arg(nameList(others));
    poll.limits << m_counter.resets() << m_gaps;
}

} // namespace lockscope::deadlock
