// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Precision of the claimed opposite orders, compared with the notes of the sessions themselves.

#include "core/monitor/SnapshotSource.h"
#include "core/order/OrderOfSnapshots.h"
#include "core/order/PotentialDeadlock.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_OrderPrecision {

using namespace lockscope;
using namespace lockscope::order;
using test::TestServer;
using Steady = std::chrono::steady_clock;

enum class Form {
    Table, ///< LOCK TABLE
    Row, ///< UPDATE of a row
    RowForUpdate,
    Name, ///< an advisory lock of the transaction
    SessionName, ///< one of the session
};

struct Step {
    int lock;
    Form form;
};

/// Locks that a session takes one after the other, and gives back at the end.
struct Script {
    std::vector<Step> steps;
    bool inTransaction = true;
};

/// Most keep to the order of their numbers. The exceptions: 0 and 3, 12 and 14, 22 and 23.
static const std::vector<Script>& scripts()
{
    using enum Form;
    static const std::vector<Script> all{
        // Tables.
        {{{0, Table}, {1, Table}}},
        {{{1, Table}, {2, Table}, {3, Table}}},
        {{{0, Table}, {2, Table}}},
        {{{0, Table}, {3, Table}}},
        {{{3, Table}, {0, Table}}},
        {{{3, Table}}},
        {{{1, Table}, {3, Table}, {1, Row}}}, // it has the table in a stronger mode already
        // Names of transactions and of sessions.
        {{{10, Name}, {11, Name}}},
        {{{11, Name}, {12, Name}, {13, Name}}},
        {{{13, Name}}},
        {{{12, Name}, {14, Name}}},
        {{{14, Name}, {12, Name}}},
        {{{10, Name}, {13, Name}}},
        {{{13, Name}, {15, SessionName}}},
        {{{11, SessionName}, {13, SessionName}}, false},
        {{{13, SessionName}}, false},
        // Rows.
        {{{20, Row}, {21, Row}}},
        {{{20, RowForUpdate}, {22, Row}, {20, Row}}}, // it has the row already
        {{{22, Row}, {23, Row}}},
        {{{23, Row}, {22, Row}}},
        {{{21, Row}}},
    };
    return all;
}

/// One to three names that follow each other, as most programs take them.
static Script namesInOrder(std::mt19937& random)
{
    Script script;
    int name = 10 + int(random() % 5);
    for (unsigned count = 1 + random() % 3; count > 0 && name < 20; --count) {
        script.steps.push_back({name, Form::Name});
        name += 1 + int(random() % 4);
    }
    return script;
}

using LockPair = std::pair<int, int>;

/// The orders in which locks were requested while others were held.
class Truth {
public:
    void note(const std::set<int>& held, int second)
    {
        const std::scoped_lock lock(m_mutex);
        for (const int first : held)
            m_orders.insert({first, second});
    }
    bool has(LockPair order) const
    {
        const std::scoped_lock lock(m_mutex);
        return m_orders.contains(order);
    }
    /// The pairs that were taken in both orders, the smaller number first.
    std::set<LockPair> opposites() const
    {
        const std::scoped_lock lock(m_mutex);
        std::set<LockPair> pairs;
        for (const auto& [first, second] : m_orders)
            if (first < second && m_orders.contains({second, first}))
                pairs.insert({first, second});
        return pairs;
    }

private:
    mutable std::mutex m_mutex;
    std::set<LockPair> m_orders;
};

/// Sessions that hold each lock for so long, one transaction right after the other.
class Load {
public:
    static constexpr int sessions = 4;
    static constexpr int locks = 24;

    Load(TestServer& server, const db::ServerUrl& url, int number, milliseconds hold)
        : m_server(server)
        , m_url(url)
        , m_number(number)
        , m_hold(hold)
    {
        for (int lock = 0; lock < locks; ++lock) {
            server.run(url, u"CREATE TABLE %1 (id int PRIMARY KEY, n int)"_s.arg(table(lock)));
            server.run(url, u"INSERT INTO %1 VALUES (1, 0)"_s.arg(table(lock)));
        }
        for (int session = 0; session < sessions; ++session)
            m_threads.emplace_back([this, session](const std::stop_token& stop) { work(session, stop); });
    }

    const Truth& truth() const { return m_truth; }
    milliseconds hold() const { return m_hold; }
    /// The number of a lock by its name in a finding; -1: it is none of this load.
    int lockOf(const QString& name) const
    {
        static const QRegularExpression pattern(u"(?:load|advisory key )(\\d)(?:_t)?(\\d\\d)$"_s);
        const auto match = pattern.match(name);
        return match.hasMatch() && match.captured(1).toInt() == m_number ? match.captured(2).toInt() : -1;
    }

private:
    QString table(int lock) const { return u"load%1_t%2"_s.arg(m_number).arg(lock, 2, 10, QChar(u'0')); }
    QString sqlOf(const Step& step) const
    {
        const QString key = QString::number(m_number * 100 + step.lock);
        switch (step.form) {
        case Form::Table:
            return u"LOCK TABLE %1 IN EXCLUSIVE MODE"_s.arg(table(step.lock));
        case Form::Row:
            return u"UPDATE %1 SET n = n + 1 WHERE id = 1"_s.arg(table(step.lock));
        case Form::RowForUpdate:
            return u"SELECT n FROM %1 WHERE id = 1 FOR UPDATE"_s.arg(table(step.lock));
        case Form::Name:
            return u"SELECT pg_advisory_xact_lock(%1)"_s.arg(key);
        case Form::SessionName:
            return u"SELECT pg_advisory_lock(%1)"_s.arg(key);
        }
        return {};
    }

