// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Incidents without a window: `lockctl record --alerts`, `lockctl watch --alerts`, `lockctl alerts`.

#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlAlerts {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

const QByteArray quickRules =
    "{'rules': [{'name': 'blocked sessions', 'when': 'blocked sessions', 'levels': [{'severity': 'warning', 'from': 3, 'for': '1s'}], 'keep_firing_for': '1s'}]}";

static QByteArray quoted(QByteArray text)
{
    return text.replace('\'', '"');
}

class tst_LockctlAlerts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_url = m_server->freshDatabase();
        writeRules(quickRules);
    }
    void cleanup()
    {
        m_waiters.clear();
        m_head.reset();
    }

    /// From the third waiting session to the page for colleagues.
    void anIncidentFromItsBeginningToItsPage()
    {
        const auto recorder = ctl().start("record --alerts --interval 200ms");
        QVERIFY(waitUntil([&] { return recorder->readAllStandardOutput().contains("Recording"); }));
        QCOMPARE(ctl()("alerts list").code, 0);
        block(3);
        QVERIFY(waitUntil([&] { return ctl()("alerts list").code == 1; }));
        const QJsonObject incident = listed().first().toObject();
        VERIFY_STARTS(incident[u"title"].toString(), u"3 sessions wait for"_s);
        const QString id = QString::number(incident[u"id"].toInteger());

        QCOMPARE(ctl()("alerts ack %1 --why deploying", id).code, 0);
        QCOMPARE(ctl()("alerts list").code, 0); // somebody cares
        unblock();
        QVERIFY(waitUntil([&] { return listed().isEmpty(); }));
        const auto recorded = Lockctl::terminate(*recorder);
        QVERIFY2(recorded.out.contains(u"WARNING"_s) && recorded.out.contains(u"Resolved"_s),
            recorded.allOutput());

        const auto shown = ctl()("alerts show %1", id);
        QVERIFY2(shown.out.contains(u"Acknowledged by"_s) && shown.out.contains(u"deploying"_s),
            shown.allOutput());
        QVERIFY2(shown.out.contains(u"Cleared by"_s), shown.allOutput());
        const auto page = ctl()("incident %1 --format html", id);
        QVERIFY2(page.out.contains(u"<svg"_s), page.allOutput());
        QVERIFY2(!page.out.contains(u"<script"_s), page.allOutput());
        static const QRegularExpression elsewhere(u"(src|href)=\"?https?:"_s);
        QVERIFY2(!page.out.contains(elsewhere), page.allOutput());
        QVERIFY2(!page.out.contains(u"secret value"_s), page.allOutput());
        const auto whole = ctl()("incident %1 --format markdown --statements", id);
        QVERIFY2(whole.out.contains(u"secret value"_s), whole.allOutput());
        const QJsonObject json = ctl()("incident %1 --format json", id).json();
        QVERIFY(json[u"waiters"].toArray().size() > 3);
        QVERIFY(json[u"history"].toArray().size() >= 3);

        // The same rules find the same in the recording; stricter ones less.
        const auto rehearsed = ctl()("alerts rehearse --format json");
        QVERIFY2(rehearsed.code == 0 && rehearsed.json()[u"incidents"].toArray().size() == 1,
            rehearsed.allOutput());
        const QString strict = test::makeFile(m_folder->filePath(u"strict.json"_s),
            quoted(QByteArray(quickRules).replace("'from': 3", "'from': 30")));
        const auto none = ctl()("alerts rehearse %1 --max-per-day 0", strict);
        VERIFY_CODE(0, none);
        QVERIFY2(none.out.contains(u"No incident would have fired."_s), none.allOutput());
        VERIFY_CODE(1, ctl()("alerts rehearse --max-per-day 0"));
    }

    /// A program receives the message as it would receive a notice; the exit code is for scripts.
    void aChannelIsTested()
    {
        const QString program = m_folder->filePath(u"tell"_s);
        test::makeFile(program, "#!/bin/sh\ncat > " + m_folder->filePath(u"told"_s).toUtf8() + "\nexit $1\n",
            test::ownProgram);
        writeRules(QByteArray(
            "{'channels': [{'name': 'team', 'kind': 'program', 'command': ['PROGRAM', '0']}, {'name': 'broken', 'kind': 'program', 'command': ['PROGRAM', '3']}]}")
                       .replace("PROGRAM", program.toUtf8()));
        const auto sent = ctl()("alerts test team");
        QVERIFY2(sent.code == 0 && sent.out.contains(u"ended with exit code 0"_s), sent.allOutput());
        QVERIFY(test::readFile(m_folder->filePath(u"told"_s)).contains("\"kind\":\"test\""));
        const auto broken = ctl()("alerts test broken");
        QVERIFY2(broken.code == 1 && broken.err.contains(u"exit code 3"_s), broken.allOutput());
        const auto none = ctl()("alerts test pager");
        QVERIFY2(none.code != 0 && none.err.contains(u"The channels are team, broken."_s), none.allOutput());
        QVERIFY2(listed().isEmpty(), sent.allOutput()); // nothing is queued or noted
    }

    void watchingTellsOfIncidentsAlone()
    {
        block(4);
        const auto watch = ctl().start("watch --alerts --interval 200ms --json");
        QVERIFY(waitUntil([&] { return !listed().isEmpty(); }));
        const auto answer = Lockctl::terminate(*watch);
        QVERIFY2(answer.out.count(u'\n') == 1, answer.allOutput());
        QCOMPARE(answer.json()[u"kind"].toString(), u"fired"_s);
        QCOMPARE(answer.json()[u"incident"][u"waiting"].toInt(), 4);
    }

    /// Killed in the middle of an incident and started again: it neither repeats nor forgets.
    void killedAndStartedAgainItTellsOfTheEndOnly()
    {
        block(3);
        const QStringList watching = Lockctl::words("watch --alerts --interval 200ms --json");
        auto watch = ctl().start(watching);
        QVERIFY(waitUntil([&] { return !listed().isEmpty(); }));
        watch->kill();
        QVERIFY(Lockctl::finish(*watch).out.contains(u"\"fired\""_s));
        watch = ctl().start(watching);
        QVERIFY(waitUntil([&] { return isPolled(); }));
        unblock();
        QVERIFY(waitUntil([&] { return listed().isEmpty(); }));
        const auto answer = Lockctl::terminate(*watch);
        QVERIFY2(answer.out.count(u'\n') == 1 && answer.out.contains(u"\"resolved\""_s), answer.allOutput());
    }

    void onePollForNagios()
    {
        const auto fine = ctl()("alerts check-now");
        QVERIFY2(fine.code == 0 && fine.out.startsWith(u"LOCKSCOPE OK - no incident | incidents=0"_s),
            fine.allOutput());
        block(3);
        QVERIFY(waitUntil([&] { return ctl()("alerts check-now").code == 1; }));
        const auto bad = ctl()("alerts check-now");
        static const QRegularExpression form(
            u"^LOCKSCOPE WARNING - [^|\\n]+ \\| incidents=1;;;0 blocked=3;;;0 longest_wait=[0-9.]+s;;;0\\n$"_s);
        QVERIFY2(bad.out.contains(form), bad.allOutput());
        const auto gone = Lockctl(u"postgresql://ann@127.0.0.1:1/nowhere"_s)("alerts check-now");
        QVERIFY2(gone.code == 2 && gone.out.startsWith(u"LOCKSCOPE CRITICAL"_s), gone.allOutput());
        writeRules("{");
        QCOMPARE(ctl()("alerts check-now").code, 3);
    }

    void mutesAreMadeListedAndEnded()
    {
        block(3);
        const auto watch = ctl().start("watch --alerts --interval 200ms");
        QVERIFY(waitUntil([&] { return !listed().isEmpty(); }));
        const QString id = QString::number(listed().first()[u"id"].toInteger());
        const auto muted =
            ctl()("alerts mute %1 --of server --for 2h --max-waiting 50 --why %2", id, u"index build"_s);
        QVERIFY2(muted.code == 0 && muted.out.startsWith(u"Mute 1: "_s), muted.allOutput());
        QCOMPARE(ctl()("alerts list").code, 0);
        const auto list = ctl()("alerts mutes --format csv");
        QVERIFY2(list.out.contains(u"in force"_s) && list.out.contains(u"index build"_s), list.allOutput());
        QCOMPARE(ctl()("alerts unmute 1").code, 0);
        QCOMPARE(ctl()("alerts list").code, 1);
        QVERIFY(ctl()("alerts mutes").out.contains(u"ended: by "_s));
        QCOMPARE(ctl()("alerts unmute 1").code, 1);
        QCOMPARE(ctl()("alerts ack x").code, 2);
        Lockctl::terminate(*watch);
    }

    void whatListsIncidentsMakesNoFileOfThem()
    {
        for (const char* command :
            {"alerts list", "alerts history", "alerts mutes", "tree --table servers"}) {
            const auto answer = ctl()(command);
            QVERIFY2(answer.code == 0 && answer.err.isEmpty(), answer.allOutput());
        }
        QVERIFY2(ctl()("alerts show 1").err.contains(u"There is no incident 1."_s), "show");
        QVERIFY(!QFileInfo::exists(m_folder->filePath(u"state/lockscope/incidents.sqlite"_s)));
    }

    void faultsOfARulesFileAreReportedByLine()
    {
        QCOMPARE(ctl()("alerts check").code, 0);
        const QString bad = test::makeFile(m_folder->filePath(u"bad.json"_s),
            quoted("{'rules': [\n {'name': 'a', 'when': 'rain', 'levels': []}]}"));
        const auto checked = ctl()("alerts check %1", bad);
        QCOMPARE(checked.code, 1);
        QVERIFY2(checked.err.contains(u"bad.json:2:24: "_s), checked.allOutput());
    }

