// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The commands of the manual, of README.md and of the man page are run, each at a terminal, against real
// servers with contention and with a recording of it. Names that stand for something become those of the
// test. A command must end with the status that the manual gives for this state.

#include "core/db/ServerProfile.h"
#include "tests/support/Deadlock.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/Session.h"
#include "tests/support/Terminal.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <span>

namespace tst_ManualCommands {

using namespace lockscope;
using namespace lockscope::test;

/// A regular expression, and a text for what it matches.
struct Entry {
    const char* pattern;
    const char* text;
};

/// Commands that are not run here, with the reason.
constexpr Entry notRun[] = {
    {"^\\./packaging/dev ", "It builds the programs under test."},
    {"^cmake ", "It builds and installs them."},
    {"^sudo apt ", "It installs a package of the system."},
    {"^lockscope ", "It opens a window: tst_Screenshot does that."},
    {"^lock-order ", "tst_InstalledLibrary builds and runs the examples."},
    {"^createuser ", "tst_AgentSetup runs all lines of that block."},
    {"^install -D ", "tst_AgentSetup runs all lines of that block."},
    {"^printf ", "tst_AgentSetup runs all lines of that block."},
    {"^systemctl daemon-reload ", "tst_AgentSetup runs all lines of that block."},
    {"^install (-d|-m 0600) ", "It sets up a service of the system."},
    {"^cat /etc/", "It shows a file of that service."},
    {"^systemctl (enable|status) ", "It starts that service."},
    {"^LOCKSCOPE_TEST_SQLSERVER=", "It needs a real SQL Server."},
    {"^export ", "The server is set for all commands here."},
};

/// Commands that the text only names, with what makes them whole.
constexpr Entry named[] = {
    {"^lockctl (COMMAND --help)$", "lockctl list --help"},
    {"^lockctl (run --terminate-on-loss)$", "lockctl \\1 nightly -- true"},
    {"^lockctl run (.*) -- …$", "lockctl run \\1 -- true"},
    {"^lockctl free$", "lockctl free liquibase --dry-run"},
    {"^lockctl (free liquibase)$", "lockctl \\1 --reason 'OPS-17'"},
    {"^lockctl (end-session -?\\d+)$", "lockctl \\1 --reason 'OPS-17'"},
    {"^lockctl (recordings export)( --redact)?$",
        "lockctl \\1 shop.lockscope --out 'export\\2.lockscope'\\2"},
    {"^lockctl (record --redact)$", "lockctl \\1 --out redacted.lockscope"},
    {"^lockctl (install --history( --script)?)$", "lockctl \\1 --server {history}"},
    {"^lockctl (order(?!.*(--for|--recording|--mute )).*)$", "lockctl \\1 --for 10m"},
    {"^lockctl (record --into)$", "lockctl \\1 {history}"},
    {"^lockctl (range --format)$", "lockctl \\1 html"},
    {"^lockctl (alerts history --recording)$", "lockctl \\1 shop.lockscope"},
    {"^lockctl compare$", "lockctl compare --from 1h"},
    {"^lockctl alerts$", "lockctl alerts list"},
    {"^lockctl (scenario explore)( lost-update)?$",
        "lockctl \\1 lost-update --set accounts=1 --save witness.json"},
    {"^lockctl scenario( run)?$", "lockctl scenario run lost-update"},
    {"^lockctl deadlock( -)?$", "lockctl deadlock - < friday.xdl"},
    {"^lockctl (recordings note)$", "lockctl \\1 'deploy 4.2'"},
    {"^lockctl (recordings prune)$", "lockctl \\1 --keep 7d,1G"},
    {"^lockctl (recordings verify)$", "lockctl \\1 shop.lockscope"},
    {"^lockctl uninstall$", "lockctl install --server {sqlite} && lockctl uninstall --server {sqlite}"},
};

/// Names, addresses, times and durations of the manual, with those of the test.
constexpr Entry replaced[] = {
    {"^sudo (?=lockctl)", ""},
    {"^git log -1 --format=%s", "echo deploy"},
    {"/etc/lockscope/|/var/lib/prometheus/node-exporter/", ""},
    {">> locks.log", "| tee -i -a locks.log"},
    {"\\| jq .*", "> check.json"},
    {"^sqlite3 (damaged.*)", "rm -f rebuilt.lockscope && {recover} \\1"},
    {"postgresql://\\w+@db[29]/history#[^ ]+", "{history}#{recorded}"},
    {"postgresql://\\w+@db[29]/history", "{history}"},
    {"sqlserver://[^ ]+", "{double}"},
    {"sqlite:///path/locks.db", "{sqlite}"},
    {"postgresql://[^ ]+/stock", "{stock}"},
    {"postgresql://[^ {]+@[^ {]+|sandbox:|\\bURL\\b", "{postgres}"},
    {"\\[SERVER\\]", "{double}"},
    {"SERVER…", "shop"},
    {"--scenario FILE", "--scenario made.json"},
    {"(scenario (?:check|run)) FILE", "\\1 lost-update.json"},
    {"(agent(?: --check)?) FILE", "\\1 agent.json"},
    {"(frameworks --check) FILE", "\\1 liquibase.json"},
    {"(alerts check) FILE", "\\1 config/lockscope/alerts.json"},
    {"(deadlock(?: --family)?) FILE…?", "\\1 friday.xdl"},
    {"(?<!--out )(shop|clip)\\.lockscope|\\bFILE\\b", "shop.lockscope"},
    {"merge A B --out ALL", "merge shop.lockscope copy.lockscope --out all.lockscope"},
    {"(--at|--with) (03:1\\d|2026-[^ ]+|…)", "\\1 {to}"},
    {"(--from|--with-from) 2026-[^ ]+", "\\1 {from}"},
    {"--to 2026-[^ ]+", "--to {to}"},
    {"--from (2h|10m) --to (1h|5m)", "--from 2s --to 1s"},
    {"--at 5m", "--at 1s"},
    {"--for 10m", "--for 200ms"},
    {"--duration 10s", "--duration 100ms"},
    {"(scenario run lost-update)$", "\\1 --duration 1s"},
    {"(run lost-update --variant row-lock)", "\\1 --duration 200ms"},
    {"deadlocks shop --follow", "deadlocks {double} --since 1d --follow"},
    {"(watch --alerts)$", "\\1 -n 1"},
    {"(history --session) 4711", "\\1 {head}"},
    {"(end-session) (4711|27796)", "\\1 {victim}"},
    {"(incident|ack) 12\\b", "\\1 1"},
    {"(order --mute) ID", "\\1 3fa94c01"},
    {"\\bFAMILY\\b", "6-9f3b24c05d7e"},
    {"\\bNAME\\b", "import"},
    {"unpin (.*) 3$", "unpin \\1 1"},
    {"(plan 63|end-session -2)", "\\1 --server {double}"},
};

/// The status that a command must end with, where it is not 0, and perhaps a part of what it must print.
/// "^C": it runs until Ctrl+C, and then ends with 0.
constexpr Entry statuses[] = {
    {"^lockctl (watch(?!.* -n )|agent (?!--check)|sandbox|record\\b(?!.* --for )|deadlocks.*--follow)", "^C"},
    {"^lockctl scenario (run|explore|replay)(?!.*row-lock)", "1"},
    {"^lockctl deadlocks?\\b(?!.*--prove)", "1"},
    {"^lockctl alerts list|check-now$", "1"},
    {"^lockctl compare .*--from ", "3"},
    {"end-session -2", "1 No distributed transaction without a session"},
    {"plan 63", "1 Can't read the plan of session 63"},
};

/// Fills two tables before each command: a lock-table entry that is stale, so that it can be purged, released
/// and taken, and a row of Liquibase. No command needs what another one has left elsewhere.
const QString before =
    u"DELETE FROM lockscope.lock_entry; INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('nightly', 't', clock_timestamp() - interval '1 minute'); DELETE FROM public.databasechangeloglock; INSERT INTO public.databasechangeloglock VALUES (1, TRUE, now() AT TIME ZONE 'UTC', 'build-7')"_s;

/// Returns the commands of a page in their order: each line of a block for the shell, and each mention of
/// lockctl.
static QStringList commandsOf(QString text)
{
    static const QRegularExpression code(
        u"^```(sh|console)\\n(.*?)^```|`((?:sudo )?lockctl [^`\\n]+)`|^\\.Dl ([^\\n]*)$"_s,
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression continued(u" \\\\\\n +"_s);
    static const QRegularExpression prompt(u"^[$#] "_s);
    static const QRegularExpression comment(u" +# .*"_s);
    text.replace(continued, u" "_s).replace(u"\\(dq"_s, u"\""_s);
    QStringList commands;
    for (auto found = code.globalMatch(text); found.hasNext();) {
        const auto match = found.next();
        QStringList lines = (match.captured(2) + match.captured(3) + match.captured(4)).split(u'\n');
        if (match.captured(1) == u"console")
            lines = lines.filter(prompt).replaceInStrings(prompt, {});
        commands += lines.replaceInStrings(comment, {});
    }
    commands.removeAll(QString());
    commands.removeDuplicates();
    return commands;
}

/// All commands of the documents, as they are run.
class Plan {
public:
    struct Row {
        QString name; ///< the page, and the command as it stands there
        QString command; ///< with places for the values of the test
        QString expected; ///< its status, and perhaps a part of its text
    };

    Plan()
    {
        QStringList files{sourcePath(u"README.md"_s), sourcePath(u"packaging/man/lockctl.1"_s)};
        const QDir help(sourcePath(u"resources/help"_s));
        for (const QString& page : help.entryList({u"*.md"_s}, QDir::Files, QDir::Name))
            files << help.filePath(page);
        for (const QString& file : files)
            for (const QString& command : commandsOf(QString::fromUtf8(readFile(file))))
                add(QFileInfo(file).fileName() + u": "_s + command, command);
    }
    const QList<Row>& rows() const { return m_rows; }
    bool uses(const Entry& entry) const { return m_used.contains(&entry); }

private:
    void add(const QString& name, QString command)
    {
        if (match(command, notRun))
            return;
        fill(command, named);
        fill(command, replaced);
        const Entry* other = match(command, statuses);
        m_rows.append({name, command, QString::fromLatin1(other ? other->text : "0")});
    }
    void fill(QString& command, std::span<const Entry> entries)
    {
        for (const Entry& each : entries)
            if (match(command, {&each, 1}))
                command.replace(
                    QRegularExpression(QString::fromUtf8(each.pattern)), QString::fromUtf8(each.text));
    }
    /// Returns the first entry that matches; null if none does.
    const Entry* match(const QString& command, std::span<const Entry> entries)
    {
        for (const Entry& each : entries) {
            if (!command.contains(QRegularExpression(QString::fromUtf8(each.pattern))))
                continue;
            m_used.insert(&each);
            return &each;
        }
        return nullptr;
    }

    QList<Row> m_rows;
    QSet<const Entry*> m_used;
};

class tst_ManualCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_double.start(programPath("sqlserver-double"), QStringList());
        QVERIFY(waitUntil([this] { return m_double.canReadLine(); }));
        m_url = m_server->freshDatabase(
            u"CREATE TABLE public.orders (id int); CREATE TABLE public.databasechangeloglock (id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255))"_s);
        const db::ServerUrl stock = m_server->freshDatabase();
        m_values = {{u"{postgres}"_s, quoted(m_url.toString())}, {u"{stock}"_s, quoted(stock.toString())},
            {u"{history}"_s, quoted(m_server->freshDatabase().toString())},
            {u"{recorded}"_s, quoted(m_url.display())},
            {u"{double}"_s, quoted(QString::fromUtf8(m_double.readLine().trimmed()))},
            {u"{sqlite}"_s, u"sqlite://"_s + path(u"locks.db"_s)}};
        m_environment = {u"HOME="_s + m_folder.path(), u"XDG_STATE_HOME="_s + path(u"state"_s),
            u"XDG_CONFIG_HOME="_s + path(u"config"_s), u"LOCKSCOPE_SANDBOX_DIR="_s + m_sandbox.path(),
            u"LOCKSCOPE_SERVER="_s + m_url.toString(), u"LOCKSCOPE_PASSWORD="_s + m_server->password(),
            u"PATH=%1:%2"_s.arg(QFileInfo(programPath("lockctl")).path(), qEnvironmentVariable("PATH")),
            u"TERM=xterm"_s};
        copyClusterTo(m_sandbox.path());
        makeFiles(stock);
        makeRecording();
        makeDamage();
        makeDeadlock(m_server->at(m_url), 1);
    }
    void cleanupTestCase()
    {
        m_double.closeWriteChannel();
        QVERIFY(m_double.waitForFinished());
    }