    void work(int session, const std::stop_token& stop)
    {
        std::mt19937 random(unsigned(m_number * 10 + session));
        const auto connection = m_server.connect(m_url);
        const auto run = [&](const QString& sql) {
            return test::runSql(*connection, sql, {}, {}, stop).has_value();
        };
        while (!stop.stop_requested()) {
            const Script script =
                random() % 2 == 0 ? namesInOrder(random) : scripts()[random() % scripts().size()];
            if (script.inTransaction)
                run(u"BEGIN"_s);
            std::set<int> held;
            for (const Step& step : script.steps) {
                if (!held.contains(step.lock))
                    m_truth.note(held, step.lock);
                if (!run(sqlOf(step))) // it was the victim
                    break;
                held.insert(step.lock);
                std::this_thread::sleep_for(m_hold);
            }
            if (script.inTransaction)
                run(random() % 8 == 0 ? u"ROLLBACK"_s : u"COMMIT"_s);
            run(u"SELECT pg_advisory_unlock_all()"_s);
        }
    }

    TestServer& m_server;
    const db::ServerUrl m_url;
    const int m_number;
    const milliseconds m_hold;
    Truth m_truth;
    std::vector<std::jthread> m_threads; // last: they use the rest
};

/// The claims about a load, and the number of true ones.
struct Score {
    int claimed = 0;
    int right = 0;
    QStringList wrong;
    std::set<LockPair> found; ///< of the true ones
};

static Score scoreOf(const Findings& findings, const Load& load)
{
    Score score;
    for (const PotentialDeadlock& each : findings.all) {
        std::vector<LockPair> legs;
        for (const Leg& leg : each.legs)
            legs.emplace_back(load.lockOf(leg.first), load.lockOf(leg.second));
        if (legs.front().first < 0)
            continue;
        ++score.claimed;
        const bool isRight =
            std::ranges::all_of(legs, [&load](LockPair order) { return load.truth().has(order); });
        score.right += isRight ? 1 : 0;
        if (isRight && legs.size() == 2)
            score.found.insert(std::minmax(legs[0].first, legs[0].second));
        if (!isRight)
            score.wrong << each.title() << legText(each.legs.front()) << legText(each.legs.back());
    }
    return score;
}

class tst_OrderPrecision : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Loads of short, middling and long transactions, each watched by polls at two intervals at once. A slow
    /// machine sees less of them; the claims must be true all the same.
    void whatIsClaimedIsTrueAtAnyGrain()
    {
        TestServer& server = TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        std::vector<std::unique_ptr<Load>> loads;
        for (const int hold : {50, 150, 500})
            loads.push_back(std::make_unique<Load>(server, url, int(loads.size()) + 1, milliseconds(hold)));
        const auto source = monitor::makeSnapshotSource({test::profileOf(url), server.passwords()});
        constexpr milliseconds shortPause{100};
        constexpr int shortInLong = 5;
        constexpr int longPolls = 40;
        OrderOfSnapshots often;
        OrderOfSnapshots seldom;
        auto next = Steady::now();
        for (int poll = 0; poll < longPolls * shortInLong; ++poll) {
            const auto taken = source->take();
            VERIFY_DONE(taken);
            often.add(*taken);
            if (poll % shortInLong == 0)
                seldom.add(*taken);
            next += shortPause;
            std::this_thread::sleep_until(next);
        }
        std::size_t found = 0;
        for (const auto& load : loads) {
            for (const auto& [order, pause] :
                {std::pair(&seldom, shortPause * shortInLong), {&often, shortPause}}) {
                const Score score = scoreOf(potentialDeadlocks(order->order()), *load);
                const auto opposites = load->truth().opposites();
                found += score.found.size();
                qInfo(
                    "holds of %3d ms, polls each %3d ms: %d of %d claims true (precision %.2f), %d of %d pairs found (recall %.2f)",
                    int(load->hold().count()), int(pause.count()), score.right, score.claimed,
                    score.claimed > 0 ? double(score.right) / score.claimed : 1.0, int(score.found.size()),
                    int(opposites.size()), double(score.found.size()) / double(opposites.size()));
                QVERIFY2(score.right * 10 >= score.claimed * 9, qPrintable(score.wrong.join(u'\n')));
            }
        }
        QVERIFY2(found > 0, "the polls have seen too little");
    }
};

LOCKSCOPE_TEST(tst_OrderPrecision)

} // namespace tst_OrderPrecision
#include "tst_OrderPrecision.moc"
