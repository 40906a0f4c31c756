// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A SQL Server, or somebody on the way to it, is silent or sends without end: lockctl gives it up in time,
// with an error, and does not fill the memory.

#include "tests/support/ProgramsGivenUp.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/MonitorAnswers.h"

#include <deque>

namespace tst_HostileSqlServer {

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::test::tds;
using Kind = Fault::Kind;
using Phase = Fault::Phase;

/// Faultless except for its one fault.
struct Hostile {
    explicit Hostile(const Fault& fault)
    {
        addSessionAnswers(server);
        monitor.show(Picture());
        server.setFault(fault);
    }

    TdsServer server;
    MonitorAnswers monitor{server};
};

class tst_HostileSqlServer : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void isGivenUpInTime_data()
    {
        addColumns<Phase, int>("phase", "after");
        row("before it lets in", Phase::Login, 0);
        row("when it has let in", Phase::Answer, 0);
        row("in the middle", Phase::Answer, 2);
    }
    void isGivenUpInTime()
    {
        FETCH(Phase, phase, int, after);
        std::deque<Hostile> servers;
        ProgramsGivenUp programs;
        for (const Kind kind : {Kind::Silence, Kind::Rows, Kind::Results, Kind::Messages, Kind::Trickle}) {
            // unixODBC does not cope with FreeTDS's answer about the login then.
            if (kind == Kind::Messages && phase == Phase::Login && driverInUse() == OdbcDriver::FreeTds)
                continue;
            const TdsServer& server =
                servers.emplace_back(Fault{.kind = kind, .phase = phase, .after = after}).server;
            programs.start(Lockctl(urlOf(server).toString(), passwordOf(server)), {u"list"_s});
        }
        programs.areGivenUp();
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_HostileSqlServer)

} // namespace tst_HostileSqlServer
#include "tst_HostileSqlServer.moc"