    /// Otherwise it speaks of what the manual has no longer.
    void eachEntryIsUsed()
    {
        for (const auto& entries : {std::span<const Entry>(notRun), std::span<const Entry>(named),
                 std::span<const Entry>(replaced), std::span<const Entry>(statuses)})
            for (const Entry& each : entries)
                QVERIFY2(m_plan.uses(each), each.pattern);
        QVERIFY(m_plan.rows().size() > 200);
    }

    void commandsRun_data()
    {
        addColumns<QString, QString>("command", "expected");
        for (const Plan::Row& each : m_plan.rows())
            row(qPrintable(each.name), each.command, each.expected);
    }
    void commandsRun()
    {
        FETCH(QString, command, QString, expected);
        if (m_done.contains(command))
            return; // another page has it, too
        m_done.insert(command);
        m_server->run(m_url, before);
        std::optional<Session> victim;
        if (command.contains(u"{victim}"_s)) {
            QVERIFY(victim.emplace(*m_server, m_url).startWaiting(u"SELECT * FROM orders"_s));
            m_values[u"{victim}"_s] = QString::number(victim->id().value);
        }
        const Ended ended = run(command, expected == u"^C");
        QVERIFY2(ended.status == expected.section(u' ', 0, 0), qPrintable(ended.text));
        VERIFY_CONTAINS(ended.text, expected.section(u' ', 1));
    }

private:
    struct Ended {
        QString status; ///< "^C" if it ran until Ctrl+C and then ended with 0
        QString text; ///< the command, its status and the end of what it printed
    };

