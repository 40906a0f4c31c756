// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlUninstall {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlUninstall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { test::addRows<bool>("file", {{"PostgreSQL", false}, {"SQLite", true}}); }
    void init()
    {
        QFETCH_GLOBAL(bool, file);
        m_directory = std::make_unique<QTemporaryDir>();
        TestServer& server = TestServer::shared();
        m_lockctl = file
            ? Lockctl(u"sqlite://"_s + m_directory->filePath(u"locks.db"_s))
            : Lockctl(server.freshDatabase(TestServer::Schema::None).toString(), server.password());
        QCOMPARE(m_lockctl("install").code, 0);
        QCOMPARE(m_lockctl("acquire nightly").code, 0);
        QCOMPARE(m_lockctl("acquire weekly").code, 0);
        QCOMPARE(m_lockctl("release weekly --force --yes --reason r").code, 0);
    }

    void aProgramMustSayYes()
    {
        const auto asked = m_lockctl("uninstall");
        VERIFY_CODE(2, asked);
        QVERIFY2(asked.out.contains(u"1 entry "_s) && asked.out.contains(u"1 row "_s), asked.allOutput());
        QVERIFY2(asked.err.contains(u"Nothing was removed"_s) && asked.err.contains(u"--yes"_s),
            asked.allOutput());
        QCOMPARE(m_lockctl("list --json").json()[u"entries"].toArray().size(), 1);
        const auto json = m_lockctl("uninstall --json");
        QCOMPARE(json.code, 2);
        QCOMPARE(json.json()[u"entries"].toInt(-1), 1);
        QCOMPARE(json.json()[u"audit_rows"].toInt(-1), 1);
        QCOMPARE(json.json()[u"waiters"].toInt(-1), 0);
        QCOMPARE(json.json()[u"removed"].toBool(true), false);
    }

    void yesRemovesAll()
    {
        const auto removed = m_lockctl("uninstall --yes");
        VERIFY_CODE(0, removed);
        QVERIFY2(
            removed.out.contains(u"1 entry "_s) && removed.out.contains(u"removed."_s), removed.allOutput());
        QCOMPARE(m_lockctl("acquire nightly").code, 1);
        const auto again = m_lockctl("uninstall --yes --json");
        VERIFY_CODE(0, again);
        QCOMPARE(again.json()[u"version"].toInt(-1), 0);
        QCOMPARE(again.json()[u"removed"].toBool(true), false);
        QCOMPARE(m_lockctl("install --json").json()[u"before"].toInt(-1), 0);
    }

    void atATerminalItAsks_data()
    {
        test::addColumns<QByteArray, bool>("answer", "removed");
        row("yes", QByteArray("y\n"), true);
        row("no", QByteArray("n\n"), false);
        row("nothing", QByteArray("\n"), false);
    }
    void atATerminalItAsks()
    {
        FETCH(QByteArray, answer, bool, removed);
        // script(1) gives its command a terminal.
        const QString script = QStandardPaths::findExecutable(u"script"_s);
        if (script.isEmpty())
            QSKIP("There is no script(1) on this system.");
        const auto process = m_lockctl.startBy(script, {u"-qec"_s}, {u"uninstall"_s}, {u"/dev/null"_s});
        QByteArray shown;
        while (!shown.contains("[y/N]")) {
            QVERIFY2(process->waitForReadyRead(), shown);
            shown += process->readAllStandardOutput();
        }
        QVERIFY2(shown.contains("1 entry "), shown);
        process->write(answer);
        QVERIFY(process->waitForFinished());
        QCOMPARE(process->exitCode(), removed ? 0 : 1);
        QCOMPARE(m_lockctl("acquire other").code, removed ? 1 : 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_directory;
    Lockctl m_lockctl{QString()};
};

LOCKSCOPE_TEST(tst_LockctlUninstall)

} // namespace tst_LockctlUninstall
#include "tst_LockctlUninstall.moc"
