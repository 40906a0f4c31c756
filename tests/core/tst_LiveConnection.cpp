// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LiveConnection.h"
#include "tests/support/TestProgram.h"

namespace tst_LiveConnection {

using namespace lockscope;
using db::LiveConnection;
using db::Server;

/// A file behind an address that must be resolved first, which can fail.
struct Bench {
    std::shared_ptr<int> asked = std::make_shared<int>(0);
    std::shared_ptr<std::optional<ErrorKind>> failing = std::make_shared<std::optional<ErrorKind>>();

    Server server() const
    {
        const auto file = db::ServerUrl::parse(u"sqlite://"_s + test::freshPath(u"locks.db"_s));
        return Server::parse(u"sandbox:"_s,
            [file = *file, count = asked, kind = failing](const Server& given) -> Result<Server> {
                ++*count;
                if (*kind)
                    return failure(**kind, u"It can't be started."_s, u"Try."_s);
                Server resolved = given;
                resolved.profile.url = file;
                return resolved;
            })
            .value();
    }
    static db::ConnectOptions options() { return {.createFile = true}; }
};

class tst_LiveConnection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensOnce()
    {
        const Bench bench;
        LiveConnection live(bench.server(), Bench::options());
        QVERIFY(!live.isOpen());
        QCOMPARE(*bench.asked, 0);
        QCOMPARE(live.ensureOpen().value(), true);
        QCOMPARE(live.ensureOpen().value(), false);
        QCOMPARE(live.tryNow().value(), false);
        QCOMPARE(*bench.asked, 1);
        QCOMPARE(live->engine(), Engine::Sqlite);
    }

    void opensAgainAfterALossOnly()
    {
        const Bench bench;
        LiveConnection live(bench.server(), Bench::options());
        QVERIFY(live.ensureOpen());
        Error error;
        error.kind = ErrorKind::Permission;
        live.noteFailure(error);
        QVERIFY(live.isOpen());
        error.kind = ErrorKind::Connection;
        live.noteFailure(error);
        QVERIFY(!live.isOpen());
        QCOMPARE(live.ensureOpen().value(), true);
        QCOMPARE(*bench.asked, 2);
    }

    void triesEachTimeWhatCannotBeReached()
    {
        const Bench bench;
        *bench.failing = ErrorKind::Connection;
        LiveConnection live(bench.server(), Bench::options());
        QCOMPARE(live.ensureOpen().error().kind, ErrorKind::Connection);
        QCOMPARE(live.ensureOpen().error().hint, u"Try."_s);
        QCOMPARE(*bench.asked, 2);
        bench.failing->reset();
        QVERIFY(live.ensureOpen());
    }

    void aRefusedLogInIsForAPersonToTryAgain()
    {
        const Bench bench;
        *bench.failing = ErrorKind::Login;
        LiveConnection live(bench.server(), Bench::options());
        for (int i = 0; i < 3; ++i) {
            const auto refused = live.ensureOpen();
            QCOMPARE(refused.error().kind, ErrorKind::Login);
            QVERIFY(refused.error().hint.contains(u"not tried again by itself"_s));
        }
        QCOMPARE(*bench.asked, 1);
        QCOMPARE(live.tryNow().error().hint, u"Try."_s);
        QCOMPARE(*bench.asked, 2);
        QVERIFY(!live.ensureOpen());
        QCOMPARE(*bench.asked, 2);
        bench.failing->reset();
        QVERIFY(live.tryNow());
        live.close();
        QVERIFY(live.ensureOpen());
    }

    void anAddressThatNobodyResolvesIsNoServer()
    {
        const auto server = test::orDie(Server::parse(u"sandbox:"_s));
        QCOMPARE(server.connect().error().kind, ErrorKind::Unsupported);
        QCOMPARE(Server::parse(u"nonsense"_s).error().kind, ErrorKind::BadInput);
    }
};

LOCKSCOPE_TEST(tst_LiveConnection)

} // namespace tst_LiveConnection
#include "tst_LiveConnection.moc"