    static QString quoted(const QString& text) { return u"'%1'"_s.arg(text); }
    QString path(const QString& name) const { return m_folder.filePath(name); }

    /// Runs it by a shell at a terminal and answers its question. An endless one is interrupted a little
    /// after it has printed something, if it still runs then.
    Ended run(QString command, bool isEndless = false) const
    {
        for (auto each = m_values.begin(); each != m_values.end(); ++each)
            command.replace(each.key(), each.value());
        Terminal terminal(u"/bin/bash"_s,
            {u"-o"_s, u"pipefail"_s, u"-c"_s, u"cd '%1' && %2"_s.arg(m_folder.path(), command)},
            m_environment, 200, 60);
        bool isInterrupted = false;
        if (!isEndless) {
            terminal.type(command.startsWith(u"sqlite3"_s) ? ".quit\n" : "y\n");
        } else if (terminal.waitUntil([&] { return !terminal.screen().join(QString()).isEmpty(); })) {
            const QDeadlineTimer deadline(300);
            terminal.waitUntil([&] { return terminal.hasEnded() || deadline.hasExpired(); });
            isInterrupted = !terminal.hasEnded();
            if (isInterrupted)
                terminal.type("\x03");
        }
        QString status = QString::number(terminal.waitForEnd());
        if (isInterrupted && status == u"0")
            status = u"^C"_s;
        return {status,
            u"%1\nended with %2:\n%3"_s.arg(command, status, terminal.screen().join(u'\n').trimmed())};
    }

