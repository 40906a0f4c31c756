// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerDeadlockSource.h"

#include "core/base/Sentences.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/deadlock/SqlServerReport.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int managedInstance = 8; ///< SERVERPROPERTY('EngineEdition')
constexpr int lastBoxedEdition = 4;
constexpr int firstMajorWithTimes = 14;
constexpr int minGoodThreshold = 5; ///< seconds
/// Azure's records arrive late, by an unknown time.
constexpr microseconds telemetryOverlap = std::chrono::hours(1);

/// The place of those without a time.
constexpr ServerTime lastOfAll{std::numeric_limits<qint64>::max()};

/// Returns a statement as an administrator reads and runs it: in one line, without EXECUTE round it.
QString statementToRun(const char* path)
{
    QString text = QString::fromUtf8(db::Statement::get(path).sql()).simplified();
    text = text.mid(text.indexOf(u'\'') + 1);
    return text.left(text.lastIndexOf(u'\'')).replace(u"''"_s, u"'"_s);
}

constexpr qsizetype maxNamedAtOnce = 50;

struct NumberOnServer {
    qint64 database = 0;
    qint64 number = 0; ///< of an object, or of a heap or B-tree
    bool isObject = false;

    bool operator==(const NumberOnServer&) const = default;
};
size_t qHash(const NumberOnServer& one, size_t seed)
{
    return qHashMulti(seed, one.database, one.number, one.isObject);
}

std::optional<NumberOnServer> numberOf(const LockedThing& thing)
{
    const auto number = [&thing](QStringView name) { return thing.attribute(name).toLongLong(); };
    if (!thing.table.isEmpty() || !thing.isLock)
        return std::nullopt;
    const qint64 database = number(u"dbid");
    const qint64 object = number(u"objid");
    const qint64 part = number(u"hobtid") != 0 ? number(u"hobtid") : number(u"associatedObjectId");
    if (database <= 0 || (object == 0 && part == 0))
        return std::nullopt;
    return NumberOnServer{database, object == 0 ? part : object, object != 0};
}

struct NameOnServer {
    QString table, index;
};

class ServerNames {
public:
    explicit ServerNames(SqlServerQuestions& questions)
        : m_questions(questions)
    {
    }

    void request(const DeadlockReport& report)
    {
        for (const LockedThing& thing : report.resources)
            if (const auto number = numberOf(thing); number && m_numbers.size() < maxNamedAtOnce)
                m_numbers.insert(*number);
        for (const Participant& one : report.participants)
            if (const auto step = agentStepOf(one); step && m_jobs.size() < maxNamedAtOnce)
                m_jobs.insert(step->job, {});
    }

    void ask(const db::Dialect& dialect)
    {
        QHash<qint64, QString> databases;
        std::vector<db::BatchItem> items;
        if (!m_numbers.isEmpty())
            items.push_back({.statement = &db::Statement::get("sqlserver/names/databases"),
                .sink = [&databases](const db::Row& row) { databases.insert(row.int64(0), row.text(1)); }});
        if (!m_jobs.isEmpty())
            items.push_back({.statement = &db::Statement::get("sqlserver/deadlocks/jobs"),
                .params = {m_jobs.keys().join(u' ')},
                .sink = [this](const db::Row& row) { m_jobs[row.text(0).toUpper()] = row.text(1); }});
        if (!items.empty())
            m_questions.ask(items);
        items.clear();
        std::vector<std::unique_ptr<db::Statement>> statements;
        for (const NumberOnServer& each : std::as_const(m_numbers)) {
            const QString database = databases.value(each.database);
            if (database.isEmpty())
                continue;
            statements.push_back(std::make_unique<db::Statement>(db::Statement::filled(
                each.isObject ? "sqlserver/deadlocks/object" : "sqlserver/deadlocks/partition",
                {{QLatin1StringView("database_name"), dialect.quoted(database)}})));
            items.push_back({.statement = statements.back().get(),
                .params = {each.number},
                .sink = [this, each](const db::Row& row) {
                    m_names.insert(each, {row.text(0), row.text(1)});
                }});
        }
        if (!items.empty())
            m_questions.ask(items);
    }

