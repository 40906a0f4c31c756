// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Objects of every kind that can carry an expression or code are planted in tables that look like a
// framework's, by each of four roles: no action of lockctl and of the pages runs them.

#include "core/admin/ServerAdmin.h"
#include "core/frameworks/TableSearch.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/Lockctl.h"
#include "tests/support/PlantedDatabase.h"
#include "tests/support/TestProgram.h"

namespace tst_PlantedCode {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

/// Arguments of each command of lockctl. {session}: somebody's, {file}: of this role, {history}: a team's,
/// {place}: a recording in it, {shared}: a recording for all, {clip}: a file that does not exist yet,
/// {approve}: all tables in which something is planted are approved.
const QStringList invocations{u"list"_s, u"list --all"_s, u"list --framework shedlock"_s,
    u"list --all {approve}"_s, u"list --framework shedlock {approve}"_s,
    u"free shedlock --dry-run {approve}"_s, u"free shedlock:stranger_check_ours --yes --reason r {approve}"_s,
    u"free shedlock:guest_index_ours --yes --reason r {approve}"_s,
    u"free shedlock:owner_stored_ours --yes --reason r {approve}"_s,
    u"free shedlock:trigger_trigger_ours --yes --reason r"_s, u"list --json --read-only"_s,
    u"list --recording {place}"_s, u"tree"_s, u"watch -n 2 --interval 100ms"_s, u"run job -- true"_s,
    u"run --kind app job -- true"_s, u"run --kind locked-table job -- true"_s,
    u"run --kind locked-key job -- true"_s, u"acquire left"_s, u"release left --token wrong"_s,
    u"release left --force --yes --reason r"_s, u"purge --dry-run"_s, u"purge --yes --reason r"_s,
    u"end-session {session} --cancel --yes --reason r"_s, u"end-session {session} --yes --reason r"_s,
    u"free shedlock --dry-run"_s, u"free shedlock:trigger_when_update --yes --reason r"_s,
    u"free shedlock:trigger_cascade --yes --reason r"_s, u"frameworks"_s, u"frameworks show"_s, u"audit"_s,
    u"plan {session}"_s, u"check"_s, u"record --for 1s --interval 100ms --out {file} --into {history}"_s,
    u"recordings list {file}"_s, u"recordings list --from-history {history}"_s,
    u"recordings verify {place}"_s, u"recordings export {place} --out {clip}1"_s,
    u"recordings merge {shared} --out {clip}2"_s, u"recordings prune --keep 7d {file}"_s,
    u"recordings pin {file} --from 1s --to 0s --why r"_s, u"recordings pins {file}"_s,
    u"recordings unpin {file} 1"_s, u"recordings note mark --recording {file}"_s,
    u"recordings search job {file}"_s, u"history job --recording {place}"_s, u"range --recording {place}"_s,
    u"compare --recording {place} --from 1s"_s, u"deadlocks"_s, u"order --for 1s --interval 100ms"_s,
    u"metrics"_s, u"watch --alerts -n 2 --interval 100ms"_s, u"alerts check-now"_s,
    u"alerts rehearse --recording {place}"_s, u"scenario list"_s,
    u"scenario run lost-update --duration 500ms"_s, u"scenario compare lost-update --duration 300ms"_s,
    u"scenario explore lost-update --limit 3"_s,
    u"scenario replay lost-update/unsafe accounts=1: A1 B1 A2 B2"_s, u"scenario check {clip}4"_s,
    u"uninstall --yes"_s, u"install"_s, u"install --history"_s};
/// Commands for a login with a reading role of its own.
const QStringList ofReader{u"list"_s, u"list --all"_s, u"list --framework shedlock {approve}"_s, u"tree"_s,
    u"watch -n 2 --interval 100ms"_s, u"check"_s, u"frameworks"_s, u"free shedlock --dry-run"_s,
    u"free shedlock:stranger_view --yes --reason r"_s,
    u"free shedlock:stranger_check_ours --yes --reason r"_s, u"purge --dry-run"_s,
    u"record --for 1s --interval 100ms --out {file}"_s};
/// Those that have no server of somebody else's: a private one, and files. An agent does what `record` does.
const QStringList withoutServer{u"agent"_s, u"sandbox"_s, u"deadlock"_s, u"incident"_s, u"alerts list"_s,
    u"alerts show"_s, u"alerts history"_s, u"alerts ack"_s, u"alerts mute"_s, u"alerts unmute"_s,
    u"alerts mutes"_s, u"alerts cured"_s, u"alerts check"_s, u"alerts test"_s};

constexpr auto server = &TestServer::shared;

class PlantedCode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_planted = std::make_unique<PlantedDatabase>();
        m_database = m_planted->url();
        m_operator = m_planted->operatorUrl();
        m_monitor = m_planted->monitorUrl();
        m_roles = m_planted->roles();
        m_reader = m_planted->reader();
        m_traps = m_planted->traps();
        const auto connection = server().connect(m_database);
        QVERIFY2(m_traps.size() > 250, qPrintable(QString::number(m_traps.size())));
        const QString kinds =
            ask(*connection, u"SELECT count(DISTINCT kind) - 1 FROM public.planted WHERE fault IS NULL"_s);
        const Lockctl lockctl = lockctlOf(m_database);
        VERIFY_CODE(0,
            lockctl("record --for 1s --out %1 --into %2", m_directory.filePath(u"shared"_s),
                m_database.toString()));
        m_place = m_database.toString() + u'#'
            + lockctl("recordings list --json --from-history %1", m_database.toString())
                  .jsonArray()
                  .first()
                  .toObject()
                  .value(u"id"_s)
                  .toString();
        qInfo("%s kinds are planted by %lld roles: %zu tables", qPrintable(kinds),
            static_cast<long long>(m_roles.size()), m_traps.size());
    }
    void cleanupTestCase()
    {
        qInfo("Nothing of %zu tables ran in %d commands, %d polls and %d attempts to free a row",
            m_traps.size(), m_commands, m_polls, m_attempts);
    }

    /// Planted code that runs is noticed, even if its transaction is read-only and rolled back.
    void theRecorderRecords()
    {
        const auto control = connectAs(m_database, Purpose::Monitor, u"control"_s);
        QVERIFY(control->begin());
        QVERIFY(runSql(*control, u"SELECT stranger_check.evil('x')"_s));
        QVERIFY(control->rollback());
        QVERIFY(waitUntil([] { return server().log().contains(u"for \"control\""_s); }));
        m_known << u"control"_s;
    }

    void commands_data() { addRoles(); }
    void commands() { runAll(urlOfRole()); }

    /// Code in views then runs with the rights of that role, which has none.
    void withAReader_data() { addRoles(); }
    void withAReader()
    {
        ServerUrl url = urlOfRole();
        url.options.insert(u"reader"_s, m_reader);
        runAll(url, ofReader);
        QVERIFY2(server().log().contains(u" as "_s + m_reader), "It was refused, and read nothing.");
    }

    void everyCommandIsRun()
    {
        for (const QString& command : Lockctl::commands()) {
            const auto isIt = [&command](
                                  const QString& line) { return (line + u' ').startsWith(command + u' '); };
            QVERIFY2(withoutServer.contains(command) || std::ranges::any_of(invocations, isIt),
                qPrintable(command));
        }
    }

    /// Pages show the polled rows of all tables.
    void polls_data()
    {
        addColumns<QString, QString>("role", "tables");
        for (const char* const role : {"superuser", "operator", "monitor"})
            for (const char* const tables : {"found", "approved", "attached", "a reader's"})
                QTest::addRow("%s, %s", role, tables)
                    << QString::fromLatin1(role) << QString::fromLatin1(tables);
    }
    void polls()
    {
        QFETCH(const QString, tables);
        const ServerUrl url = urlOfRole();
        ServerProfile profile = tables == u"approved" ? approving(url) : ServerProfile();
        if (tables == u"attached")
            profile = attaching(url);
        profile.url = url;
        profile.url.options.insert(u"frameworks"_s, u"1000"_s);
        if (tables == u"a reader's")
            profile.url.options.insert(u"reader"_s, m_reader);
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        for (int i = 0; i < 3; ++i, ++m_polls)
            QVERIFY(source->take(std::stop_token()));
        checkNothingRan(u"polls"_s);
    }

    /// Every lock, though the person has approved or attached its table: refused, or freed where nothing is
    /// planted.
    void freeing_data()
    {
        addColumns<QString, bool, bool>("role", "isUpdate", "isAttached");
        row("superuser, update", "superuser", true, false);
        row("superuser, delete, attached", "superuser", false, true);
        row("operator, update, attached", "operator", true, true);
        row("operator, delete", "operator", false, false);
        row("monitor, update", "monitor", true, false);
    }
    void freeing()
    {
        FETCH(const QString, role, bool, isUpdate, bool, isAttached);
        const bool isSuperuser = role == u"superuser";
        const ServerUrl url = urlOfRole();
        ServerProfile profile = isAttached ? attaching(url) : approving(url);
        profile.url = url;
        const auto connection = connectAs(profile.url, Purpose::Admin, {});
        admin::ServerAdmin admin(*connection, profile);
        const auto match = matchOf(rowLock({u"name"_s},
            isUpdate ? std::vector<std::pair<QString, FrameworkValue>>{{u"locked_by"_s, u"nobody"_s}}
                     : std::vector<std::pair<QString, FrameworkValue>>()));
        QStringList freed;
        for (const Trap& trap : ofStrangers(url)) {
            ++m_attempts;
            LockTableEntry shown;
            shown.name = trap.place();
            shown.table = trap.table();
            shown.framework = match;
            shown.stored = QStringList{trap.place()};
            auto table = std::make_shared<LockRowTable>();
            table->schema = trap.place();
            table->table = u"shedlock"_s;
            table->columns = {{u"name"_s, u"varchar"_s}, {u"locked_by"_s, u"varchar"_s}};
            shown.source = table;
            const auto done = admin.releaseEntry(shown, u"stuck"_s);
            if (done)
                freed << trap.place();
        }
        checkNothingRan(u"freeing"_s);
        for (const QString& place : std::as_const(freed))
            QVERIFY2(place.endsWith(u"_nothing"_s), qPrintable(freed.join(u' ')));
        QVERIFY2(!isSuperuser || freed.size() == m_roles.size(), qPrintable(freed.join(u' ')));
    }

    /// The database's owner may say which role a login begins with.
    void withTheOwnersRole()
    {
        const QString owner = m_roles[u"owner"_s];
        server().run(m_database, u"ALTER DATABASE \"%1\" SET role = '%2'"_s.arg(m_database.database, owner));
        runAll(m_database);
        server()
            .connect(m_database)
            ->executeScript("RESET ROLE; ALTER DATABASE " + m_database.database.toUtf8() + " RESET role");
    }

    /// Somebody was given TRIGGER on our own tables.
    void onOurTables_data() { addRoles(); }
    void onOurTables()
    {
        plantOnOurTables();
        runAll(urlOfRole());
    }

    /// The tables now belong to us, but not the objects that they lead to: the first check of each table
    /// misses none that the whole rule finds.
    void whatATableLeadsToIsFound()
    {
        const auto connection = connectAs(m_database, Purpose::Admin, u"planting"_s);
        for (const Trap& trap : m_traps) {
            VERIFY_DONE(connection->executeScript(
                u"ALTER SCHEMA %1 OWNER TO CURRENT_USER; ALTER TABLE %1.shedlock OWNER TO CURRENT_USER"_s
                    .arg(trap.place())
                    .toUtf8()));
        }
        const QString all =
            ask(*connection, u"SELECT array_agg(oid) FROM pg_class WHERE relname = 'shedlock'"_s);
        QSet<quint64> strange;
        QVERIFY(connection->execute(statementOfTrust("postgres/frameworks/referring", 1), {u""_s, all},
            [&strange](const Row& row) { strange << static_cast<quint64>(row.int64(0)); }));
        const ServerProfile profile = profileOf(m_database);
        frameworks::TableSearch search(connection->dialect(), frameworks::catalogue(), profile);
        for (const auto& result : connection->executeBatch(search.items()))
            VERIFY_DONE(result);
        const auto trusted = [&search] {
            QSet<quint64> ids;
            for (const auto& found : search.found())
                if (found->table.names->table == u"shedlock" && found->table.isTrusted)
                    ids << found->table.id;
            return ids;
        };
        const auto atOnce = trusted();
        QVERIFY(!atOnce.isEmpty() && !atOnce.intersects(strange));
        QVERIFY(search.judgeReferring(*connection));
        QVERIFY(trusted().size() > atOnce.size() && !trusted().intersects(strange));
        QVERIFY2(strange.size() > 50, qPrintable(QString::number(strange.size())));
    }

    /// A superuser made them, with a function that is somebody else's: everybody who makes or drops an object
    /// runs it.
    void eventTriggers()
    {
        const ServerUrl installed = server().freshDatabase();
        const ServerUrl empty = server().freshDatabase(TestServer::Schema::None);
        for (const ServerUrl& url : {installed, empty}) {
            const ServerUrl mallory =
                server().asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
            QVERIFY(
                connectAs(mallory, Purpose::Admin, u"planting"_s)
                    ->executeScript(
                        "CREATE SCHEMA planted; CREATE FUNCTION planted.evil() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'planted code ran: event for \"%\" as %', current_setting('application_name'), current_user; END $$"));
            server().run(url,
                u"CREATE EVENT TRIGGER early ON ddl_command_start EXECUTE FUNCTION planted.evil(); CREATE EVENT TRIGGER late ON sql_drop EXECUTE FUNCTION planted.evil()"_s);
        }
        const auto isRefused = [this](const ServerUrl& url, const QString& line) {
            const auto answer = lockctlOf(url)(line.split(u' '));
            QVERIFY2(answer.code != 0 && answer.allOutput().contains("planted.evil()"),
                (line.toUtf8() + ": " + answer.allOutput()).constData());
            checkNothingRan(line);
        };
        for (const QString& line :
            {u"run --kind locked-table job -- true"_s, u"scenario run lost-update --duration 300ms"_s,
                u"install --history"_s, u"uninstall --yes"_s})
            isRefused(installed, line);
        isRefused(empty, u"install"_s);
        isRefused(empty, u"install --history"_s);
        // A user who copies the script runs it without our question.
        const auto script =
            server().connect(empty)->executeScript(Statement::get("postgres/install.sql").sql());
        QVERIFY(!script && script.error().detail.contains(u"planted.evil()"_s));
        checkNothingRan(u"install.sql"_s);
    }

