// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LockStorm.h"

#include "tests/support/Files.h"
#include "tests/support/Processes.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <csignal>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

/// The rows that the triggers write, in the order in which a name's rows changed: each waits for the one
/// before. synchronous_commit: a reported grant must outlive a crash of the server.
const char* const postgresHistory = R"(
CREATE SCHEMA storm;
CREATE TABLE storm.history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text, name text, token text, number bigint, session bigint, at bigint, expires bigint
);
CREATE FUNCTION storm.note(kind text, name text, token text, number bigint, session bigint, expires timestamptz)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO storm.history (kind, name, token, number, session, at, expires)
    VALUES ($1, $2, $3, $4, $5, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
        (extract(epoch FROM $6) * 1000000)::bigint)
$$;
-- Lockscope uses no table whose triggers call functions of another schema.
CREATE FUNCTION lockscope.storm_entry() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM storm.note('gone', OLD.name, OLD.token, OLD.fencing, OLD.session_id, OLD.expires_at);
    ELSIF TG_OP = 'UPDATE' AND OLD.token = NEW.token THEN
        PERFORM storm.note('prolonged', NEW.name, NEW.token, NEW.fencing, NEW.session_id, NEW.expires_at);
    ELSE
        PERFORM storm.note('granted', NEW.name, NEW.token, NEW.fencing, NEW.session_id, NEW.expires_at);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION lockscope.storm_waiter() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM storm.note('unregistered', OLD.name, '', OLD.ticket, OLD.session_id, OLD.expires_at);
    ELSE
        PERFORM storm.note('registered', NEW.name, '', NEW.ticket, NEW.session_id, NEW.expires_at);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER storm AFTER INSERT OR UPDATE OR DELETE ON lockscope.lock_entry
    FOR EACH ROW EXECUTE FUNCTION lockscope.storm_entry();
CREATE TRIGGER storm AFTER INSERT OR UPDATE OR DELETE ON lockscope.lock_waiter
    FOR EACH ROW EXECUTE FUNCTION lockscope.storm_waiter();
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database());
END $$;
)";

/// Fencing numbers come after the insertion. Nobody has a session: the token stands for it.
const char* const sqliteHistory = R"(
CREATE TABLE storm_history (id INTEGER PRIMARY KEY AUTOINCREMENT, kind, name, token, number, at, expires);
CREATE TRIGGER storm_granted AFTER UPDATE OF fencing ON lockscope_lock_entry
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires) VALUES ('granted', NEW.name, NEW.token, NEW.fencing,
        CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER), NEW.expires_at);
END;
CREATE TRIGGER storm_prolonged AFTER UPDATE OF expires_at ON lockscope_lock_entry WHEN NEW.token = OLD.token
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires)
    VALUES ('prolonged', NEW.name, NEW.token, NEW.fencing, 0, NEW.expires_at);
END;
CREATE TRIGGER storm_gone AFTER DELETE ON lockscope_lock_entry
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires)
    VALUES ('gone', OLD.name, OLD.token, OLD.fencing, 0, 0);
END;
CREATE TRIGGER storm_registered AFTER INSERT ON lockscope_lock_waiter
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires)
    VALUES ('registered', NEW.name, NEW.token, NEW.ticket, 0, NEW.expires_at);
END;
CREATE TRIGGER storm_renewed AFTER UPDATE ON lockscope_lock_waiter
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires)
    VALUES ('registered', NEW.name, NEW.token, NEW.ticket, 0, NEW.expires_at);
END;
CREATE TRIGGER storm_unregistered AFTER DELETE ON lockscope_lock_waiter
BEGIN
    INSERT INTO storm_history (kind, name, token, number, at, expires)
    VALUES ('unregistered', OLD.name, OLD.token, OLD.ticket, 0, 0);
END;
)";

