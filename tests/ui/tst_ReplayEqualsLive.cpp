// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A recording shows the same as the window did: every page, row for row and column for column, of random
// contention on each engine.

#include "core/monitor/History.h"
#include "core/record/Recorder.h"
#include "tests/support/LockRig.h"
#include "tests/support/Recordings.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_ReplayEqualsLive {

using namespace lockscope;
using namespace lockscope::ui;

/// Sessions that take locks, wait and release them at random.
class Contention {
public:
    virtual ~Contention() = default;
    virtual db::Server server() const = 0;
    virtual void step() = 0;

protected:
    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_dice); }

private:
    std::mt19937 m_dice{7};
};

/// Names of the lock table, taken by real clients.
class LockTableContention : public Contention {
public:
    explicit LockTableContention(Engine engine)
        : m_rig({engine, locks::LockKind::Table})
    {
        for (int i = 0; i < 5; ++i)
            m_clients.push_back({std::make_unique<test::Contender>(m_rig), {}});
    }
    db::Server server() const override { return m_rig.server(); }
    void step() override
    {
        Client& client = m_clients[static_cast<size_t>(pick(static_cast<int>(m_clients.size())))];
        if (client.answer.valid()) {
            if (client.answer.wait_for(0s) != std::future_status::ready)
                return; // it waits
            client.holds = client.answer.get().isGranted();
        }
        if (client.holds) {
            static_cast<void>(client.contender->release());
            client.holds = false;
            return;
        }
        client.answer = client.contender->ask(m_rig.requestFor(u"nightly-%1"_s.arg(pick(3)), 2s));
    }

protected:
    const test::LockRig& rig() const { return m_rig; }

private:
    struct Client {
        std::unique_ptr<test::Contender> contender;
        std::future<test::LockReply> answer;
        bool holds = false;
    };
    test::LockRig m_rig;
    std::vector<Client> m_clients;
};

/// Also takes locks of PostgreSQL itself.
class PostgresContention final : public LockTableContention {
public:
    PostgresContention()
        : LockTableContention(Engine::Postgres)
    {
        auto& postgres = test::TestServer::shared();
        postgres.run(rig().url(),
            u"CREATE TABLE orders (id int PRIMARY KEY, n int); INSERT INTO orders VALUES (0, 0), (1, 0), (2, 0); CREATE TABLE items (id int)"_s);
        for (int i = 0; i < 6; ++i)
            m_sessions.push_back(std::make_unique<test::Session>(postgres, rig().url(), u"shop %1"_s.arg(i)));
    }
    ~PostgresContention() override
    {
        for (const auto& session : m_sessions)
            session->cancel();
    }
    void step() override
    {
        LockTableContention::step();
        static const QStringList steps{u"BEGIN; LOCK TABLE items IN SHARE MODE"_s,
            u"BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE"_s,
            u"BEGIN; UPDATE orders SET n = n + 1 WHERE id = 1"_s,
            u"BEGIN; SELECT * FROM orders WHERE id = 2 FOR UPDATE"_s, u"SELECT pg_advisory_lock(4711)"_s,
            u"SELECT pg_advisory_unlock_all()"_s, u"COMMIT"_s, u"ROLLBACK"_s};
        test::Session& session = *m_sessions[static_cast<size_t>(pick(static_cast<int>(m_sessions.size())))];
        if (!session.isRunning())
            session.start(steps[pick(static_cast<int>(steps.size()))]);
    }

private:
    std::vector<std::unique_ptr<test::Session>> m_sessions;
};

/// A SQL Server's views as its double shows them.
class SqlServerContention final : public Contention {
public:
    SqlServerContention()
        : m_answers(m_server)
    {
        step();
    }
    db::Server server() const override
    {
        const db::ServerProfile profile = test::profileOf(test::tds::urlOf(m_server), u"prod"_s);
        return {profile, db::fixedPassword(test::tds::passwordOf(m_server))};
    }
    void step() override
    {
        test::tds::Picture picture;
        picture.names[{u"[orders]"_s, 7}] = u"dbo.orders"_s;
        picture.names[{u"[orders]"_s, 8}] = u"dbo.items"_s;
        picture.nowUs += ++m_steps * 1'000'000LL;
        for (const int head : {71, 72}) {
            if (pick(4) == 0)
                continue;
            const auto length = 10'000 + m_steps * 1'000;
            picture.session(head, "billing").sleeping(length).inTransaction(length, 7'000 + head);
            picture.lock(head, "OBJECT", head - 64, "X").of(7'000 + head);
            const auto held = picture.locks.back();
            for (int i = pick(4); i > 0; --i) {
                const int waiter = head * 10 + i;
                const int waited = 1'000 + pick(200'000);
                picture.session(waiter, "shop");
                picture.request(waiter, "UPDATE", waited).blocker = head;
                picture.waitingLock(held, waiter, "IX", waited, head);
            }
        }
        m_answers.show(picture);
    }

private:
    test::tds::TdsServer m_server;
    test::tds::MonitorAnswers m_answers;
    int m_steps = 0;
};

static std::unique_ptr<Contention> contentionOn(Engine engine)
{
    if (engine == Engine::Postgres)
        return std::make_unique<PostgresContention>();
    if (engine == Engine::SqlServer)
        return std::make_unique<SqlServerContention>();
    return std::make_unique<LockTableContention>(engine);
}

/// Returns all texts of a model, a line for each cell.
static void addCells(
    const QAbstractItemModel& model, const QModelIndex& parent, const QString& path, QStringList& lines)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QString place = u"%1/%2"_s.arg(path).arg(row);
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex cell = model.index(row, column, parent);
            const QString name = model.headerData(column, Qt::Horizontal).toString();
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)})
                lines << u"%1 %2 %3: %4"_s.arg(place, name).arg(role).arg(cell.data(role).toString());
        }
        addCells(model, model.index(row, 0, parent), place, lines);
    }
}