    void apply(DeadlockReport& report) const
    {
        for (LockedThing& thing : report.resources) {
            const auto number = numberOf(thing);
            const auto found = number ? m_names.constFind(*number) : m_names.cend();
            if (found == m_names.cend())
                continue;
            thing.table = found->table;
            thing.index = found->index;
            if (thing.kind == ResourceKind::Row && thing.part.isEmpty())
                thing.part = u"key"_s;
            giveName(thing);
        }
        for (Participant& one : report.participants)
            if (const auto step = agentStepOf(one))
                one.job = m_jobs.value(step->job);
    }

private:
    SqlServerQuestions& m_questions;
    QSet<NumberOnServer> m_numbers;
    QHash<QString, QString> m_jobs; ///< names by their ids
    QHash<NumberOnServer, NameOnServer> m_names;
};

/// Names the tables that reports have by number only, and the Agent's jobs whose steps take part, as they are
/// called now. At most two round trips, and none where nothing is to be named. What the login may not read,
/// or is gone, keeps its number; so does all on Azure SQL Database, which shows neither other databases nor
/// jobs.
void nameOnSqlServer(QList<ReportPtr>& reports, const db::SqlServerFacts& facts, const db::Dialect& dialect,
    SqlServerQuestions& questions)
{
    if (facts.isAzureDatabase())
        return;
    ServerNames names(questions);
    for (const ReportPtr& report : std::as_const(reports))
        names.request(*report);
    names.ask(dialect);
    for (ReportPtr& report : reports) {
        auto named = std::make_shared<DeadlockReport>(*report);
        names.apply(*named);
        if (named->resources != report->resources || named->participants != report->participants)
            report = std::move(named);
    }
}

} // namespace

SqlServerDeadlockSource::SqlServerDeadlockSource(
    db::Connection& connection, std::optional<ServerTime> since, const SqlServerPace& pace)
    : DeadlockSource(connection)
    , m_pace(pace)
    , m_intake(since)
{
}

SqlServerDeadlockSource::~SqlServerDeadlockSource() = default;

const db::SqlServerFacts& SqlServerDeadlockSource::facts() const
{
    return db::SqlServerConnection::factsOf(connection());
}

/// True at most once in `pace`.
bool SqlServerDeadlockSource::isDue(const QString& what, milliseconds pace)
{
    const auto now = Clock::now();
    const auto last = m_read.find(what);
    if (last != m_read.end() && now - last->second < pace)
        return false;
    m_read[what] = now;
    return true;
}

Result<SourcePoll> SqlServerDeadlockSource::poll(const std::stop_token& stop)
{
    SourcePoll poll;
    if (facts().isOtherEngine()) {
        poll.limits
            << u"%1 keeps no reports of deadlocks that could be read this way: they stand in the log of the PostgreSQL within."_s
                   .arg(facts().display());
        return poll;
    }
    const auto started = Clock::now();
    SqlServerQuestions questions(connection(), poll, stop);
    LOCKSCOPE_TRY_GET(const auto answers, ask(questions, poll));
    if (!m_hasSearched)
        m_intake.setFirstPoll(questions.now());
    m_hasSearched = true;
    LOCKSCOPE_TRY(readAll(answers, questions, poll));
    nameOnSqlServer(poll.reports, facts(), connection().dialect(), questions);
    // Several sessions, and blocks whose events have no order.
    std::ranges::stable_sort(poll.reports, [](const ReportPtr& a, const ReportPtr& b) {
        return a->time.at.value_or(lastOfAll) < b->time.at.value_or(lastOfAll);
    });
    noteBlocked(answers, poll);
    noteCounter(poll);
    poll.limits.removeDuplicates();
    poll.clientTime = std::chrono::duration_cast<microseconds>(Clock::now() - started);
    return poll;
}