    /// The files that commands name, and the account's: saved servers, rules, a channel.
    void makeFiles(const db::ServerUrl& stock) const
    {
        QVERIFY(QDir().mkpath(path(u"config/lockscope"_s)));
        QSettings settings(path(u"config/lockscope/lockscope.conf"_s), QSettings::NativeFormat);
        db::ProfileStore(settings).save({profileOf(m_url, u"shop"_s), profileOf(stock, u"stock"_s)});
        settings.sync();
        makeFile(path(u"config/lockscope/alerts.json"_s),
            "{\"rules\": [{\"name\": \"blocked sessions\", \"when\": \"blocked sessions\", \"levels\": [{\"severity\": \"warning\", \"from\": 3, \"for\": \"1s\"}]}],"
            " \"channels\": [{\"name\": \"team\", \"kind\": \"program\", \"command\": [\"/bin/cat\"]}]}");
        makeFile(path(u"agent.json"_s), "{\"servers\": [\"shop\"], \"metrics\": {\"port\": 0}}");
        makeFile(path(u"friday.xdl"_s), readFile(deadlockFilePath(u"opposite-order.xdl"_s)));
        makeFile(
            path(u"lost-update.json"_s), readFile(sourcePath(u"resources/scenarios/lost-update.json"_s)));
        makeFile(path(u"liquibase.json"_s), readFile(sourcePath(u"resources/frameworks/liquibase.json"_s)));
        for (const QString& name : {u"nightly.sh"_s, u"rebuild-best-sellers"_s, u"command"_s})
            makeFile(path(name), "#!/bin/sh\n", ownProgram);
        const Ended explored =
            run(u"lockctl scenario explore lost-update --set accounts=1 --save witness.json"_s);
        QVERIFY2(explored.status == u"1", qPrintable(explored.text));
    }

