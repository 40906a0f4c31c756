// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/SessionAnswers.h"

namespace tst_WireFaults {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace lockscope::test::tds;

constexpr int pollRows = 40;
const QString fourBytes = u"\U0001F512\U0001F600"_s;

/// Two result sets with a count between them, with NULLs and texts of every length.
static void answerPoll(const Request&, Reply& reply)
{
    reply.columns({{u"id"_s, bigint()}, {u"name"_s, nvarchar(255)}, {u"text"_s, nvarchar()}});
    for (int i = 0; i < pollRows; ++i)
        reply.row(
            {i, i % 3 ? Value(QString(i, u'ä')) : Value(), i % 2 ? Value(QString(i * 20, u'b')) : Value()});
    reply.affected(3);
    reply.table({{u"clock"_s, bigint()}, {u"ratio"_s, floating()}}, {{1, 0.5}, {Value(), Value()}});
}

class Double : public TdsServer {
public:
    Double()
    {
        addSessionAnswers(*this);
        answer(u"SELECT 1"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {{1}});
        });
        answer(u"EXEC poll"_s, answerPoll);
    }
    ServerUrl url() const { return urlOf(*this); }
    Result<std::unique_ptr<Connection>> open(const ConnectOptions& options = {}) const
    {
        return db::Server::at(url(), fixedPassword(passwordOf(*this))).connect(options);
    }
    /// Open, or the test program ends.
    std::unique_ptr<Connection> connect(const ConnectOptions& options = {}) const
    {
        return test::orDie(open(options));
    }
};

/// Gives up soon, so that a server that is silent doesn't cost the test much.
static ConnectOptions impatient()
{
    return {.purpose = Purpose::Monitor, .connectTimeout = 1s, .statementTimeout = 500ms};
}

/// Returns the fault of an error's texts: something that every error must say, or never may.
static QString faultIn(const Error& error, const Double& server)
{
    if (error.what.isEmpty())
        return u"nothing about what failed"_s;
    if (error.server != server.url().display())
        return u"another server: "_s + error.server;
    if (error.toString().contains(passwordOf(server)))
        return u"the password"_s;
    return {};
}

static void addPhases(std::initializer_list<Fault::Phase> phases, std::initializer_list<int> someBytes)
{
    static const QHash<Fault::Phase, const char*> names{{Fault::Phase::Connect, "connect"},
        {Fault::Phase::PreLogin, "pre-login"}, {Fault::Phase::Login, "login"},
        {Fault::Phase::Answer, "answer"}};
    test::addColumns<Fault::Phase, int>("phase", "bytes");
    for (const Fault::Phase phase : phases)
        for (const int bytes : someBytes)
            QTest::addRow("%s, %d bytes", names[phase], bytes) << phase << bytes;
}

