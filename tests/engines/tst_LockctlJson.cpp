// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Every command with --json, with any outcome: its output can be parsed.

#include "tests/support/DeadlockReports.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Processes.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlJson {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

/// 0 or 1, as the race goes.
constexpr int heldOrBroke = -1;

/// Somebody has the lock "held" with {token}, and there is a session {session}.
struct Row {
    const char* arguments;
    int code;
    const char* key; ///< of the object that is printed; none if it is an array
};
constexpr Row rows[] = {
    {"list --json", 0, "locks"},
    {"list --json --all --limit 1", 0, "locks"},
    {"tree --json", 0, "heads"},
    {"watch --json -n 1", 0, "locks"},
    {"acquire free --json", 0, "token"},
    {"acquire free --kind app --json", 0, "granted"},
    {"acquire held --no-wait --json", 75, "granted"},
    {"run held --no-wait --json -- true", 75, "held_by"},
    {"run held --wait 10ms --json -- true", 75, "waited_ms"},
    {"release held --token {token} --json", 0, "released"},
    {"release held --force --yes --reason r --json", 0, "audit_id"},
    {"purge --dry-run --json", 0, "entries"},
    {"purge --yes --json", 0, "purged"},
    {"end-session {session} --yes --reason r --json", 0, "audit_id"},
    {"check --json", 0, "steps"},
    {"audit --json", 0, ""},
    {"install --json", 0, "after"},
    {"uninstall --json", 2, "removed"},
    {"uninstall --yes --json", 0, "removed"},
    {"frameworks --json", 0, "frameworks"},
    {"record --for 100ms --out {recording} --json", 0, "snapshots"},
    {"recordings list --json", 0, ""},
    {"recordings verify {recorded} --json", 0, ""},
    {"recordings prune {recorded} --keep 7d --compact --json", 0, ""},
    {"recordings export {recorded} --from 1h --out {recording} --redact --json", 0, "snapshots"},
    {"recordings merge {recorded} --out {recording} --json", 0, "snapshots"},
    {"recordings pin {recorded} --from 1m --to 0s --why r --json", 0, "pin"},
    {"recordings pins {recorded} --json", 0, ""},
    {"recordings unpin {pinned} 1 --json", 0, "unpinned"},
    {"deadlock {deadlock} --json", 1, "findings"},
    {"deadlock {deadlock} --family --json", 1, "families"},
    {"deadlocks --since 0s --json", 0, "waits"},
    {"deadlocks --since 0s --family --json", 0, "families"},
    {"order --for 100ms --interval 100ms --json", 0, "potential_deadlocks"},
    {"order --recording {recorded} --json", 0, "polls"},
    {"order --unmute 00000000 --json", 0, "unmuted"},
    {"alerts list --json", 0, "incidents"},
    {"alerts history --json", 0, "incidents"},
    {"alerts mutes --json", 0, "mutes"},
    {"alerts cured 6-9f3b24c05d7e --cure r --json", 0, "family"},
    {"alerts check --json", 0, "rules"},
    {"agent --check --json {agent}", 0, "servers"},
    {"metrics --json", 0, "families"},
    {"alerts check-now --json", 0, "state"},
    {"alerts rehearse --recording {recorded} --json", 0, "incidents"},
    {"history held --recording {recorded} --json", 0, ""},
    {"range --recording {recorded} --json", 0, "locks"},
    {"range --recording {recorded} --from 2001-01-01T00:00:00Z --to 2001-01-02T00:00:00Z --json", 3, "seen"},
    {"compare --recording {recorded} --json", 3, "too_little"},
    {"list --recording {recorded} --json", 0, "locks"},
    {"scenario list --json", 0, ""},
    {"scenario check {missing} --json", 1, ""},
    {"scenario compare lost-update --sessions 2 --duration 100ms --json", 0, "variants"},
    {"scenario run lost-update --sessions 2 --duration 100ms --json", heldOrBroke, "verdict"},
    {"scenario explore lost-update --set accounts=1 --limit 1 --json", heldOrBroke, "verdict"},
    {"scenario replay lost-update/unsafe accounts=1: A1 A2 B1 B2 A3 A4 A5 B3 B4 B5 --json", 1, "verdict"},
};