static QStringList cellsOf(const QAbstractItemModel& model)
{
    QStringList lines;
    addCells(model, {}, {}, lines);
    return lines;
}

class tst_ReplayEqualsLive : public QObject {
    Q_OBJECT

    /// Every page's model of one snapshot.
    static QMap<QString, QStringList> pagesOf(const SnapshotPtr& snapshot, const db::ServerProfile& profile)
    {
        QSettings settings(test::freshPath(u"s.ini"_s), QSettings::IniFormat);
        const auto stopped = std::chrono::steady_clock::now();
        AppContext context(settings, nullptr, [stopped] { return stopped; });
        context.setServer(profile, nullptr, nullptr);
        context.noteSnapshot(*snapshot);
        LocksModel locks(context);
        locks.showSnapshot(snapshot);
        LockTableModel lockTable(context);
        lockTable.showSnapshot(snapshot);
        SessionsModel sessions(context);
        sessions.showSnapshot(snapshot);
        BlockingTreeModel blocking(context);
        blocking.apply(blockingForest(*snapshot, LockThresholds().hold.amber), snapshot->takenAt);
        const monitor::Figures figures = monitor::figuresOf(*snapshot);
        QStringList overview{QString::number(figures.holders), QString::number(figures.holdingSessions),
            QString::number(figures.waiters), figures.longestWait.toString(),
            QString::number(figures.longestWaiter.value), QString::number(figures.stale),
            figures.oldestHold.toString()};
        for (const auto& [name, count] : figures.waitersByName)
            overview << u"%1: %2"_s.arg(name).arg(count);
        for (const Limitation& limitation : snapshot->limitations)
            overview << limitation.what << limitation.remedy;
        overview << QString::number(snapshot->cost.roundTrip.count()) << snapshot->serverVersion;
        return {{u"overview"_s, overview}, {u"blocking"_s, cellsOf(blocking)}, {u"locks"_s, cellsOf(locks)},
            {u"lock-table"_s, cellsOf(lockTable)}, {u"sessions"_s, cellsOf(sessions)}};
    }

private Q_SLOTS:
    void eachPageRowForRow_data()
    {
        test::addRows<Engine>("engine",
            {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite},
                {"SQL Server, double", Engine::SqlServer}});
    }

    void eachPageRowForRow()
    {
        QFETCH(const Engine, engine);
        const QString path = test::freshPath(u"live.lockscope"_s);
        const auto contention = contentionOn(engine);
        const db::Server server = contention->server();
        const auto recorder = std::make_shared<record::Recorder>(path,
            record::Identity{.id = u"test"_s,
                .server = server.display(),
                .engine = engine,
                .began = {1},
                .program = u"tst_ReplayEqualsLive"_s},
            record::Retention());
        const auto source = record::recorded(monitor::makeSnapshotSource(server), recorder);
        std::vector<SnapshotPtr> live;
        constexpr int pollCount = 70; // beyond a key frame
        for (int poll = 0; poll < pollCount; ++poll) {
            for (int step = 0; step < 3; ++step)
                contention->step();
            const auto taken = source->take();
            VERIFY_DONE(taken);
            live.push_back(*taken);
            TRY_COMPARE(recorder->state().frames, poll + 1);
        }
        const auto waits = std::ranges::count_if(
            live, [](const SnapshotPtr& one) { return monitor::figuresOf(*one).waiters > 0; });
        QVERIFY2(waits > pollCount / 10, qPrintable(QString::number(waits))); // there was contention

        const auto reader = test::readRecording(path);
        std::mt19937 dice(3);
        int rows = 0;
        for (int i = 0; i < 40; ++i) {
            const SnapshotPtr& chosen = live[dice() % live.size()];
            // The clock of a file has milliseconds: of several within one, the last is shown.
            const SnapshotPtr& then = *std::find_if(live.rbegin(), live.rend(),
                [&chosen](const SnapshotPtr& one) { return one->takenAt == chosen->takenAt; });
            const auto replayed = reader->at(then->takenAt);
            VERIFY_DONE(replayed);
            QCOMPARE((*replayed)->number, then->number);
            const auto expected = pagesOf(then, server.profile);
            const auto found = pagesOf(*replayed, server.profile);
            for (const QString& page : expected.keys()) {
                rows += static_cast<int>(expected[page].size());
                QVERIFY2(found[page] == expected[page],
                    qPrintable(u"%1 at %2:\n%3\ninstead of\n%4"_s.arg(page, then->takenAt.toIsoString(),
                        found[page].join(u'\n'), expected[page].join(u'\n'))));
            }
        }
        QVERIFY(rows > 1'000);
    }
};

LOCKSCOPE_TEST(tst_ReplayEqualsLive)

} // namespace tst_ReplayEqualsLive
#include "tst_ReplayEqualsLive.moc"
