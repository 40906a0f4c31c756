// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// lockctl shows the owners of frameworks' locks, and frees exactly one.

#include "core/db/SchemaInstaller.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/Terminal.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlFree {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

constexpr int ok = 0;
constexpr int usage = 2;
constexpr int nothingFound = 4;
constexpr int ambiguous = 5;
constexpr int changed = 6;
constexpr int refused = 7;

/// A framework file of a user: named rows, one that must not be touched, and a key of a session.
const QByteArray ours = R"json({
  "format": 1, "name": "Ours", "about": "A framework of this test.",
  "locks": [
    {"id": "turn", "name": "turn", "kind": "row", "engines": ["postgres", "sqlite"],
     "purpose": "One job runs at a time.", "ends": "Never by itself.", "danger": "Two jobs run at once.",
     "vendor": {"command": "ours unlock", "note": "Frees all of them."},
     "table": {"names": ["our_turns"], "columns": ["name", "holder", "taken_at", "until"]},
     "row": {"held": [{"column": "holder", "is_not": null}], "name": "{name}",
             "holder": {"column": "holder", "pattern": "(?<host>.+)"},
             "since": {"column": "taken_at", "clock": "utc"},
             "expires": {"column": "until", "clock": "utc"},
             "compare": ["name", "holder", "taken_at", "until"],
             "update": {"holder": null, "until": null}}},
    {"id": "record", "name": "record", "kind": "row", "engines": ["postgres", "sqlite"],
     "purpose": "Keeps when a job ran.", "ends": "When its time is over.", "danger": "Never delete it.",
     "table": {"names": ["our_records"], "columns": ["record", "kept_by"]},
     "row": {"name": "record of {record}", "compare": ["record"], "never": true}},
    {"id": "leader", "name": "leader", "kind": "advisory key", "engines": ["postgres"],
     "purpose": "One of them leads.", "ends": "When its session ends.", "danger": "Its work is rolled back.",
     "keys": [{"number": 7212345678901}]}
  ]
})json";