QString wayName(StormWay way)
{
    switch (way) {
    case StormWay::Library:
        return u"library"_s;
    case StormWay::Lockctl:
        return u"lockctl"_s;
    case StormWay::Functions:
        return u"functions"_s;
    case StormWay::PlainSql:
        break;
    }
    return u"plain SQL"_s;
}

QList<QByteArrayList> linesOf(const QString& path)
{
    QList<QByteArrayList> lines;
    for (const QByteArray& line : contentOf(path).split('\n'))
        lines << line.split(' ');
    return lines;
}

} // namespace

LockStorm::LockStorm(const LockRig& rig, Order order)
    : m_rig(rig)
    , m_isFile(rig.variant().engine == Engine::Sqlite)
    , m_order(std::move(order))
    , m_random(m_order.seed)
{
    prepareHistory();
    if (!m_isFile)
        m_network = std::make_unique<FaultyNetwork>(rig.url());
    int number = 0;
    for (const StormWay way : m_order.ways) {
        Client client;
        client.way = way;
        client.number = ++number;
        // Every second one.
        client.isFar = m_network && number % 2 == 0;
        m_clients.push_back(std::move(client));
    }
}

LockStorm::~LockStorm() = default;

void LockStorm::prepareHistory() const
{
    m_rig.run(QString::fromLatin1(m_isFile ? sqliteHistory : postgresHistory));
}

void LockStorm::start(Client& client)
{
    client.files << m_directory.filePath(u"client%1-%2"_s.arg(client.number).arg(client.files.size() + 1));
    QStringList arguments{QString::number(static_cast<int>(client.way)), QString::number(m_order.names),
        client.files.last(), QString::number(m_random())};
    if (client.isFar)
        arguments << m_network->url().toString();
    client.process = std::make_unique<OtherProcess>(u"storm"_s, m_rig, arguments);
    client.wakesAt.reset();
}

QStringList LockStorm::run()
{
    const auto begin = Clock::now();
    for (Client& client : m_clients)
        start(client);
    auto nextStrike = begin + milliseconds(500);
    auto nextPoll = begin;
    const bool isDone = waitUntil(
        [&] {
            const auto now = Clock::now();
            wake(now);
            if (m_order.strikes && now >= nextStrike) {
                strike();
                nextStrike = now + milliseconds(pick(2 * int(m_order.strikes->count())));
            }
            if (now < nextPoll)
                return false;
            nextPoll = now + milliseconds(100);
            drain();
            return m_history.grants() >= m_order.grants && countLines('O') >= m_order.overlaps;
        },
        m_order.patience);
    if (!isDone)
        m_faults << u"stuck: %1 grants, %2 overlaps"_s.arg(m_history.grants()).arg(countLines('O'));
    if (!calmDown())
        m_faults << u"queue: not everybody is granted something once nothing goes wrong any more"_s;
    makeFile(m_directory.filePath(u"stop"_s));
    for (Client& client : m_clients)
        client.process->wait();
    drain();
    readFiles();
    m_took = Clock::now() - begin;
    return m_faults + m_history.faults();
}