private:
    void writeRules(const QByteArray& text)
    {
        QDir().mkpath(m_folder->filePath(u"config/lockscope"_s));
        test::makeFile(m_folder->filePath(u"config/lockscope/alerts.json"_s), quoted(text));
    }

    Lockctl ctl() const
    {
        Lockctl lockctl(m_url.toString(), m_server->password());
        lockctl.set(u"XDG_STATE_HOME"_s, m_folder->filePath(u"state"_s));
        lockctl.set(u"XDG_CONFIG_HOME"_s, m_folder->filePath(u"config"_s));
        return lockctl;
    }
    QJsonArray listed() const { return ctl()("alerts list --format json").json()[u"incidents"].toArray(); }
    /// Besides the sessions of the test there is one that reads the locks.
    bool isPolled() const
    {
        return test::ask(*m_server->connect(m_url),
                   u"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%monitor%'"_s)
            != u"0"_s;
    }

    /// One session idles in a transaction, and so many wait for it.
    void block(int waiting)
    {
        m_head = std::make_unique<Session>(*m_server, m_url);
        QVERIFY(m_head->run(u"CREATE TABLE orders (id int)"_s));
        QVERIFY(m_head->run(u"BEGIN"_s));
        QVERIFY(m_head->run(u"LOCK TABLE orders"_s));
        QVERIFY(m_head->run(u"SELECT 'secret value'"_s));
        for (int i = 0; i < waiting; ++i) {
            m_waiters.push_back(std::make_unique<Session>(*m_server, m_url));
            m_waiters.back()->start(u"SELECT * FROM orders"_s);
        }
    }
    void unblock() { QVERIFY(m_head->run(u"ROLLBACK"_s)); }

    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Session> m_head;
    std::vector<std::unique_ptr<Session>> m_waiters;
};

LOCKSCOPE_TEST(tst_LockctlAlerts)

} // namespace tst_LockctlAlerts
#include "tst_LockctlAlerts.moc"
