// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A server, or somebody on the way to it, sends without end: lockctl gives it up in time, with an error, and
// does not fill the memory.
#include "tests/support/HostilePostgres.h"
#include "tests/support/ProgramsGivenUp.h"
#include "tests/support/TestProgram.h"

#include <deque>

namespace tst_HostileServer {

using namespace lockscope;
using namespace lockscope::test;
using Flood = HostilePostgres::Flood;

/// The server behind those that mean harm in the middle.
static TestServer& real()
{
    static TestServer server(TestServer::replicating());
    return server;
}

class tst_HostileServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isGivenUpInTime_data()
    {
        QTest::addColumn<Flood>("flood");
        row("says nothing", Flood::Silence);
        row("notices before it lets in", Flood::LoginNotices);
        row("parameters before it lets in", Flood::LoginParameters);
        row("a login byte by byte", Flood::LoginTrickle);
        row("rows", Flood::Rows);
        row("one row of a gigabyte", Flood::WideRow);
        row("results", Flood::Results);
        row("notices", Flood::Notices);
        row("notifications", Flood::Notifications);
        row("parameters", Flood::Parameters);
        row("copied data", Flood::CopyData);
        row("an answer byte by byte", Flood::Trickle);
    }
    void isGivenUpInTime()
    {
        QFETCH(Flood, flood);
        HostilePostgres server(flood);
        ProgramsGivenUp programs;
        programs.start(Lockctl(server.url().toString()), {u"list"_s});
        programs.areGivenUp();
    }

    /// The server has let the program in and answered all queries at the beginning of a connection.
    void isGivenUpInTheMiddle_data()
    {
        QTest::addColumn<Flood>("flood");
        row("says nothing any more", Flood::Silence);
        row("rows", Flood::Rows);
        row("notices", Flood::Notices);
        row("results", Flood::Results);
        row("an answer byte by byte", Flood::Trickle);
    }
    void isGivenUpInTheMiddle()
    {
        QFETCH(Flood, flood);
        const db::ServerUrl url = real().overTcp(real().url());
        ProgramsGivenUp programs;
        std::deque<HostilePostgres> servers;
        const auto against = [&](const QByteArray& turn, const QStringList& commands) {
            const HostilePostgres& server = servers.emplace_back(flood, url, turn);
            programs.start(Lockctl(server.url().toString(), real().password()), commands);
        };
        against("lockscope.acquire_lock(", {u"acquire job --no-wait"_s, u"run --no-wait job -- true"_s});
        against("FROM pg_catalog.pg_locks", {u"list"_s, u"tree"_s});
        against("'pg_signal_backend', 'USAGE'", {u"check"_s});
        against("pg_try_advisory_lock(",
            {u"run --kind app --no-wait job -- true"_s, u"run --kind app --wait 2s job -- true"_s});
        against("COMMIT", {u"run --kind locked-key --no-wait job -- true"_s});
        against("FOR UPDATE SKIP LOCKED", {u"run --kind locked-key --no-wait job -- true"_s});
        programs.areGivenUp();
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_HostileServer)

} // namespace tst_HostileServer
#include "tst_HostileServer.moc"