void LockStorm::strike()
{
    static const std::vector<Strike> all{Strike::Kill, Strike::Kill, Strike::Stop, Strike::Stop,
        Strike::EndSession, Strike::EndSession, Strike::Cut, Strike::Stall, Strike::Purge, Strike::Crash};
    Strike chosen = all[std::size_t(pick(int(all.size())))];
    // Everybody is cut off by it: seldom.
    if (chosen == Strike::Crash && pick(3) != 0)
        chosen = Strike::Kill;
    if (m_isFile)
        chosen = pick(2) ? Strike::Kill : Strike::Stop;
    ++m_strikes[chosen];
    Client& client = m_clients[std::size_t(pick(int(m_clients.size())))];
    switch (chosen) {
    case Strike::Kill:
        if (client.way == StormWay::Lockctl) {
            for (const qint64 target : targets(client))
                ::kill(pid_t(target), SIGKILL);
            break;
        }
        client.process->kill();
        start(client);
        break;
    case Strike::Stop:
        if (client.wakesAt)
            break;
        client.stopped = targets(client);
        for (const qint64 target : client.stopped)
            ::kill(pid_t(target), SIGSTOP);
        // Often for longer than its lease.
        client.wakesAt = Clock::now() + milliseconds(100 + pick(2'500));
        break;
    case Strike::EndSession:
        (void)ask(
            u"SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1) AS one"_s);
        break;
    case Strike::Cut:
        m_network->cut();
        m_network->mend();
        break;
    case Strike::Stall:
        m_network->stall();
        m_stallEnds = Clock::now() + milliseconds(100 + pick(1'000));
        break;
    case Strike::Crash:
        crashServer();
        break;
    case Strike::Purge:
        (void)ask(u"SELECT lockscope.purge_stale()"_s);
        break;
    }
}

std::vector<qint64> LockStorm::targets(const Client& client)
{
    if (client.way != StormWay::Lockctl)
        return {client.process->id()};
    const auto started = childrenOf(client.process->id(), "lockctl");
    return {started.begin(), started.end()};
}

/// One of its processes dies in the midst of its work: the server ends all sessions and starts again.
void LockStorm::crashServer()
{
    drain();
    if (const auto own = ask(u"SELECT pg_backend_pid()"_s))
        ::kill(pid_t(*own), SIGKILL);
    m_observer.reset();
}

void LockStorm::wake(Clock::time_point now)
{
    for (Client& client : m_clients) {
        if (!client.wakesAt || now < *client.wakesAt)
            continue;
        for (const qint64 target : client.stopped)
            ::kill(pid_t(target), SIGCONT);
        client.wakesAt.reset();
    }
    if (m_stallEnds && now >= *m_stallEnds) {
        m_network->mend();
        m_stallEnds.reset();
    }
}

bool LockStorm::calmDown()
{
    wake(Clock::time_point::max());
    std::vector<qint64> sizes;
    for (const Client& client : m_clients)
        sizes.push_back(QFileInfo(client.files.last()).size());
    return waitUntil([&] {
        drain();
        for (std::size_t i = 0; i < m_clients.size(); ++i)
            if (QFileInfo(m_clients[i].files.last()).size() <= sizes[i])
                return false;
        return true;
    });
}

bool LockStorm::connect()
{
    if (m_observer && m_observer->isOpen())
        return true;
    auto opened = m_rig.server().connect();
    if (opened)
        m_observer = std::move(*opened);
    return opened.has_value();
}

std::optional<qint64> LockStorm::ask(const QString& sql)
{
    std::optional<qint64> answer;
    if (connect())
        (void)runSql(*m_observer, sql, {}, [&answer](const db::Row& row) { answer = row.int64(0); });
    return answer;
}

Result<qint64> LockStorm::takeFromServer(const db::RowSink& keep)
{
    return runSql(*m_observer,
        u"WITH seen AS (DELETE FROM storm.history RETURNING *) SELECT kind, name, token, number, session, at, expires FROM seen ORDER BY id"_s,
        {}, keep);
}

Result<qint64> LockStorm::takeFromFile(const db::RowSink& keep)
{
    if (auto begun = m_observer->begin(); !begun)
        return Failure(begun.error());
    auto result = runSql(*m_observer,
        u"SELECT kind, name, token, number, 0, at, expires FROM storm_history ORDER BY id"_s, {}, keep);
    if (result)
        result = runSql(*m_observer, u"DELETE FROM storm_history"_s);
    if (!result) {
        (void)m_observer->rollback();
        return result;
    }
    if (auto committed = m_observer->commit(); !committed) {
        (void)m_observer->rollback();
        return Failure(committed.error());
    }
    return result;
}

void LockStorm::drain()
{
    struct Event {
        QString kind;
        LockHistory::Entry entry;
    };
    std::vector<Event> events;
    if (!connect())
        return;
    const auto keep = [this, &events](const db::Row& row) {
        Event event{
            row.text(0), {row.text(1), row.text(2), row.int64(3), row.int64(4), row.int64(5), row.int64(6)}};
        if (m_isFile)
            event.entry.session = qint64(qHash(event.entry.token));
        events.push_back(std::move(event));
    };
    if (const auto read = m_isFile ? takeFromFile(keep) : takeFromServer(keep); !read) {
        // Nobody but us ends this session, and we don't do it yet. A client may stand still in the middle of
        // a write.
        if (read.error().kind != ErrorKind::Timeout)
            qWarning("%s", qPrintable(read.error().toString()));
        return;
    }
    for (const auto& [kind, entry] : events) {
        if (kind == u"granted"_s)
            m_history.granted(entry);
        else if (kind == u"prolonged"_s)
            m_history.prolonged(entry.name, entry.token, entry.expiresAt);
        else if (kind == u"gone"_s)
            m_history.gone(entry.name, entry.token, entry.at);
        else if (kind == u"registered"_s)
            m_history.registered({entry.name, entry.fencing, entry.session, entry.expiresAt});
        else
            m_history.unregistered(entry.name, entry.fencing);
    }
}

qint64 LockStorm::countLines(char kind) const
{
    qint64 count = 0;
    if (m_order.overlaps > 0)
        for (const Client& client : m_clients)
            for (const QString& file : client.files)
                count += std::ranges::count_if(linesOf(file),
                    [kind](const QByteArrayList& line) { return line.first() == QByteArray(1, kind); });
    return count;
}

void LockStorm::readFiles()
{
    for (const Client& client : m_clients) {
        QHash<std::pair<QByteArray, QByteArray>, LockHistory::Hold> holds;
        for (const QString& file : client.files) {
            for (const QByteArrayList& line : linesOf(file)) {
                if (line.first() == "O")
                    ++m_overlaps;
                if (line.size() < 4)
                    continue;
                auto& hold = holds[{line[1], line[2]}];
                if (line.first() == "G" && line.size() > 4) {
                    const qint64 from = line[3].toLongLong();
                    hold = {QString::fromUtf8(line[1]), wayName(client.way) + QString::number(client.number),
                        line[2].toLongLong(), from, std::max(from, line[4].toLongLong())};
                } else if (line.first() == "R") {
                    hold.until = std::max(hold.from, line[3].toLongLong());
                } else if (line.first() == "E") {
                    const qint64 end = line[3].toLongLong();
                    // lockctl's script doesn't know its lease, and ends at once.
                    hold.until = client.way == StormWay::Lockctl ? end : std::min(hold.until, end);
                }
            }
        }
        for (const LockHistory::Hold& hold : holds) {
            // Its lease was over before it was reported.
            if (hold.fencing != 0 && hold.until > hold.from)
                m_history.noteGrant(hold);
        }
        m_held[client.way] += holds.size();
    }
}

QString LockStorm::report() const
{
    QStringList ways;
    for (const auto& [way, count] : m_held)
        ways << u"%1 %2"_s.arg(wayName(way)).arg(count);
    const auto struck = [this](Strike strike) {
        const auto found = m_strikes.find(strike);
        return QString::number(found == m_strikes.end() ? 0 : found->second);
    };
    return u"%1 grants (%2 of waiters) in %3 s; told: %4; overlaps: %5; kills %6, stops %7, sessions ended %8, cuts %9, stalls %10, crashes of the server %11, purges %12"_s
        .arg(m_history.grants())
        .arg(m_history.grantsOfWaiters())
        .arg(std::chrono::duration<double>(m_took).count(), 0, 'f', 1)
        .arg(ways.join(u", "_s))
        .arg(m_overlaps)
        .arg(struck(Strike::Kill), struck(Strike::Stop), struck(Strike::EndSession), struck(Strike::Cut),
            struck(Strike::Stall), struck(Strike::Crash), struck(Strike::Purge));
}

} // namespace lockscope::test