    /// Sessions that wait for one that idles, recorded until that is an incident.
    void makeRecording()
    {
        m_head = std::make_unique<Session>(*m_server, m_url);
        QVERIFY(m_head->run(u"BEGIN"_s) && m_head->run(u"LOCK TABLE orders"_s));
        for (auto& waiter : m_waiters) {
            waiter = std::make_unique<Session>(*m_server, m_url);
            QVERIFY(waiter->startWaiting(u"SELECT * FROM orders"_s));
        }
        QVERIFY(run(u"lockctl install --history --server {history}"_s).status == u"0");
        m_values[u"{recording}"_s] = u"state/lockscope/recordings/*.lockscope"_s;
        QVERIFY(waitUntil([&] {
            const QDateTime began = QDateTime::currentDateTimeUtc();
            m_values[u"{from}"_s] = began.addSecs(1).toString(Qt::ISODateWithMs);
            m_values[u"{to}"_s] = began.addSecs(2).toString(Qt::ISODateWithMs);
            const Ended recorded =
                run(u"lockctl record --alerts --interval 200ms --for 3s --into {history}"_s);
            const Ended found = run(
                u"lockctl tree --recording {recording} --at {from} && lockctl range --recording {recording} --from {from} --to {to}"_s);
            return recorded.status == u"0" && found.status == u"0"
                && run(u"lockctl alerts list"_s).status == u"1";
        }));
        m_values[u"{head}"_s] = QString::number(m_head->id().value);
        for (const QString& name : {u"shop"_s, u"copy"_s, u"damaged"_s}) {
            const Ended copied = run(u"lockctl recordings export {recording} --out %1.lockscope"_s.arg(name));
            QVERIFY2(copied.status == u"0", qPrintable(copied.text));
        }
        QVERIFY(
            run(u"lockctl recordings pin shop.lockscope --from 2s --to 1s --why OPS-17"_s).status == u"0");
    }

    /// Overwrites a page of a recording, an index's, of which nothing is lost; and rebuilds it.
    void makeDamage()
    {
        const Ended overwritten = run(
            u"dd if=/dev/zero of=damaged.lockscope bs=4096 count=1 conv=notrunc seek=$(sqlite3 -readonly damaged.lockscope \"SELECT rootpage - 1 FROM sqlite_schema WHERE name = 'frame_taken'\")"_s);
        QVERIFY2(overwritten.status == u"0", qPrintable(overwritten.text));
        const Ended verified = run(u"lockctl recordings verify damaged.lockscope"_s);
        QVERIFY2(verified.status == u"1", qPrintable(verified.text));
        // Debian builds sqlite3 without .recover.
        const bool recovers = run(u"sqlite3 damaged.lockscope .recover > recovered.sql"_s).status == u"0";
        m_values[u"{recover}"_s] = recovers ? u"sqlite3"_s : u"fossil sql --no-repository"_s;
        const Ended rebuilt = run(u"{recover} damaged.lockscope .recover | sqlite3 rebuilt.lockscope"_s);
        QVERIFY2(rebuilt.status == u"0", qPrintable(rebuilt.text));
    }

    const Plan m_plan;
    const QTemporaryDir m_folder;
    const QTemporaryDir m_sandbox;
    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
    QProcess m_double;
    QStringList m_environment;
    QMap<QString, QString> m_values;
    QSet<QString> m_done;
    std::unique_ptr<Session> m_head;
    std::array<std::unique_ptr<Session>, 3> m_waiters;
};

LOCKSCOPE_TEST(tst_ManualCommands)

} // namespace tst_ManualCommands
#include "tst_ManualCommands.moc"
