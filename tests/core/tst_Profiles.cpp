// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Servers come from files, also hostile ones: without passwords, and nothing is saved without a preview.

#include "core/profiles/ProfileFile.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_Profiles {

using namespace lockscope;
using namespace lockscope::profiles;
using db::ServerProfile;
using db::ServerUrl;
using Kind = ImportItem::Kind;

static ServerProfile profile(const QString& name, const QString& url)
{
    return test::profileOf(ServerUrl::parse(url).value(), name);
}

static ServerProfile everything()
{
    ServerProfile shop = profile(u"Shop"_s, u"postgresql://ann@db1:5433/shop?sslmode=verify-full"_s);
    shop.environment = db::Environment::Production;
    shop.tags = {u"eu"_s, u"billing team"_s};
    shop.readOnly = true;
    shop.attached = {{u"dbo"_s, u"Locks"_s, u"Name"_s, u"SetTime"_s, false, milliseconds(90'000), u"Owner"_s,
        u"Until"_s, u"State"_s, u"running"_s}};
    return shop;
}

/// Empty: it follows the schema.
static QByteArray judgedBySchema(const QByteArray& text)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(u"/usr/bin/python3"_s,
        {u"-c"_s,
            u"import json, sys, jsonschema; jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))"_s,
            test::sourcePath(u"resources/profiles/profiles.schema.json"_s)});
    if (!process.waitForStarted())
        return "python3 does not start";
    process.write(text);
    process.closeWriteChannel();
    process.waitForFinished();
    const QByteArray said = process.readAll();
    if (said.contains("ModuleNotFoundError"))
        qFatal("is python3-jsonschema installed?");
    return process.exitCode() == 0 ? QByteArray() : "refused: " + said;
}

static FoundServers read(const QByteArray& text)
{
    return test::orDie(readProfiles(u"test.json"_s, text));
}