private:
    void addRoles()
    {
        QTest::addColumn<QString>("role");
        for (const char* const role : {"superuser", "operator", "monitor"})
            row(role, QString::fromLatin1(role));
    }
    ServerUrl urlOfRole() const
    {
        return m_planted->urlOf(QString::fromLatin1(QTest::currentDataTag()).section(u',', 0, 0));
    }
    Lockctl lockctlOf(const ServerUrl& url) const
    {
        Lockctl lockctl(url.toString(), server().password());
        for (const QString& folder : {u"XDG_CONFIG_HOME"_s, u"XDG_STATE_HOME"_s, u"XDG_DATA_HOME"_s})
            lockctl.set(folder, m_directory.path());
        lockctl.set(u"LOCKSCOPE_READER_PASSWORD"_s, server().password());
        return lockctl;
    }
    /// A user who is no superuser trusts the owner of the database: that owner's code runs.
    std::vector<Trap> ofStrangers(const ServerUrl& url) const
    {
        std::vector<Trap> traps;
        for (const Trap& trap : m_traps)
            if (url.user == m_database.user || trap.planter != u"owner")
                traps.push_back(trap);
        return traps;
    }
    ServerProfile approving(const ServerUrl& url) const
    {
        ServerProfile profile;
        for (const Trap& trap : ofStrangers(url))
            profile.approvedTables << ApprovedTable{trap.place(), u"shedlock"_s, ownerOf(trap)};
        return profile;
    }
    ServerProfile attaching(const ServerUrl& url) const
    {
        ServerProfile profile;
        for (const Trap& trap : ofStrangers(url)) {
            profile.attached << AttachedTable{.schema = trap.place(),
                .table = u"shedlock"_s,
                .nameColumn = u"name"_s,
                .timeColumn = u"locked_at"_s,
                .holderColumn = u"locked_by"_s,
                .expiresColumn = u"lock_until"_s};
        }
        return profile;
    }
    void runAll(const ServerUrl& url, const QStringList& lines = invocations)
    {
        const Lockctl lockctl = lockctlOf(url);
        const auto somebody = server().connect(m_database);
        const QString name = m_directory.filePath(QString::number(++m_runs));
        QStringList approvals;
        for (const Trap& trap : ofStrangers(url))
            approvals << u"--approve"_s << trap.table();
        for (const QString& line : lines) {
            const QString filled = QString(line)
                                       .replace(u"{session}"_s, QString::number(somebody->sessionId().value))
                                       .replace(u"{file}"_s, name)
                                       .replace(u"{clip}"_s, name + u'-')
                                       .replace(u"{history}"_s, url.toString())
                                       .replace(u"{place}"_s, m_place)
                                       .replace(u"{shared}"_s, m_directory.filePath(u"shared"_s));
            QStringList arguments = filled.split(u' ');
            if (arguments.removeAll(u"{approve}"_s) > 0)
                arguments += approvals;
            const auto answer = lockctl(arguments);
            ++m_commands;
            constexpr int wrongUsage = 2;
            QVERIFY2(answer.code >= 0 && answer.code != wrongUsage,
                (line.toUtf8() + ": " + answer.allOutput()).constData());
            checkNothingRan(line);
        }
    }
    void plantOnOurTables()
    {
        const QString role = m_roles[u"trigger"_s];
        const std::array tables{std::array{u"lockscope.lock_entry"_s, u"name"_s},
            std::array{u"lockscope.audit_log"_s, u"who"_s},
            std::array{u"lockscope_history.recording"_s, u"id"_s}};
        server().run(m_database, u"GRANT USAGE ON SCHEMA lockscope, lockscope_history TO \"%1\""_s.arg(role));
        for (const auto& [table, column] : tables)
            server().run(m_database, u"GRANT TRIGGER ON %1 TO \"%2\""_s.arg(table, role));
        ServerUrl mallory = m_database;
        mallory.user = role;
        const auto planted = connectAs(mallory, Purpose::Admin, u"planting"_s);
        for (const auto& [table, column] : tables)
            for (const QString& event : {u"INSERT"_s, u"UPDATE"_s, u"DELETE"_s})
                QVERIFY(planted->executeScript(
                    u"CREATE OR REPLACE TRIGGER %1_trap BEFORE %1 ON %2 FOR EACH ROW WHEN (trigger_nothing.evil_bool(%3.%4::text)) EXECUTE FUNCTION suppress_redundant_updates_trigger()"_s
                        .arg(event, table, event == u"DELETE" ? u"OLD"_s : u"NEW"_s, column)
                        .toUtf8()));
    }
    QString ownerOf(const Trap& trap) const
    {
        return trap.planter == u"trigger"_s ? m_database.user : m_roles[trap.planter];
    }
    /// The application's name of each run is in the log.
    void checkNothingRan(const QString& after) const
    {
        const QStringList found = m_planted->whatRan(m_known);
        QVERIFY2(found.isEmpty(),
            qPrintable(after + u": "_s + found.first(std::min<qsizetype>(found.size(), 5)).join(u"; "_s)));
    }

    const QTemporaryDir m_directory;
    std::unique_ptr<PlantedDatabase> m_planted;
    ServerUrl m_database;
    ServerUrl m_operator;
    ServerUrl m_monitor;
    QMap<QString, QString> m_roles;
    std::vector<Trap> m_traps;
    QStringList m_known;
    QString m_place;
    QString m_reader;
    int m_runs = 0;
    int m_commands = 0;
    int m_polls = 0;
    int m_attempts = 0;
};

LOCKSCOPE_TEST(PlantedCode)

} // namespace tst_PlantedCode
#include "tst_PlantedCode.moc"