/// A server, or a network, with all kinds of faults: always an error that says what and where; never a crash,
/// never a part taken for the whole.
class tst_WireFaults : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    // --- While connecting ---------------------------------------------------------------------------

    void aCutWhileConnecting_data()
    {
        addPhases({Fault::Phase::Connect, Fault::Phase::PreLogin, Fault::Phase::Login}, {0, 5, 30, 2000});
    }
    void aCutWhileConnecting() { refuses(Fault::Kind::Cut); }

    void garbageWhileConnecting_data()
    {
        addPhases({Fault::Phase::PreLogin, Fault::Phase::Login}, {5, 2000});
    }
    void garbageWhileConnecting() { refuses(Fault::Kind::Garbage); }

    void silenceWhileConnecting_data()
    {
        test::addColumns<Fault::Phase, int>("phase", "bytes");
        row("pre-login", Fault::Phase::PreLogin, 0);
        row("login", Fault::Phase::Login, 0);
        row("session set-up", Fault::Phase::Answer, 0);
    }
    void silenceWhileConnecting() { refuses(Fault::Kind::Silence); }

    // --- In an answer -------------------------------------------------------------------------------

    void anAnswerThatIsCutAnywhereIsAnError()
    {
        // The steps meet every part of a token.
        for (int bytes = 0;; bytes += bytes < 200 ? 13 : 1'777) {
            Double server;
            const auto connection = server.connect();
            server.setFault({Fault::Kind::Cut, Fault::Phase::Answer, bytes});
            const auto poll = runSql(*connection, u"EXEC poll"_s);
            if (poll) { // nothing was cut off
                QCOMPARE(*poll, pollRows + 2);
                QVERIFY(bytes > 15'000);
                break;
            }
            QVERIFY2(poll.error().kind == ErrorKind::Connection, qPrintable(poll.error().toString()));
            QCOMPARE(faultIn(poll.error(), server), QString());
            QVERIFY(!connection->isOpen());
        }
    }

    void aCutBetweenResultSetsIsAnError()
    {
        Double server;
        server.answer(u"EXEC half"_s, [](const Request& request, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {{1}, {2}});
            reply.done();
            reply.cutHere();
            answerPoll(request, reply);
        });
        const auto connection = server.connect();
        VERIFY_FAILS(ErrorKind::Connection, runSql(*connection, u"EXEC half"_s));
    }

    void garbageForAnAnswerIsAnError_data()
    {
        QTest::addColumn<int>("bytes");
        for (const int bytes : {1, 8, 100, 30'000})
            QTest::addRow("%d bytes", bytes) << bytes;
    }
    void garbageForAnAnswerIsAnError()
    {
        QFETCH(int, bytes);
        Double server;
        const auto connection = server.connect(impatient());
        server.setFault({Fault::Kind::Garbage, Fault::Phase::Answer, bytes});
        const auto poll = runSql(*connection, u"EXEC poll"_s);
        QVERIFY(!poll);
        QCOMPARE(faultIn(poll.error(), server), QString());
    }

    void garbageAmidTokensIsAnError()
    {
        Double server;
        server.answer(u"EXEC broken"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {{1}, {2}});
            reply.garbage(QByteArray(50, '\x02'));
            reply.row({3});
        });
        const auto connection = server.connect(impatient());
        const auto broken = runSql(*connection, u"EXEC broken"_s);
        QVERIFY2(!broken, broken ? qPrintable(u"rows: "_s + QString::number(*broken)) : "");
        QCOMPARE(faultIn(broken.error(), server), QString());
    }

    void slownessIsNoFault()
    {
        Double server;
        server.setDelay(50ms);
        const auto connection = server.connect();
        const auto poll = runSql(*connection, u"EXEC poll"_s);
        VERIFY_DONE(poll);
        QCOMPARE(*poll, pollRows + 2);
    }

    // --- What servers say ---------------------------------------------------------------------------

    void theVictimOfADeadlockCanGoOn()
    {
        Double server;
        server.answer(u"EXEC victim"_s, [](const Request&, Reply& reply) {
            reply.table({{u"n"_s, integer()}}, {{1}});
            reply.error(1205,
                u"Transaction (Process ID 51) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."_s,
                13, 51);
        });
        const auto connection = server.connect();
        const Statement victim = sqlStatement(u"EXEC victim"_s);
        const Statement one = sqlStatement(u"SELECT 1"_s);
        const auto alone = connection->execute(victim);
        VERIFY_FAILS(ErrorKind::Deadlock, alone);
        QCOMPARE(alone.error().nativeCode, u"1205"_s);
        const std::array items{BatchItem{&one}, BatchItem{&victim}, BatchItem{&one}};
        const auto results = connection->executeBatch(items);
        QVERIFY(results[0] && results[2]);
        QVERIFY(!results[1]);
        QCOMPARE(results[1].error().kind, ErrorKind::Deadlock);
        QVERIFY(connection->execute(one));
    }

    void aVeryLongMessageIsCarried()
    {
        const QString text = u"Löcher "_s.repeated(2'000) + fourBytes;
        Double server;
        server.answer(u"EXEC talk"_s, [&](const Request&, Reply& reply) { reply.error(50'001, text); });
        const auto connection = server.connect();
        const auto talk = runSql(*connection, u"EXEC talk"_s);
        QVERIFY(!talk);
        QCOMPARE(talk.error().nativeCode, u"50001"_s);
        QVERIFY2(
            talk.error().detail.startsWith(u"Löcher Löcher "_s), qPrintable(talk.error().detail.left(200)));
        QVERIFY(runSql(*connection, u"SELECT 1"_s));
    }

    void informationIsNoError()
    {
        Double server;
        server.answer(u"EXEC chat"_s, [](const Request&, Reply& reply) {
            reply.info(50'000, u"before"_s);
            reply.table({{u"n"_s, integer()}}, {{1}});
            reply.info(50'000, u"after"_s);
            reply.table({{u"n"_s, integer()}}, {{2}});
        });
        const auto connection = server.connect();
        const auto chat = runSql(*connection, u"EXEC chat"_s);
        VERIFY_DONE(chat);
        QCOMPARE(*chat, 2);
    }

    // --- Much, and odd ------------------------------------------------------------------------------

    void aHundredThousandRowsArrive()
    {
        constexpr int many = 100'000;
        Double server;
        server.answer(u"EXEC many"_s, [](const Request&, Reply& reply) {
            reply.columns({{u"id"_s, bigint()}, {u"name"_s, nvarchar(60)}, {u"nothing"_s, nvarchar(20)}});
            for (int i = 0; i < many; ++i)
                reply.row({i, u"key "_s + QString::number(i), Value()});
        });
        const auto connection = server.connect();
        qint64 next = 0;
        bool inOrder = true;
        const auto rows = runSql(*connection, u"EXEC many"_s, {}, [&](const Row& row) {
            inOrder = inOrder && row.int64(0) == next && row.text(1) == u"key "_s + QString::number(next)
                && row.isNull(2);
            ++next;
        });
        VERIFY_DONE(rows);
        QCOMPARE(*rows, many);
        QVERIFY(inOrder);
    }

    void nullsAndCharactersOfFourBytesArrive()
    {
        Double server;
        server.answer(u"SELECT @P1"_s, [](const Request& request, Reply& reply) {
            reply.columns({{u"a"_s, bigint()}, {u"b"_s, bit()}, {u"c"_s, floating()}, {u"d"_s, nvarchar(20)},
                {u"e"_s, nvarchar()}, {u"f"_s, tinyint()}, {fourBytes, nvarchar(100)}});
            reply.row(Values(7));
            reply.row({1, true, 0.5, fourBytes, fourBytes.repeated(3'000), 7, request.parameter(0)});
            reply.row(Values(7));
        });
        const auto connection = server.connect();
        std::vector<bool> nulls;
        QStringList texts;
        VERIFY_DONE(runSql(*connection, u"SELECT @P1"_s, {u"a"_s + fourBytes + u"b"_s}, [&](const Row& row) {
            for (int column = 0; column < 7; ++column)
                nulls.push_back(row.isNull(column));
            texts << row.text(3) << row.text(4) << row.text(6);
        }));
        std::vector<bool> expected(7, true);
        expected.insert(expected.end(), 7, false);
        expected.insert(expected.end(), 7, true);
        QVERIFY(nulls == expected);
        QCOMPARE(texts[3], fourBytes);
        QCOMPARE(texts[4], fourBytes.repeated(3'000));
        QCOMPARE(texts[5], u"a"_s + fourBytes + u"b"_s);
        QVERIFY(texts[0].isNull());
    }

private:
    /// The fault of the data row makes connecting fail in good time and with a good reason.
    static void refuses(Fault::Kind kind)
    {
        FETCH(Fault::Phase, phase, int, bytes);
        Double server;
        server.setFault({kind, phase, bytes});
        const auto opened = server.open(impatient());
        VERIFY_FAILS(ErrorKind::Connection, opened);
        QCOMPARE(faultIn(opened.error(), server), QString());
        QVERIFY(!opened.error().hint.isEmpty());
        // It was that server's fault only.
        server.setFault({});
        QVERIFY(server.open());
    }
};

LOCKSCOPE_TEST(tst_WireFaults)

} // namespace tst_WireFaults
#include "tst_WireFaults.moc"
