// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The manual's lines that set up an agent with a team's history are run as they are written.

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <unistd.h>

namespace tst_AgentSetup {

using namespace lockscope;
using test::TestServer;

class tst_AgentSetup : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLinesOfTheManualSetUpAnAgent()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can have a file system of its own to write to.");
        if (QProcess::execute(u"unshare"_s, {u"-m"_s, u"mount"_s, u"-t"_s, u"tmpfs"_s, u"none"_s, u"/mnt"_s})
            != 0)
            QSKIP("Nothing can be mounted here.");
        TestServer server(TestServer::replicating());
        const db::ServerUrl url = server.overTcp(server.url());
        server.run(url, u"CREATE ROLE dba LOGIN CREATEROLE PASSWORD 'of-dba'"_s);
        server.run(url, u"CREATE DATABASE history OWNER dba ENCODING 'UTF8' TEMPLATE template0"_s);
        const QString source = test::sourcePath();
        QProcess setup;
        setup.setProcessChannelMode(QProcess::MergedChannels);
        setup.start(u"unshare"_s,
            {u"-m"_s, u"-p"_s, u"-f"_s, u"--kill-child"_s, source + u"tests/engines/agent-setup"_s,
                source + u"resources/help/agent.md"_s,
                source + u"packaging/systemd/lockscope-agent.service"_s, test::programPath("lockctl"),
                url.host, QString::number(url.port)});
        const bool isDone = setup.waitForFinished(120'000) && setup.exitCode() == 0;
        QVERIFY2(isDone, setup.readAll());
    }
};

LOCKSCOPE_TEST(tst_AgentSetup)

} // namespace tst_AgentSetup
#include "tst_AgentSetup.moc"