class tst_LockctlFree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::makeFile(m_folder.filePath(u"ours.json"_s), ours); }
    void init()
    {
        m_url = m_server->freshDatabase();
        m_server->run(m_url,
            u"CREATE TABLE public.our_turns (name text, holder text, taken_at timestamp, until timestamp); CREATE TABLE public.our_records (record text, kept_by text)"_s);
    }

    void whatIsKnownIsListed()
    {
        Lockctl nowhere(u"postgresql://127.0.0.1:1/nowhere"_s); // no server is asked
        nowhere.set(u"LOCKSCOPE_FRAMEWORK_DIR"_s, m_folder.path());
        const auto text = nowhere("frameworks");
        VERIFY_CODE(ok, text);
        QVERIFY2(
            text.out.contains(QRegularExpression(u"(?m)^liquibase +Liquibase +row"_s)), text.allOutput());
        QVERIFY2(text.out.contains(QRegularExpression(u"(?m)^ours +Ours .*your file"_s)), text.allOutput());
        QVERIFY2(text.out.contains(m_folder.path()), text.allOutput());

        const QTemporaryDir faulty;
        test::makeFile(faulty.filePath(u"bad.json"_s), "{\n\"format\": 2}");
        nowhere.set(u"LOCKSCOPE_FRAMEWORK_DIR"_s, faulty.path());
        const auto json = nowhere("frameworks --json");
        QCOMPARE(json.code, ok);
        QVERIFY2(json.err.contains(u"bad.json"_s), json.allOutput());
        QCOMPARE(json.json()[u"errors"].toArray().size(), 1);
        const QJsonArray known = json.json()[u"frameworks"].toArray();
        const auto liquibase = std::find_if(known.begin(), known.end(),
            [](const QJsonValue& each) { return each[u"id"].toString() == u"liquibase"; });
        QVERIFY(liquibase != known.end());
        QVERIFY((*liquibase)[u"kinds"].toArray().contains(u"row"_s));
        const QJsonArray locks = json.json()[u"locks"].toArray();
        QVERIFY(std::any_of(locks.begin(), locks.end(), [](const QJsonValue& each) {
            return each[u"framework"].toString() == u"liquibase"
                && each[u"vendor_command"].toString() == u"liquibase release-locks";
        }));
    }

    void filesAreChecked()
    {
        const auto good = ctl()("frameworks --check %1", m_folder.filePath(u"ours.json"_s));
        QVERIFY2(good.code == ok && good.out.contains(u"Ours (ours) is well-formed"_s), good.allOutput());
        const QString file =
            test::makeFile(freshPath(u"faulty.json"_s), QByteArray(ours).replace("\"turn\", ", "7, "));
        const auto bad = ctl()("frameworks --check %1", file);
        QVERIFY2(bad.code == 1 && bad.err.startsWith(u"lockctl: "_s), bad.allOutput());
        QVERIFY2(bad.err.contains(u"faulty.json:4:"_s), bad.allOutput());
        QCOMPARE(ctl()("frameworks --check /no/such.json").code, 1);

        // Well-formed, and not true.
        const std::pair<QByteArray, QString> untrue[] = {
            {QByteArray(ours).replace("7212345678901}]",
                 "7212345678901}], \"examples\": [{\"number\": 7, \"meaning\": \"leader\"}]"),
                u"This is not recognised"_s},
            {QByteArray(ours).replace("\"taken_at\", \"until\"]}", "\"until\"]}"),
                u"The row uses the column \"taken_at\", which \"columns\" of its table does not list"_s}};
        for (const auto& [text, why] : untrue) {
            test::makeFile(file, text);
            const auto result = ctl()("frameworks --check %1", file);
            QVERIFY2(result.code == 1 && result.err.contains(why), result.allOutput());
            QVERIFY2(result.err.contains(QRegularExpression(u"faulty.json:[0-9]+:[0-9]+: "_s)),
                result.allOutput());
        }
    }

    void theHelpTellsTheExitCodes()
    {
        const auto help = ctl()("free --help");
        QVERIFY2(help.code == ok && help.out.startsWith(u"Usage: lockctl free"_s), help.allOutput());
        for (const int code : {nothingFound, ambiguous, changed, refused})
            QVERIFY2(help.out.contains(QString::number(code)), help.allOutput());
    }

    void theListTellsWhoseLocksTheyAre()
    {
        take(u"nightly"_s);
        Session leader(*m_server, m_url, u"ours"_s);
        QVERIFY(leader.run(u"SELECT pg_advisory_lock(7212345678901), pg_advisory_lock(1)"_s));

        const auto all = ctl()("list");
        VERIFY_CODE(ok, all);
        QVERIFY2(all.out.contains(u"FRAMEWORK"_s) && all.out.contains(u"Ours leader"_s), all.allOutput());
        QVERIFY2(all.out.contains(u"VERDICT"_s) && all.out.contains(u"EVIDENCE"_s), all.allOutput());

        const auto theirs = ctl()("list --framework OURS");
        VERIFY_CODE(ok, theirs);
        QVERIFY2(
            theirs.out.contains(QRegularExpression(
                u"(?m)^Ours +nightly +held +[0-9.]+ m?s +[0-9 smin]+ left +app01 +.*public.our_turns"_s)),
            theirs.allOutput());
        QVERIFY2(
            theirs.out.contains(QRegularExpression(
                u"(?m)^Ours +leader +holding .*session %1\\b.* works: Session %1 "_s.arg(leader.id().value))),
            theirs.allOutput());
        QCOMPARE(theirs.out.count(u'\n'), 3);
        QVERIFY(ctl()("list --framework").out.contains(u"nightly"_s));
        QVERIFY(!ctl()("list --framework liquibase").out.contains(u"nightly"_s));
        QCOMPARE(ctl()("list --framework %1", u"no such thing"_s).code, usage);

        const QJsonObject json = ctl()("list --framework --json").json();
        const QJsonObject entry = turnIn(json, u"nightly"_s);
        QCOMPARE(entry[u"framework"][u"id"].toString(), u"ours"_s);
        QCOMPARE(entry[u"framework"][u"lock"].toString(), u"turn"_s);
        QVERIFY(entry[u"framework"][u"certain"].toBool());
        QVERIFY(!entry[u"framework"][u"evidence"].toString().isEmpty());
        QVERIFY(!entry[u"holder_life"][u"verdict"].toString().isEmpty());
        QCOMPARE(entry[u"holder_text"].toString(), u"app01"_s);
        QCOMPARE(json[u"locks"].toArray().size(), 1); // and not the key 1
        QCOMPARE(json[u"locks"][0][u"framework"][u"lock"].toString(), u"leader"_s);
    }

    void oneLockIsFreed()
    {
        take(u"nightly"_s);
        take(u"weekly"_s);
        const auto freed = ctl()("free ours:nightly --yes --reason OPS-17");
        VERIFY_CODE(ok, freed);
        QVERIFY2(freed.out.contains(u"Lock 'nightly' released"_s), freed.allOutput());
        QCOMPARE(holders(), u"nightly -, weekly app01"_s);
        const QJsonArray audit = ctl()("audit --json").jsonArray();
        QCOMPARE(audit[0][u"reason"].toString(), u"OPS-17"_s);
        QCOMPARE(audit[0][u"outcome"].toString(), u"done"_s);

        // A framework with only one lock needs no name.
        const auto json = ctl()("free Ours --yes --json --reason OPS-18");
        VERIFY_CODE(ok, json);
        QVERIFY(json.json()[u"freed"].toBool());
        QCOMPARE(json.json()[u"name"].toString(), u"weekly"_s);
        QVERIFY(json.json()[u"audit_id"].toInt() > 0);
        QCOMPARE(holders(), u"nightly -, weekly -"_s);
    }

    void aFileIsFreedTheSameWay()
    {
        const db::ServerUrl url = freshFile();
        const auto connection =
            db::Server::at(url).connect({.purpose = db::Purpose::Admin, .createFile = true});
        QVERIFY(connection && db::installSchema(**connection));
        const auto run = [&](const QString& sql) { return (*connection)->execute(test::sqlStatement(sql)); };
        QVERIFY(run(u"CREATE TABLE our_turns (name TEXT, holder TEXT, taken_at TEXT, until TEXT)"_s));
        QVERIFY(run(u"INSERT INTO our_turns VALUES ('nightly', 'app01', '2026-11-22 20:00:00', NULL)"_s));
        Lockctl ctl(url.toString());
        ctl.set(u"LOCKSCOPE_FRAMEWORK_DIR"_s, m_folder.path());
        VERIFY_CODE(ok, ctl("free ours --yes --reason OPS-17"));
        QCOMPARE(test::ask(**connection, u"SELECT count(*) FROM our_turns WHERE holder IS NULL"_s), u"1"_s);
    }

    void whatWouldBeDoneIsReported()
    {
        take(u"nightly"_s);
        const auto result = ctl()("free ours --dry-run --read-only");
        VERIFY_CODE(ok, result);
        for (const QString& text :
            {u"nightly"_s, u"public.our_turns"_s, u"app01"_s, u"One job runs at a time."_s,
                u"Never by itself."_s, u"Two jobs run at once."_s, u"ours unlock. Frees all of them."_s,
                u"It expires in "_s, u"verdict:     unknown: "_s, u"No session from app01"_s,
                u"risk:        It is unknown whether its holder works: if it still does, its job runs twice."_s,
                u"UPDATE \"public\".\"our_turns\" SET \"holder\" = NULL"_s})
            QVERIFY2(result.out.contains(text), result.allOutput());
        QCOMPARE(holders(), u"nightly app01"_s);
        const QJsonObject json = ctl()("free ours --dry-run --json").json();
        QVERIFY(json[u"dry_run"].toBool() && !json[u"freed"].toBool());
        QCOMPARE(json[u"danger"].toString(), u"Two jobs run at once."_s);
        QCOMPARE(json[u"verdict"].toString(), u"unknown"_s);
        QVERIFY(!json[u"evidence"].toArray().isEmpty() && !json[u"risk"].toString().isEmpty());
        QCOMPARE(json[u"vendor_command"].toString(), u"ours unlock"_s);
        // The printed statement does the same.
        QVERIFY(test::runSql(*m_server->connect(m_url), json[u"statement"].toString()));
        QCOMPARE(holders(), u"nightly -"_s);
    }

    void whatIsNotMeantIsLeftAlone_data()
    {
        test::addColumns<QString, QStringList, int, QString>("what", "more", "code", "message");
        const QStringList act = Lockctl::words("--yes --reason r");
        row("two locks", "ours", act, ambiguous, "ours:NAME");
        row("another name", "ours:monthly", act, nothingFound, "'monthly'");
        row("another case", "ours:Nightly", act, nothingFound, "'Nightly'");
        row("none held", "liquibase", act, nothingFound, "No lock of liquibase");
        row("unknown", "what", act, usage, "lockctl frameworks");
        row("no framework", ":nightly", act, usage, "Of which framework?");
        row("no reason", "ours:nightly", QStringList{u"--yes"_s}, usage, "--reason");
        row("read-only", "ours:nightly", act + QStringList{u"--read-only"_s}, refused,
            "lockctl is read-only");
    }
    void whatIsNotMeantIsLeftAlone()
    {
        FETCH(QString, what, QStringList, more, QString, message);
        take(u"nightly"_s);
        take(u"weekly"_s);
        const auto answer = ctl()(QStringList{u"free"_s, what} + more);
        QTEST(answer.code, "code");
        QVERIFY2(answer.err.contains(message) && answer.isOneLineOfError(), answer.allOutput());
        if (answer.code == ambiguous)
            QVERIFY2(
                answer.out.contains(u"nightly"_s) && answer.out.contains(u"weekly"_s), answer.allOutput());
        QCOMPARE(holders(), u"nightly app01, weekly app01"_s);
    }

    void withoutAYesNothingIsDone()
    {
        take(u"nightly"_s);
        const auto answer = ctl()("free ours --reason r");
        QVERIFY2(answer.code == usage && answer.err.contains(u"--yes"_s), answer.allOutput());
        QCOMPARE(holders(), u"nightly app01"_s);
    }

    void aPersonIsAsked()
    {
        take(u"nightly"_s);
        for (const auto& [answer, code, after] :
            {std::tuple("n\n", refused, u"nightly app01"_s), std::tuple("yes\n", ok, u"nightly -"_s)}) {
            test::Terminal terminal(test::programPath("lockctl"),
                {u"free"_s, u"ours"_s, u"--reason"_s, u"OPS-17"_s},
                {u"LOCKSCOPE_SERVER="_s + m_url.toString(), u"LOCKSCOPE_PASSWORD="_s + m_server->password(),
                    u"LOCKSCOPE_FRAMEWORK_DIR="_s + m_folder.path()},
                120, 40);
            QVERIFY2(terminal.waitUntilShown(u"Free it? [y/N]"_s), qPrintable(terminal.screen().join(u'\n')));
            QVERIFY2(terminal.shows(u"Two jobs run at once."_s), qPrintable(terminal.screen().join(u'\n')));
            QCOMPARE(holders(), u"nightly app01"_s);
            terminal.type(answer);
            QCOMPARE(terminal.waitForEnd(), code);
            QCOMPARE(holders(), after);
        }
    }

    void aLockOfASessionEndsWithExactlyThatSession()
    {
        Session leader(*m_server, m_url);
        QVERIFY(leader.run(u"SELECT pg_advisory_lock(7212345678901)"_s));
        QVERIFY(leader.begin(u"LOCK TABLE public.our_records IN SHARE MODE"_s));
        Session other(*m_server, m_url);
        QVERIFY(other.run(u"SELECT pg_advisory_lock(1)"_s));
        Session next(*m_server, m_url);
        QVERIFY(next.startWaiting(u"SELECT pg_advisory_lock(7212345678901)"_s));
        const auto result = ctl()("free ours:leader --dry-run");
        VERIFY_CODE(ok, result);
        for (const QString& text : {u"ending its session"_s,
                 u"It also holds another lock, which goes with it: ShareLock on public.our_records."_s,
                 u"session %1 "_s.arg(next.id().value), u"Its work is rolled back."_s,
                 u"pg_terminate_backend"_s})
            QVERIFY2(result.out.contains(text, Qt::CaseInsensitive), result.allOutput());
        const auto json = ctl()("free ours --yes --json --reason OPS-17");
        VERIFY_CODE(ok, json);
        QCOMPARE(json.json()[u"other_locks"][0][u"resource"].toString(), u"public.our_records"_s);
        QVERIFY(next.wait());
        leader.start(u"SELECT 1"_s);
        QVERIFY(!leader.wait());
        QVERIFY(other.run(u"SELECT 1"_s));
    }

    void aStrangersTableMustBeApproved()
    {
        const QString stranger = m_server->asRole(m_url).user;
        m_server->run(m_url, u"ALTER TABLE public.our_turns OWNER TO \"%1\""_s.arg(stranger));
        take(u"nightly"_s);
        const QStringList act = Lockctl::words("free ours --yes --reason OPS-17");
        const auto unread = ctl()(act);
        QVERIFY2(unread.code == refused && unread.err.contains(u"--approve public.our_turns"_s),
            unread.allOutput());
        const auto listed = ctl()("list --framework");
        QVERIFY2(listed.out.contains(u"--approve public.our_turns"_s), listed.allOutput());
        // A schema may be called like a command: what is copied to a shell is one word.
        m_server->run(m_url, u"CREATE SCHEMA \"$(x)'\"; ALTER TABLE public.our_turns SET SCHEMA \"$(x)'\""_s);
        const auto quoted = ctl()("list --framework");
        m_server->run(m_url, u"ALTER TABLE \"$(x)'\".our_turns SET SCHEMA public; DROP SCHEMA \"$(x)'\""_s);
        QVERIFY2(QString(quoted.out).simplified().contains(u"--approve '$(x)'\\''.our_turns'"_s),
            quoted.allOutput());
        QCOMPARE(holders(), u"nightly app01"_s);
        QCOMPARE(ctl()(act + Lockctl::words("--approve our_turns")).code, usage);
        VERIFY_CODE(ok, ctl()(act + Lockctl::words("--approve public.our_turns")));
        QCOMPARE(holders(), u"nightly -"_s);

        // Read it may be, but a trigger would run with our rights.
        take(u"weekly"_s);
        m_server->run(m_url,
            u"SET ROLE \"%1\"; CREATE TRIGGER trap BEFORE UPDATE ON public.our_turns FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger(); RESET ROLE"_s
                .arg(stranger));
        const auto trapped = ctl()(act + Lockctl::words("--approve public.our_turns"));
        QVERIFY2(trapped.code == refused && trapped.err.contains(u"trigger trap"_s), trapped.allOutput());
        QCOMPARE(holders(), u"nightly -, weekly app01"_s);
        // The printed statement would run, too.
        const auto dry = ctl()("free ours --dry-run --json --approve public.our_turns");
        QVERIFY2(dry.json()[u"strangers"][0].toString().contains(u"trigger trap"_s), dry.allOutput());
        QCOMPARE(dry.json()[u"statement"].toString(u"?"_s), QString());
    }

    void whatRunsIsNamedByEachCommand()
    {
        m_server->run(m_url,
            u"CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';CREATE TRIGGER kept BEFORE UPDATE ON public.our_turns FOR EACH ROW EXECUTE FUNCTION public.note()"_s);
        const QString named = u"trigger kept on public.our_turns (public.note())"_s;
        take(u"nightly"_s);
        const auto shown = ctl()("free ours --dry-run");
        QVERIFY2(shown.out.contains(u"runs:"_s) && shown.out.contains(named), shown.allOutput());
        const auto released = ctl()("release nightly --force --yes --reason r");
        QVERIFY2(released.code == ok && released.allOutput().contains(named.toUtf8()), released.allOutput());
        take(u"weekly"_s);
        const auto json = ctl()("release weekly --force --yes --reason r --json");
        QVERIFY2(json.json()[u"runs"][0].toString() == named, json.allOutput());
        const auto purged = ctl()("purge --dry-run --json");
        QVERIFY2(
            purged.json()[u"runs"].isArray() && purged.json()[u"strangers"].isArray(), purged.allOutput());
    }

    void whatMayNotBeReadIsNotSaidToBeFree()
    {
        take(u"nightly"_s);
        m_url = m_server->asRole(m_url, u"GRANT lockscope_operator, pg_read_all_stats TO {role}"_s);
        const auto listed = ctl()("list --framework ours");
        QVERIFY2(listed.out.contains(u"not everything could be read"_s), listed.allOutput());
        QVERIFY2(!listed.out.contains(u"is held"_s), listed.allOutput());
        QVERIFY2(listed.out.contains(u"GRANT SELECT ON \"public\".\"our_turns\""_s), listed.allOutput());
        for (const QString& what : {u"ours"_s, u"Ours:nightly"_s}) {
            const auto freed = ctl()("free %1 --yes --reason OPS-17", what);
            VERIFY_CODE(refused, freed); // and not 4: nobody knows
            QVERIFY2(freed.err.contains(u"GRANT SELECT ON \"public\".\"our_turns\""_s), freed.allOutput());
        }
        // For another framework everything is known.
        VERIFY_CODE(nothingFound, ctl()("free liquibase --yes --reason OPS-17"));
    }

    void approvalIsNotOfARecording()
    {
        const auto answer =
            ctl()("list --recording %1 --approve public.our_turns", m_folder.filePath(u"none"_s));
        QVERIFY2(answer.code == usage && answer.isOneLineOfError(), answer.allOutput());
        QVERIFY2(answer.err.contains(u"--approve is of a server"_s), answer.allOutput());
    }

    void whatMustNotBeTouchedIsNot()
    {
        m_server->run(m_url, u"INSERT INTO public.our_records VALUES ('job', 'app01')"_s);
        for (const QStringList& more : {Lockctl::words("--yes --reason r"), QStringList{u"--dry-run"_s}}) {
            const auto answer = ctl()(QStringList{u"free"_s, u"ours:record of job"_s} + more);
            QVERIFY2(
                answer.code == refused && answer.err.contains(u"Never delete it."_s), answer.allOutput());
        }
        QCOMPARE(test::ask(*m_server->connect(m_url), u"SELECT count(*) FROM public.our_records"_s), u"1"_s);
    }

    void settingsOfProgramsAreReported()
    {
        const QTemporaryDir home;
        Lockctl ctl = this->ctl();
        ctl.set(u"XDG_CONFIG_HOME"_s, home.path());
        const auto set = ctl("frameworks set db-scheduler interval=1h dead_after=4h");
        QVERIFY2(set.code == ok && set.out.contains(QRegularExpression(u"db-scheduler +interval +1h"_s)),
            set.allOutput());
        const auto shown = ctl("frameworks show %1 --json", m_url.toString());
        QVERIFY2(shown.json()[u"settings"].toArray().size() == 2, shown.allOutput());
        QVERIFY(ctl("frameworks show postgresql://other/x").out.contains(u"Nothing is set"_s));
        for (const auto& [framework, wrong, why] :
            {std::tuple(u"db-scheduler"_s, u"interval=often"_s, u"no length of time"_s),
                std::tuple(u"db-scheduler"_s, u"interval=0s"_s, u"no length of time"_s),
                std::tuple(u"shedlock"_s, u"zone=Nowhere/Else"_s, u"no time zone"_s),
                std::tuple(u"ours"_s, u"colour=red"_s, u"no setting"_s),
                // Settings without an effect are refused.
                std::tuple(u"ours"_s, u"interval=1h"_s, u"no effect"_s),
                std::tuple(u"ours"_s, u"dead_after=1h"_s, u"no effect"_s),
                std::tuple(u"ours"_s, u"zone=Europe/Berlin"_s, u"no effect"_s),
                std::tuple(u"shedlock"_s, u"lock_at_most_for=1h"_s, u"no effect"_s),
                std::tuple(u"db-scheduler"_s, u"zone=Europe/Berlin"_s, u"no effect"_s)}) {
            const auto answer = ctl("frameworks set %1 %2", framework, wrong);
            QVERIFY2(answer.code == usage && answer.err.contains(why), answer.allOutput());
        }
        QCOMPARE(ctl("frameworks set %1 nothing interval=1h", m_url.toString()).code, usage);
        QCOMPARE(ctl("frameworks change ours").code, usage);

        // It counts where a holder is judged: ShedLock's times have no zone.
        m_server->run(m_url,
            u"CREATE TABLE public.shedlock (name varchar(64), lock_until timestamp, locked_at timestamp, locked_by varchar(255)); INSERT INTO public.shedlock VALUES ('report', date_trunc('milliseconds', timezone('Asia/Tokyo', now())) + interval '30 min', date_trunc('milliseconds', timezone('Asia/Tokyo', "
            u"now())), 'web')"_s);
        const auto entry = [&] {
            return ctl("list --framework shedlock --json").json()[u"entries"][0].toObject();
        };
        QVERIFY(entry()[u"depends_on_zone"].toBool() && entry()[u"expires_at"].isNull());
        QVERIFY(ctl("list").out.contains(u"held?"_s));
        QCOMPARE(ctl("frameworks set shedlock zone=Asia/Tokyo").code, ok);
        QVERIFY(!entry()[u"depends_on_zone"].toBool() && !entry()[u"expires_at"].isNull());
        const auto gone = ctl("frameworks unset shedlock zone");
        QVERIFY2(gone.code == ok && !gone.out.contains(u"shedlock"_s), gone.allOutput());
        QVERIFY(entry()[u"depends_on_zone"].toBool());
    }

    void wordsAreCompleted()
    {
        const auto complete = [this](const QStringList& words) {
            return ctl()(QStringList{u"__complete"_s, u"--"_s} + words).out;
        };
        QVERIFY(complete({u"free"_s, u"liqui"_s}).contains(u"liquibase\tLiquibase"_s));
        QVERIFY(complete(Lockctl::words("list --framework ou")).contains(u"ours\tOurs"_s));
        QVERIFY(complete({u"fr"_s}).contains(u"frameworks\t"_s));
        QVERIFY(complete({u"frameworks"_s, u"s"_s}).contains(u"set\t"_s));
        QVERIFY(complete(Lockctl::words("frameworks set liqui")).contains(u"liquibase\t"_s));
        QVERIFY(complete(Lockctl::words("frameworks set liquibase in")).contains(u"interval="_s));
        QVERIFY(complete({u"free"_s, u"--dr"_s}).contains(u"--dry-run\t"_s));
    }

