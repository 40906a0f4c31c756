// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/RandomContention.h"

#include "tests/support/Waiting.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

static QString toText(const std::map<qint64, std::set<qint64>>& blockers)
{
    QStringList lines;
    for (const auto& [waiter, before] : blockers) {
        QStringList ids;
        for (const qint64 id : before)
            ids << QString::number(id);
        lines << u"%1 <- %2"_s.arg(waiter).arg(ids.join(u", "));
    }
    return lines.join(u"; ");
}

RandomContention::RandomContention(TestServer& server, Order order)
    : m_order(order)
    , m_random(order.seed)
{
    const auto url = server.freshDatabase(TestServer::Schema::None);
    for (int table = 0; table < 3; ++table) {
        server.run(url, u"CREATE TABLE t%1 (id int PRIMARY KEY, n int NOT NULL)"_s.arg(table));
        server.run(url, u"INSERT INTO t%1 VALUES (0, 0), (1, 0), (2, 0)"_s.arg(table));
    }
    for (int i = 0; i < m_order.contenders; ++i) {
        m_contenders.push_back(std::make_unique<Session>(server, url));
        // Deadlocks stay as they are: the detector would end them, or re-order the queue.
        if (!m_contenders.back()->run(u"SET deadlock_timeout = '1h'"_s)
            || !m_contenders.back()->run(u"BEGIN"_s))
            qFatal("a contender can't begin");
    }
    m_source = monitor::makeSnapshotSource({profileOf(url), server.passwords()});
    m_observer = server.connect(url);
}

/// One thing that a session may do next: locks of every kind that sessions wait for.
QString RandomContention::randomStep()
{
    static const QStringList modes{u"ACCESS SHARE"_s, u"ROW SHARE"_s, u"ROW EXCLUSIVE"_s,
        u"SHARE UPDATE EXCLUSIVE"_s, u"SHARE"_s, u"SHARE ROW EXCLUSIVE"_s, u"EXCLUSIVE"_s,
        u"ACCESS EXCLUSIVE"_s};
    static const QStringList strengths{u"UPDATE"_s, u"NO KEY UPDATE"_s, u"SHARE"_s, u"KEY SHARE"_s};
    switch (pick(8)) {
    case 0:
        return u"LOCK TABLE t%1 IN %2 MODE"_s.arg(pick(3)).arg(modes[pick(8)]);
    case 1:
        return u"SELECT * FROM t%1 WHERE id = %2 FOR %3"_s.arg(pick(3)).arg(pick(3)).arg(strengths[pick(4)]);
    case 2:
        return u"UPDATE t%1 SET n = n + 1 WHERE id = %2"_s.arg(pick(3)).arg(pick(3));
    case 3:
        return u"SELECT pg_advisory_xact_lock%1(%2)"_s.arg(pick(2) ? u"_shared"_s : QString()).arg(pick(3));
    case 4: // outlives the transaction
        return u"SELECT pg_advisory_lock%1(%2, 7)"_s.arg(pick(2) ? u"_shared"_s : QString()).arg(pick(2));
    case 5: // the second one waits for the first one's transaction
        return u"INSERT INTO t%1 VALUES (%2, 0) ON CONFLICT DO NOTHING"_s.arg(pick(3)).arg(3 + pick(2));
    case 6:
        return u"DELETE FROM t%1 WHERE id = %2"_s.arg(pick(3)).arg(3 + pick(2));
    default: // a whole table's rows, one after the other
        return u"SELECT * FROM t%1 ORDER BY id FOR %2"_s.arg(pick(3)).arg(strengths[pick(4)]);
    }
}

/// Returns false if the session that would be next waits.
bool RandomContention::takeStep(QString& sql)
{
    Session& contender = *m_contenders[std::size_t(pick(m_order.contenders))];
    sql = randomStep();
    const int end = pick(8);
    if (contender.isRunning())
        return false;
    if (end == 0) {
        sql = pick(2) ? u"COMMIT"_s : u"ROLLBACK"_s;
        contender.start(sql);
        sql += u", BEGIN"_s;
        contender.start(u"BEGIN"_s);
    } else {
        contender.start(sql);
    }
    return true;
}

/// True if everybody waits, or is done; after a release, several may go on one after the other.
bool RandomContention::isSettled() const
{
    std::set<qint64> waiting;
    const auto read = runSql(*m_observer,
        u"SELECT pid FROM pg_stat_activity WHERE state = 'active' AND wait_event_type = 'Lock'"_s, {},
        [&waiting](const db::Row& row) { waiting.insert(row.int64(0)); });
    return read && std::ranges::all_of(m_contenders, [&waiting](const auto& contender) {
        return !contender->isRunning() || waiting.contains(contender->id().value);
    });
}

RandomContention::Blockers RandomContention::byTheServer() const
{
    Blockers blockers;
    orDie(runSql(*m_observer,
        u"SELECT l.pid, b.pid FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) l, LATERAL unnest(pg_blocking_pids(l.pid)) AS b (pid)"_s,
        {}, [&](const db::Row& row) { blockers[row.int64(0)].insert(row.int64(1)); }));
    return blockers;
}

std::optional<QString> RandomContention::compare()
{
    const Blockers before = byTheServer();
    const auto taken = m_source->take();
    if (!taken)
        return taken.error().toString();
    if (byTheServer() != before)
        return std::nullopt;
    Blockers ours;
    for (const WaitEdge& edge : (*taken)->waits)
        ours[edge.waiter.value].insert(edge.blocker.value);
    m_waiters += static_cast<int>(before.size());
    if (ours == before)
        return QString();
    return u"we say %1; the server says %2"_s.arg(toText(ours), toText(before));
}

QString RandomContention::run()
{
    for (int step = 0; step < m_order.steps; ++step) {
        QString sql;
        if (!takeStep(sql))
            continue;
        std::optional<QString> difference;
        if (!waitUntil([&] { return isSettled() && (difference = compare()).has_value(); }))
            return u"step %1, %2: the sessions don't settle"_s.arg(step).arg(sql);
        if (!difference->isEmpty())
            return u"step %1, %2: %3"_s.arg(step).arg(sql, *difference);
    }
    return {};
}

} // namespace lockscope::test