class tst_Profiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsExportedIsImported()
    {
        const ServerProfile shop = everything();
        const ServerProfile file = profile(u"File"_s, u"sqlite:///srv/locks.db"_s);
        const FoundServers found = read(writeProfiles({shop, file}));
        QCOMPARE(found.servers, (QList<FoundServer>{{shop, true, {}}, {file, true, {}}}));
        QVERIFY(found.leftOut.isEmpty());
    }

    /// The reference validator of JSON Schema checks it. The schema refuses all that the reader refuses.
    void whatIsExportedFollowsThePublishedSchema()
    {
        QCOMPARE(judgedBySchema(writeProfiles({everything()})), QByteArray());
        QCOMPARE(
            judgedBySchema(writeProfiles({profile(u""_s, u"postgresql://ann@db1/shop"_s)})), QByteArray());
        for (const char* refused : {"{}", "{\"servers\": []}", "{\"servers\": [{\"url\": \"sqlite:///a\"}]}",
                 "{\"servers\": [{\"name\": \"a\", \"url\": \"sqlite:///a\", \"password\": \"x\"}]}",
                 "{\"servers\": [{\"name\": \"a\", \"url\": \"sqlite:///a\", \"attached\": {}}]}",
                 "{\"servers\": [{\"name\": \"a\", \"url\": \"sqlite:///a\", \"environment\": \"prod\"}]}"}) {
            QVERIFY2(!judgedBySchema(refused).isEmpty(), refused);
            QVERIFY2(!readProfiles(u"test.json"_s, refused), refused);
        }
    }

    /// The exported file may be read and written by others.
    void whatAUserAllowedStaysHere()
    {
        ServerProfile shop = profile(u"Shop"_s, u"postgresql://ann@db1/shop?schema_owner=dba"_s);
        shop.approvedTables = {{u"app"_s, u"jobs"_s, u"mallory"_s}};
        shop.localAudit = true;
        const QByteArray text = writeProfiles({shop, profile(u"Try"_s, u"sandbox:"_s)});
        for (const char* secret : {"mallory", "schema_owner", "localAudit", "sandbox"})
            QVERIFY2(!text.contains(secret), text.constData());
        const FoundServers hostile = read(
            "{\"servers\": [{\"name\": \"a\", \"url\": \"postgresql://db1/shop?schema_owner=mallory&passfile=/tmp/x&sslkeylogfile=/tmp/y&sslmode=require\"}]}");
        QCOMPARE(hostile.servers.first().profile.url.toString(), u"postgresql://db1/shop?sslmode=require"_s);
        QCOMPARE(hostile.servers.first().notes.size(), 3);
        const FoundServers library = read(
            "{\"servers\": [{\"name\": \"a\", \"url\": \"sqlserver://db1?driver=%2Ftmp%2Fevil-tdsodbc.so\"}]}");
        QCOMPARE(library.servers.first().profile.url.toString(), u"sqlserver://db1"_s);
        // A password that is kept for db1 must not go to another machine, nor in clear.
        const FoundServers elsewhere = read(
            "{\"servers\": [{\"name\": \"a\", \"url\": \"postgresql://db1/shop?hostaddr=10.6.6.6&sslmode=disable\"}, {\"name\": \"b\", \"url\": \"sqlserver://db1?dsn=prod&trust=yes&encrypt=no\"}]}");
        QCOMPARE(elsewhere.servers.first().profile.url.toString(), u"postgresql://db1/shop"_s);
        QCOMPARE(elsewhere.servers.last().profile.url.toString(), u"sqlserver://db1"_s);
    }

    /// Its port, written out, makes another address of the same server.
    void anotherNameOfAServerKeepsItsMarks()
    {
        ServerProfile shop = profile(u"Shop"_s, u"postgresql://ann@db1/shop"_s);
        shop.environment = db::Environment::Production;
        shop.readOnly = true;
        const auto plan = planImport({shop},
            read("{\"servers\": [{\"name\": \"other\", \"url\": \"postgresql://bob@DB1:5432/stock\"}]}"));
        QCOMPARE(plan.first().kind, ImportItem::Kind::New);
        QCOMPARE(plan.first().profile.environment, db::Environment::Production);
        QVERIFY(plan.first().profile.readOnly);
    }

    void hostileTextsAreNeutral()
    {
        const FoundServers found = read(
            "{\"servers\": [{\"name\": \"prod\\u202egpj\\nx\", \"url\": \"postgresql://db1/shop\", \"tags\": [\"a,b\", \"\\u200bc\"]},{\"name\": \"secret\", \"url\": \"postgresql://ann:hunter2@db1/shop\"}]}");
        QCOMPARE(found.servers.size(), 1);
        QCOMPARE(found.servers.first().profile.name, u"prod\\u202egpj x"_s);
        COMPARE_TEXTS(found.servers.first().profile.tags, "ab", "\\u200bc");
        QCOMPARE(found.leftOut.first().name, u"secret"_s);
        QVERIFY(!found.leftOut.first().why.contains(u"hunter2"_s));
    }

    void faultsHaveAPlace_data()
    {
        test::addColumns<QByteArray, QString>("text", "fault");
        test::row("no JSON", QByteArray("{"), "test.json:1:2: ");
        test::row("no servers", QByteArray("{}"), "test.json:1:1: The key \"servers\" is missing.");
        test::row("no name", QByteArray("{\"servers\": [\n {\"url\": \"sqlite:///a\"}]}"),
            "test.json:2:2: The key \"name\" is missing.");
        test::row("password",
            QByteArray("{\"servers\": [{\"name\": \"a\", \"url\": \"sqlite:///a\",\n"
                       "\"password\": \"x\"}]}"),
            "test.json:2:1: The key \"password\" is unknown here.");
        test::row("environment",
            QByteArray(
                "{\"servers\": [{\"name\": \"a\", \"url\": \"sqlite:///a\",\n\"environment\": \"prod\"}]}"),
            "test.json:2:16: Here is the text \"prod\".");
    }
    void faultsHaveAPlace()
    {
        FETCH(QByteArray, text, QString, fault);
        const auto found = readProfiles(u"test.json"_s, text);
        QVERIFY(!found);
        const QString first = found.error().front().toString();
        VERIFY_STARTS(first, fault);
    }

    void filesOfClients_data()
    {
        test::addColumns<ClientFile, QString>("kind", "text");
        QTest::addColumn<QStringList>("servers"); // name, URL
        QTest::addColumn<QStringList>("leftOut"); // name, why
        const auto row = [](const char* name, ClientFile kind, const QString& text,
                             const QStringList& servers, const QStringList& leftOut = {}) {
            test::row(name, kind, text, servers, leftOut);
        };
        using enum ClientFile;
        row("service", Services,
            u"# ours\n[shop]\nhost=db1\nport=5433\ndbname=shop\nuser=ann\npassword=x\nsslmode=require\n"_s,
            {u"shop"_s, u"postgresql://ann@db1:5433/shop?sslmode=require"_s});
        row("two hosts", Services, u"[shop]\r\nhost = db1,db2\r\nport = 5432,5433\r\ndbname = shop"_s,
            {u"shop"_s, u"postgresql://db1:5432,db2:5433/shop"_s});
        row("directory", Services, u"[far]\nldapurl=ldap://x/y\n[bad]\nhost=a\nport=x"_s, {},
            {u"far"_s, u"It has no name, or a directory server knows the rest of it."_s, u"bad"_s,
                u"Its port is none: x"_s});
        row("before a section", Services, u"host=db1\n"_s, {});
        row("pgpass", Passwords, u"db1:5433:shop:ann:geheim\n#no\n\nlocalhost:*:*:bob:x:y\n"_s,
            {u"ann@db1:5433/shop"_s, u"postgresql://ann@db1:5433/shop"_s, u"bob@localhost"_s,
                u"postgresql://bob@localhost"_s});
        row("escapes", Passwords, u"2001\\:db8\\:\\:1:5432:a\\\\b:ann:x"_s,
            {u"ann@[2001:db8::1]:5432/a\\b"_s, u"postgresql://ann@[2001:db8::1]:5432/a%5Cb"_s});
        row("wildcards", Passwords, u"*:5432:shop:ann:geheim\nnonsense\ndb1:5432:replication:r:x"_s, {},
            {u"line 1"_s, u"It is for any host."_s, u"line 2"_s,
                u"This line is not host:port:database:user:password."_s, u"line 3"_s,
                u"It is for replication only."_s});
        row("data source", DataSources,
            u"[ODBC Data Sources]\nShop=FreeTDS\n[Shop]\nDriver=FreeTDS\nServer=sql1\nPort=1444\nDatabase=shop\nUID=sa\nPWD=x\n"_s,
            {u"Shop"_s, u"sqlserver://sa@sql1:1444/shop?dsn=Shop"_s});
        row("of the account", DataSources,
            u"[Own]\nDriver=FreeTDS\nServer=TCP:sql1\nTrusted_Connection=Yes\n"_s,
            {u"Own"_s, u"sqlserver://sql1?auth=integrated&dsn=Own"_s});
        row("Microsoft's", DataSources,
            u"[Ms]\nDriver=ODBC Driver 18 for SQL Server\nServer=tcp:sql1,1433\n"_s,
            {u"Ms"_s, u"sqlserver://sql1:1433?dsn=Ms"_s});
        row("bad ports", DataSources,
            u"[A]\nDriver=FreeTDS\nServer=sql1\nPort=many\n[B]\nDriver=FreeTDS\nServer=sql1,70000"_s, {},
            {u"A"_s, u"Its port is none: many"_s, u"B"_s, u"Its port is none: 70000"_s});
        row("others", DataSources,
            u"[Pg]\nDriver=PostgreSQL Unicode\n[Named]\nDriver=FreeTDS\nServername=x"_s, {},
            {u"Pg"_s, u"Its driver is none of SQL Server: PostgreSQL Unicode"_s, u"Named"_s,
                u"It names no server: only freetds.conf may know."_s});
    }
    void filesOfClients()
    {
        FETCH(ClientFile, kind, QString, text);
        const FoundServers found = serversIn(kind, text);
        QStringList seen;
        for (const FoundServer& each : found.servers)
            seen << each.profile.name << each.profile.url.toString();
        QTEST(seen, "servers");
        QStringList others;
        for (const LeftOut& each : found.leftOut)
            others << each.name << each.why;
        QTEST(others, "leftOut");
        for (const QString& secret : {u"geheim"_s, u"PWD"_s})
            QVERIFY(!(seen + others).join(u' ').contains(secret));
    }

    void theEnvironmentSaysWhereTheyAre()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"mine.conf"_s);
        test::makeFile(path, "[shop]\nhost=db1\n");
        qputenv("PGSERVICEFILE", path.toUtf8());
        qputenv("PGSYSCONFDIR", folder.path().toUtf8());
        const auto found = test::orDie(readClientFiles(ClientFile::Services));
        QCOMPARE(found.servers.size(), 1);
        qputenv("PGSERVICEFILE", folder.filePath(u"none"_s).toUtf8());
        const auto none = readClientFiles(ClientFile::Services);
        QVERIFY(!none && none.error().what.startsWith(u"There is no such file: "_s));
        qunsetenv("PGSERVICEFILE");
        qunsetenv("PGSYSCONFDIR");
    }

    void thePlanSaysWhatIsNewChangedAndSkipped()
    {
        ServerProfile shop = profile(u"shop"_s, u"postgresql://ann@db1/shop"_s);
        shop.environment = db::Environment::Production;
        shop.localAudit = true;
        shop.approvedTables = {{u"app"_s, u"jobs"_s, u"dba"_s}};
        const ServerProfile other = profile(u"other"_s, u"postgresql://ann@db2/shop"_s);
        ServerProfile marked = shop;
        marked.environment = db::Environment::Test;
        marked.approvedTables.clear();
        FoundServers found;
        found.servers = {{profile(u"new"_s, u"postgresql://db3/x"_s), true}, {marked, true},
            {profile(u"alias"_s, u"postgresql://ann@db2/shop"_s), true}, {other, true},
            {profile(u"new"_s, u"postgresql://db4/x"_s), true}};
        found.leftOut = {{u"line 3"_s, u"It is for any host."_s}};
        const auto plan = planImport({shop, other}, found);
        QStringList lines;
        for (const ImportItem& item : plan)
            lines << u"%1 %2 %3"_s.arg(importKindName(item.kind), item.name, item.why);
        COMPARE_TEXTS(lines, "new new ", "changed shop Environment: production becomes test.",
            "skipped alias Its address is there already, as other.", "skipped other It is named twice.",
            "skipped new It is named twice.", "skipped line 3 It is for any host.");
        QCOMPARE(plan[1].profile.approvedTables, shop.approvedTables); // allowed here, for this address
        QCOMPARE(plan[1].profile.localAudit, std::optional(true));
    }

    /// Otherwise another person's file would make the dialogs of production look harmless.
    void anotherDatabaseOfAServerIsMarkedAsStrictly()
    {
        ServerProfile shop = profile(u"shop"_s, u"postgresql://ann@db1/shop"_s);
        shop.environment = db::Environment::Production;
        ServerProfile stock = profile(u"stock"_s, u"postgresql://bob@db1/stock"_s);
        stock.environment = db::Environment::Development;
        FoundServers found;
        found.servers = {{stock, true}};
        const auto plan = planImport({shop}, found);
        QCOMPARE(plan.first().profile.environment, db::Environment::Production);
        QCOMPARE(plan.first().why,
            u"It is on the same server as shop. The file marks it as development, but it stays production."_s);
    }

    /// Options that lower security, or that name a person or server to trust, are not taken over.
    void optionsOfAFileLowerNoSecurity()
    {
        FoundServers found;
        addFound(found,
            profile(u"shop"_s,
                u"postgresql://db1/shop?ssl_min_protocol_version=TLSv1&channel_binding=disable&require_auth=none&krbsrvname=evil"_s),
            true);
        QCOMPARE(found.servers.first().profile.url.toString(), u"postgresql://db1/shop"_s);
        QCOMPARE(found.servers.first().notes.size(), 4);
        addFound(found,
            profile(u"stock"_s,
                u"postgresql://db1/stock?channel_binding=require&ssl_min_protocol_version=TLSv1.3"_s),
            true);
        QVERIFY(found.servers.last().notes.isEmpty());
    }

    /// The preview is readable for a file of any length.
    void whatIsLeftOutIsListedUpToALimit()
    {
        const FoundServers found = serversIn(ClientFile::Passwords, u"nonsense\n"_s.repeated(maxLeftOut + 2));
        QCOMPARE(found.leftOut.size(), maxLeftOut);
        const auto plan = planImport({}, found);
        QCOMPARE(plan.size(), maxLeftOut + 1);
        QCOMPARE(plan.last().name, u"2 more"_s);
        QCOMPARE(plan.last().why, u"Only the first 1000 entries that become no server are listed."_s);
    }

    /// A service file knows nothing of production: the mark stays.
    void filesOfOthersUnmarkNothing()
    {
        ServerProfile shop = profile(u"shop"_s, u"postgresql://ann@db1/shop"_s);
        shop.environment = db::Environment::Production;
        shop.readOnly = true;
        shop.approvedTables = {{u"app"_s, u"jobs"_s, u"dba"_s}};
        const FoundServers same =
            serversIn(ClientFile::Services, u"[shop]\nhost=db1\nuser=ann\ndbname=shop"_s);
        QCOMPARE(planImport({shop}, same).first().kind, Kind::Skipped);
        const FoundServers moved =
            serversIn(ClientFile::Services, u"[shop]\nhost=db9\nuser=ann\ndbname=shop"_s);
        const auto plan = planImport({shop}, moved);
        QCOMPARE(plan.first().kind, Kind::Changed);
        QCOMPARE(plan.first().profile.environment, db::Environment::Production);
        QVERIFY(plan.first().profile.readOnly);
        QVERIFY(plan.first().profile.approvedTables.isEmpty()); // of another server
    }
};

LOCKSCOPE_TEST(tst_Profiles)

} // namespace tst_Profiles
#include "tst_Profiles.moc"