private:
    Lockctl ctl() const
    {
        Lockctl ctl(m_url.toString(), m_server->password());
        ctl.set(u"LOCKSCOPE_FRAMEWORK_DIR"_s, m_folder.path());
        return ctl;
    }
    void take(const QString& name, const QString& holder = u"app01"_s) const
    {
        m_server->run(m_url,
            u"INSERT INTO public.our_turns VALUES ('%1', '%2', now() AT TIME ZONE 'UTC', (now() + interval '1 h') AT TIME ZONE 'UTC')"_s
                .arg(name, holder));
    }
    QString holders() const
    {
        return test::ask(*m_server->connect(m_url),
            u"SELECT string_agg(name || ' ' || coalesce(holder, '-'), ', ' ORDER BY name) FROM public.our_turns"_s);
    }
    static QJsonObject turnIn(const QJsonObject& json, const QString& name)
    {
        for (const QJsonValue entry : json[u"entries"].toArray())
            if (entry[u"name"].toString() == name)
                return entry.toObject();
        return {};
    }

    TestServer* m_server = &TestServer::shared();
    const QTemporaryDir m_folder;
    db::ServerUrl m_url;
};

LOCKSCOPE_TEST(tst_LockctlFree)

} // namespace tst_LockctlFree
#include "tst_LockctlFree.moc"