class tst_LockctlJson : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void everyCommandPrintsJson_data()
    {
        test::addColumns<QStringList, int, QString>("arguments", "code", "key");
        for (const Row& row : rows)
            test::row(row.arguments, QString::fromUtf8(row.arguments).split(u' '), row.code,
                QString::fromLatin1(row.key));
    }
    void everyCommandPrintsJson()
    {
        FETCH(QStringList, arguments, int, code, QString, key);
        const QTemporaryDir folder;
        const auto held = ctl()("acquire held --json");
        VERIFY_CODE(0, held);
        const Session ann(*m_server, m_url, u"ann"_s);
        for (QString& argument : arguments) {
            argument.replace(u"{token}"_s, held.json()[u"token"].toString());
            argument.replace(u"{session}"_s, QString::number(ann.id().value));
            argument.replace(u"{recording}"_s, folder.filePath(u"new.lockscope"_s));
            if (const bool isPinned = argument == u"{pinned}"_s; isPinned || argument == u"{recorded}"_s) {
                argument = folder.filePath(u"there.lockscope"_s);
                VERIFY_CODE(0, ctl()("record --for 500ms --out %1", argument));
                const QStringList pin = Lockctl::words("--from 1m --to 0s --why r");
                if (isPinned)
                    QCOMPARE(ctl()(Lockctl::words("recordings pin %1", argument) + pin).code, 0);
            }
            argument.replace(u"{deadlock}"_s, test::deadlockFilePath(u"event.xml"_s));
            argument.replace(u"{agent}"_s, agentFile(folder));
            argument.replace(u"{missing}"_s, u"no/such/file.json"_s);
        }
        const auto answer = ctl()(arguments);
        QVERIFY2(code == heldOrBroke ? answer.code == 0 || answer.code == 1 : answer.code == code,
            answer.allOutput());
        QVERIFY2(answer.out.count(u'\n') == 1, answer.allOutput());
        QJsonParseError error;
        const auto json = QJsonDocument::fromJson(answer.out.toUtf8(), &error);
        QVERIFY2(error.error == QJsonParseError::NoError, answer.allOutput());
        QVERIFY2(key.isEmpty() ? json.isArray() : json.object().contains(key), answer.allOutput());
    }

    void noCommandIsForgotten()
    {
        // Below, in tst_LockctlSqlServer, in tst_LockctlFree, in tst_LockctlAlerts.
        QSet<QString> tested{u"sandbox"_s, u"plan"_s, u"free"_s, u"incident"_s};
        for (const Row& row : rows)
            for (const int words : {1, 2})
                tested.insert(QString::fromUtf8(row.arguments).section(u' ', 0, words - 1));
        const QString help = ctl()("--help").out;
        const QString list = help.section(u"Commands:\n"_s, 1).section(u"\n\n"_s, 0, 0);
        int count = 0;
        for (const QString& line : list.split(u'\n')) {
            const QString command = line.simplified().section(u' ', 0, 0);
            QVERIFY2(tested.contains(command), qPrintable(command));
            ++count;
        }
        QVERIFY(count > 10);
        // "Usage: lockctl scenario [OPTIONS] list|run|… ID|FILE|TEXT…"
        const QString usage = ctl()("scenario --help").out.section(u'\n', 0, 0);
        const QStringList acts = usage.section(u' ', 4, 4).split(u'|');
        QVERIFY2(acts.size() > 3, qPrintable(usage));
        for (const QString& act : acts)
            QVERIFY2(tested.contains(u"scenario "_s + act), qPrintable(act));
    }

    void runLeavesStandardOutputToItsCommand()
    {
        const auto ran = ctl()("run free --json -- echo hello");
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out, u"hello\n"_s);
        const auto result = QJsonDocument::fromJson(ran.err.toUtf8()).object();
        QVERIFY2(result[u"granted"].toBool(), ran.allOutput());
        QVERIFY2(result[u"fencing"].toInteger() > 0, ran.allOutput());
        const auto plain = ctl()("run free -- echo hello");
        QCOMPARE(plain.err, QString());
    }

    void theSandboxTellsItsUrl()
    {
        const QTemporaryDir directory;
        test::copyClusterTo(directory.path());
        Lockctl lockctl(u"sandbox:"_s);
        lockctl.set(u"LOCKSCOPE_SANDBOX_DIR"_s, directory.path());
        const auto sandbox = lockctl.start("sandbox --json");
        QVERIFY2(sandbox->waitForReadyRead(60'000), sandbox->readAllStandardError());
        const auto result = QJsonDocument::fromJson(sandbox->readLine()).object();
        QVERIFY(result[u"url"].toString().startsWith(u"postgresql://"_s));
        sandbox->terminate();
        QVERIFY(sandbox->waitForFinished(60'000));
        QVERIFY(test::waitUntil([&directory] { return test::nothingRunsIn(directory.path()); }));
    }

private:
    static QString agentFile(const QTemporaryDir& folder)
    {
        return test::makeFile(
            folder.filePath(u"agent.json"_s), QByteArray("{'servers': ['sandbox:']}").replace('\'', '"'));
    }
};

LOCKSCOPE_TEST(tst_LockctlJson)

} // namespace tst_LockctlJson
#include "tst_LockctlJson.moc"