/// Asks, in one round trip, for the facts needed before any report is read. Facts that the role may not see
/// become limits.
Result<SqlServerDeadlockSource::Answers> SqlServerDeadlockSource::ask(
    SqlServerQuestions& questions, SourcePoll& poll)
{
    Answers answers;
    std::optional<qint64> total;
    const bool isAzure = facts().isAzureDatabase();
    std::vector<db::BatchItem> items;
    const auto add = [&items](const char* path, db::RowSink sink) {
        items.push_back({.statement = &db::Statement::get(path), .sink = std::move(sink)});
    };
    add(isAzure ? "sqlserver/deadlocks/sessions_of_database" : "sqlserver/deadlocks/sessions",
        [&answers](const db::Row& row) {
            answers.targets.push_back({.session = row.text(0),
                .isFile = row.text(1) == u"event_file",
                .file = row.text(2),
                .catchesDeadlocks = row.int64(3) != 0,
                .catchesBlocked = row.int64(4) != 0});
        });
    if (isAzure) {
        add("sqlserver/monitor/identity", [&answers](const db::Row& row) { answers.database = row.text(3); });
    } else {
        add("sqlserver/deadlocks/counter", [&total](const db::Row& row) { total = row.int64(0); });
        add("sqlserver/deadlocks/blocked_threshold",
            [&answers](const db::Row& row) { answers.threshold = static_cast<int>(row.int64(0)); });
    }
    const auto asked = questions.ask(items);
    for (const auto& result : asked) {
        if (result)
            continue;
        const Error& error = result.error();
        if (SqlServerQuestions::isFatal(error) || error.kind == ErrorKind::Timeout)
            return Failure(error);
        if (error.kind == ErrorKind::Permission)
            addMissingRight(error, poll);
        else
            poll.limits << sentences({error.what, error.detail});
    }
    answers.areTargetsKnown = asked.front().has_value();
    if (!answers.areTargetsKnown)
        answers.targets.clear();
    if (total)
        m_counter.take({{.name = u"deadlocks"_s, .total = *total}});
    return answers;
}

/// Newer versions name the missing right themselves.
void SqlServerDeadlockSource::addMissingRight(const Error& error, SourcePoll& poll) const
{
    static const QRegularExpression named(u"(VIEW [A-Z ]+?) permission was denied"_s);
    const auto match = named.match(error.detail);
    const QString right = match.hasMatch() ? match.captured(1) : facts().viewStateRight();
    poll.limits << u"The server's own records of deadlocks can't be read without the right %1: %2."_s.arg(
        right, facts().grantOf(right));
}

Result<void> SqlServerDeadlockSource::readAll(
    const Answers& answers, SqlServerQuestions& questions, SourcePoll& poll)
{
    if (facts().isAzureDatabase() && answers.database == u"master") {
        poll.origin = u"what Azure keeps of all databases of this logical server"_s;
        return readTelemetry(questions, poll);
    }
    bool readsDeadlocks = false;
    bool readsBlocked = false;
    QStringList files;
    QStringList rings;
    const auto note = [&](const Target& target) {
        readsDeadlocks |= target.catchesDeadlocks;
        readsBlocked |= target.catchesBlocked;
        (target.isFile ? files : rings) << target.session;
    };
    const bool isBoxed = facts().engineEdition <= lastBoxedEdition;
    const EventFileServer server{.isAzureDatabase = facts().isAzureDatabase(),
        .isManagedInstance = facts().engineEdition == managedInstance,
        .hasTimes = !isBoxed || facts().major() >= firstMajorWithTimes};
    QList<Target> buffers;
    for (const Target& target : answers.targets) {
        if (!target.isFile) {
            buffers << target;
            continue;
        }
        SqlServerEventFiles& reader =
            m_files.try_emplace(target.session + u'\n' + target.file, target.session, target.file, server)
                .first->second;
        const auto read = reader.read(questions, place(), m_pace.maxReports, m_intake, poll);
        if (!read && read.error().kind == ErrorKind::Permission)
            addMissingRight(read.error(), poll);
        else if (!read)
            return Failure(read.error());
        if (read && *read)
            note(target);
    }
    // An own session's before the server's: it is given whole, and holds less that nobody needs.
    std::stable_partition(buffers.begin(), buffers.end(),
        [](const Target& target) { return target.session != u"system_health"; });
    for (const Target& target : buffers) {
        if ((!target.catchesDeadlocks || readsDeadlocks) && (!target.catchesBlocked || readsBlocked))
            continue;
        LOCKSCOPE_TRY_GET(const auto read, readRing(target, questions, poll));
        if (read)
            note(target);
    }
    QStringList origins;
    if (!files.isEmpty())
        origins << u"event files of "_s + files.join(u", "_s);
    if (!rings.isEmpty())
        origins << u"ring buffer of "_s + rings.join(u", "_s);
    poll.origin = origins.join(u"; "_s);
    noteUncaught(answers, poll);
    return {};
}

void SqlServerDeadlockSource::noteUncaught(const Answers& answers, SourcePoll& poll) const
{
    const bool isAnyCaught =
        std::ranges::any_of(answers.targets, [](const Target& target) { return target.catchesDeadlocks; });
    if (answers.areTargetsKnown && !isAnyCaught)
        poll.limits
            << u"No event session that runs here catches deadlocks%1. An administrator can make one: %2"_s
                   .arg(facts().isAzureDatabase() ? u" of this database"_s : QString(),
                       statementToRun(facts().isAzureDatabase()
                               ? "sqlserver/deadlocks/make_session_of_database"
                               : "sqlserver/deadlocks/make_session"));
}

Result<bool> SqlServerDeadlockSource::readRing(
    const Target& target, SqlServerQuestions& questions, SourcePoll& poll)
{
    SqlServerRingBuffer& ring =
        m_rings.try_emplace(target.session, target.session, facts().isAzureDatabase()).first->second;
    if (!isDue(u"ring "_s + target.session, m_pace.ringBuffer)) {
        poll.limits << ring.limits();
        return true;
    }
    auto read = ring.read(questions, place(), m_intake, poll);
    if (read || SqlServerQuestions::isFatal(read.error()))
        return read;
    addMissingRight(read.error(), poll);
    return false;
}

Result<void> SqlServerDeadlockSource::readTelemetry(SqlServerQuestions& questions, SourcePoll& poll)
{
    if (!isDue(u"telemetry"_s, m_pace.telemetry)) {
        poll.limits << m_telemetryLimits;
        return {};
    }
    m_telemetryLimits.clear();
    std::vector<std::pair<ServerTime, QString>> events;
    const auto asked = questions.ask("sqlserver/deadlocks/telemetry",
        {m_telemetryFrom.value_or(m_intake.since()), m_pace.maxReports},
        [&events](const db::Row& row) { events.emplace_back(row.time(0), row.text(1)); });
    if (asked) {
        for (const auto& [at, event] : events)
            m_intake.take(event, place(), !m_isTelemetryRead, poll);
        m_isTelemetryRead = true;
        poll.isMoreToRead = qint64(events.size()) >= m_pace.maxReports;
        if (poll.isMoreToRead) {
            m_telemetryFrom = events.back().first;
            m_read.erase(u"telemetry"_s); // on with the next poll
        } else {
            m_telemetryFrom = std::max(m_intake.since(), questions.now() - telemetryOverlap);
        }
        return {};
    }
    const Error& error = asked.error();
    if (SqlServerQuestions::isFatal(error))
        return Failure(error);
    if (error.kind == ErrorKind::Permission)
        addMissingRight(error, poll);
    else
        m_telemetryLimits << asSentence(
            u"Azure's records of deadlocks can't be read: %1"_s.arg(error.detail));
    poll.limits << m_telemetryLimits;
    return {};
}

void SqlServerDeadlockSource::noteBlocked(const Answers& answers, SourcePoll& poll) const
{
    const bool isCaught =
        std::ranges::any_of(answers.targets, [](const Target& target) { return target.catchesBlocked; });
    if (!answers.threshold)
        return;
    const int seconds = *answers.threshold;
    if (seconds == 0) {
        poll.limits << (isCaught
                ? u"Blocked-process reports are caught, but never made: 'blocked process threshold (s)' is 0. From 5 on they are: EXEC sp_configure 'blocked process threshold', 10; RECONFIGURE."_s
                : u"There are no blocked-process reports: 'blocked process threshold (s)' is 0."_s);
        return;
    }
    if (seconds < minGoodThreshold)
        poll.limits
            << u"'blocked process threshold (s)' is %1: below 5 the server looks for blocked processes all the time, or not at all. EXEC sp_configure 'blocked process threshold', 5; RECONFIGURE."_s
                   .arg(seconds);
    if (!isCaught && !answers.targets.isEmpty())
        poll.limits
            << u"The server makes blocked-process reports (after %1 s), but no event session that runs catches them."_s
                   .arg(seconds);
}

void SqlServerDeadlockSource::noteCounter(SourcePoll& poll)
{
    poll.captured = m_intake.captured();
    if (facts().isAzureDatabase()) {
        poll.limits
            << u"Deadlocks are not counted here: the counter of Azure SQL Database may be that of several databases."_s;
        return;
    }
    if (!m_counter.isKnown())
        return;
    poll.counted = m_counter.counted();
    poll.countedIsAtLeast = m_counter.isAtLeast();
    poll.limits << m_counter.resets();
    if (*poll.counted > poll.captured && !poll.isMoreToRead && !poll.origin.isEmpty())
        poll.limits
            << u"The server counted more deadlocks than there are reports of. Event sessions hand reports over late (system_health after up to two minutes), and deadlocks of parallel threads that end without error 1205 make none."_s;
}

} // namespace lockscope::deadlock
