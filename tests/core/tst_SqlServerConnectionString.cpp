// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "tests/support/TestProgram.h"

namespace tst_SqlServerConnectionString {

using namespace lockscope;
using namespace lockscope::db;

const OdbcDriver driver17 = odbcDriver(u"ODBC Driver 17 for SQL Server"_s);
const OdbcDriver driver18 = odbcDriver(u"ODBC Driver 18 for SQL Server"_s);
const OdbcDriver freeTds = odbcDriver(u"FreeTDS"_s);
const OdbcDriver other = odbcDriver(u"PostgreSQL Unicode"_s);

static Result<QString> stringFor(
    const QString& url, const OdbcDriver& driver, const QString& password = u"s3cret"_s)
{
    const auto parsed = ServerUrl::parse(url);
    if (!parsed)
        return Failure(parsed.error());
    const auto options = SqlServerOptions::fromUrl(*parsed);
    if (!options)
        return Failure(options.error());
    return connectionString(*parsed, *options, driver, password, u"lockscope lock"_s);
}

class tst_SqlServerConnectionString : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsEachDriverInItsOwnWords_data()
    {
        test::addColumns<QString, OdbcDriver, QString>("url", "driver", "text");
        test::row("Microsoft, all defaults: encrypted and verified", "sqlserver://ann@db1/shop", driver18,
            "DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=ann;PWD=s3cret;");
        test::row("Microsoft, everything said",
            "sqlserver://ann@db1:1444/shop?encrypt=strict&certificate=db1.corp&intent=readonly&spn=MSSQLSvc%2Fdb1",
            driver18,
            u"DRIVER={ODBC Driver 18 for SQL Server};Server={tcp:db1,1444};Encrypt=strict;TrustServerCertificate=no;HostnameInCertificate=db1.corp;ServerSPN=MSSQLSvc/db1;ApplicationIntent=ReadOnly;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;"
            "APP={lockscope lock};UID=ann;PWD=s3cret;"_s);
        test::row("Microsoft 17, trusting", "sqlserver://ann@db1%5CSQLEXPRESS?TrustServerCertificate=yes",
            driver17,
            "DRIVER={ODBC Driver 17 for SQL Server};Server=db1\\SQLEXPRESS;Encrypt=yes;TrustServerCertificate=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;ConnectRetryCount=0;APP={lockscope lock};UID=ann;PWD=s3cret;");
        test::row("Microsoft, integrated: no user, no password", "sqlserver://db1/shop?auth=integrated",
            driver18,
            "DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;Trusted_Connection=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};");
        test::row("Microsoft, Entra",
            "sqlserver://ann%40corp.com@db1.database.windows.net/shop?auth=entra-password", driver18,
            u"DRIVER={ODBC Driver 18 for SQL Server};Server=db1.database.windows.net;Encrypt=yes;TrustServerCertificate=no;Authentication=ActiveDirectoryPassword;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={"
            "lockscope lock};UID={ann@corp.com};PWD=s3cret;"_s);
        test::row("Microsoft, Entra's managed identity: no password",
            "sqlserver://db1/shop?auth=entra-managed-identity", driver18,
            "DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;Authentication=ActiveDirectoryMsi;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=;");
        test::row("Microsoft, data source", "sqlserver://ann@db1/?dsn=Shop+test", driver18,
            "DSN=Shop test;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;APP={lockscope lock};UID=ann;PWD=s3cret;");
        test::row("Microsoft, availability group",
            "sqlserver://ann@listener/shop?multisubnetfailover=yes&intent=readonly", driver18,
            "DRIVER={ODBC Driver 18 for SQL Server};Server=listener;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadOnly;MultiSubnetFailover=yes;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=ann;PWD=s3cret;");
        test::row("FreeTDS, encrypted but not verified", "sqlserver://ann@db1/shop?trust=yes", freeTds,
            "DRIVER={FreeTDS};Server=db1;Port=1433;TDS_Version=7.4;Encryption=require;ApplicationIntent=ReadWrite;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;");
        test::row("FreeTDS, in clear", "sqlserver://ann@[::1]:1444/shop?encrypt=no&intent=readonly", freeTds,
            "DRIVER={FreeTDS};Server=::1;Port=1444;TDS_Version=7.4;Encryption=off;ApplicationIntent=ReadOnly;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;");
        test::row("FreeTDS, named instance and integrated",
            "sqlserver://db1%5CSQLEXPRESS/shop?encrypt=no&auth=integrated&spn=MSSQLSvc%2Fdb1", freeTds,
            "DRIVER={FreeTDS};Server=db1\\SQLEXPRESS;TDS_Version=7.4;Encryption=off;ServerSPN=MSSQLSvc/db1;Trusted_Connection=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;");
        test::row("FreeTDS, data source: its freetds.conf verifies", "sqlserver://ann@db1/shop?dsn=shop",
            freeTds,
            "DSN=shop;Encryption=require;ApplicationIntent=ReadWrite;MARS_Connection=no;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;");
    }
    void tellsEachDriverInItsOwnWords()
    {
        FETCH(QString, url, OdbcDriver, driver);
        const auto text = stringFor(url, driver);
        VERIFY_DONE(text);
        QTEST(*text, "text");
    }

    void protectsValues_data()
    {
        test::addColumns<OdbcDriver, QString, QString>("driver", "password", "written");
        test::row("plain", driver18, "abc1", "abc1");
        test::row("semicolon", driver18, "a;b", "{a;b}");
        test::row("braces", driver18, "{a}b}", "{{a}}b}}}");
        test::row("quotes and spaces", driver18, " it's \"x\" ", "{ it's \"x\" }");
        test::row("no injection", driver18, "x};Server=evil", "{x}};Server=evil}");
        test::row("empty", driver18, "", "");
        test::row("emoji", driver18, "🔒", "{🔒}");
        test::row("FreeTDS, plain", freeTds, "it's \"x\" = {y}", "it's \"x\" = {y}");
        test::row("FreeTDS, semicolon", freeTds, "a;b{c", "{a;b{c}");
        test::row("FreeTDS, brace at the start", freeTds, "{a", "{{a}");
    }
    void protectsValues()
    {
        FETCH(OdbcDriver, driver, QString, password, QString, written);
        const auto text = stringFor(u"sqlserver://ann@db1/shop?encrypt=no"_s, driver, password);
        VERIFY_DONE(text);
        QVERIFY2(text->endsWith(u";PWD="_s + written + u';'), qPrintable(*text));
    }

    void refusesWhatADriverCannotDo_data()
    {
        test::addColumns<QString, OdbcDriver, ErrorKind, QString, QString>(
            "url", "driver", "kind", "what", "password");
        constexpr ErrorKind unsupported = ErrorKind::Unsupported;
        constexpr ErrorKind badInput = ErrorKind::BadInput;
        const auto row = [](const char* name, const char* options, const OdbcDriver& driver, ErrorKind kind,
                             const char* what, const QString& password = u"s3cret"_s) {
            test::row(
                name, u"sqlserver://ann@db1/shop"_s + QLatin1String(options), driver, kind, what, password);
        };
        row("FreeTDS can't verify", "", freeTds, unsupported, "verify");
        row("FreeTDS isn't strict", "?encrypt=strict", freeTds, unsupported, "strictly");
        row("FreeTDS has no Entra", "?auth=entra-password&trust=yes", freeTds, unsupported, "Entra");
        row("FreeTDS and another name", "?trust=yes&certificate=x", freeTds, unsupported, "name only");
        row("17 isn't strict", "?encrypt=strict", driver17, unsupported, "strictly");
        row("17 and another name", "?certificate=x", driver17, unsupported, "name only");
        row("another driver", "", other, unsupported, "PostgreSQL Unicode");
        row("FreeTDS, ; and }", "?encrypt=no", freeTds, badInput, "password", u"s3cret;}"_s);
        row("NUL", "", driver18, badInput, "password", u"s3cret"_s + QChar(0));
        row("unknown option", "?x=1", driver18, badInput, "'x'");
        row("unknown value", "?encrypt=maybe", driver18, badInput, "encrypt=maybe");
        row("driver and data source", "?driver=x&dsn=y", driver18, badInput, "both");
        row("data source with ;", "?dsn=y%3BDriver%3Dx", driver18, badInput, "data source");
        row("data source with ; and a password", "?dsn=y%3BPWD%3Dx", driver18, badInput, "password");
    }
    void refusesWhatADriverCannotDo()
    {
        FETCH(QString, url, OdbcDriver, driver, QString, password, QString, what);
        const auto text = stringFor(url, driver, password);
        QVERIFY(!text);
        QTEST(text.error().kind, "kind");
        VERIFY_CONTAINS(text.error().what, what);
        QVERIFY(!text.error().hint.isEmpty());
        QVERIFY(!text.error().toString().contains(u"s3cret"_s));
    }

    void optionsSurviveTheRoundTrip_data()
    {
        test::addTexts("query",
            {"", "?driver=FreeTDS&encrypt=no", "?dsn=shop&trust=yes", "?auth=entra-interactive", "?api=qodbc",
                "?encrypt=strict&certificate=a.b&intent=readonly&spn=x"});
    }
    void optionsSurviveTheRoundTrip()
    {
        QFETCH(QString, query);
        ServerUrl url = ServerUrl::parse(u"sqlserver://ann@db1/shop"_s + query).value();
        const SqlServerOptions options = SqlServerOptions::fromUrl(url).value();
        QCOMPARE(options.toUrlOptions(), url.options);
        url.options = options.toUrlOptions();
        QCOMPARE(SqlServerOptions::fromUrl(url).value(), options);
    }

    void choosesADriver()
    {
        const QList<OdbcSource> sources{{u"Shop"_s, freeTds}};
        SqlServerOptions options;
        QCOMPARE(chooseDriver(options, {driver18, freeTds}, sources).value(), driver18);
        options.driver = u"freetds"_s;
        QCOMPARE(chooseDriver(options, {driver18, freeTds}, sources).value(), freeTds);
        options.driver = u"ODBC Driver 17 for SQL Server"_s;
        const auto missing = chooseDriver(options, {driver18, freeTds}, sources);
        QCOMPARE(missing.error().kind, ErrorKind::Unsupported);
        QVERIFY(missing.error().hint.contains(u"FreeTDS"_s));
        options = {};
        QVERIFY(chooseDriver(options, {}, sources).error().hint.contains(u"msodbcsql18"_s));
        options.dsn = u"shop"_s;
        QCOMPARE(chooseDriver(options, {}, sources).value(), freeTds);
        options.dsn = u"other"_s;
        QCOMPARE(chooseDriver(options, {driver18}, sources).error().kind, ErrorKind::Unsupported);
    }

    void knowsDriversByTheirNames()
    {
        QCOMPARE(driver18.kind, OdbcDriverKind::Microsoft);
        QCOMPARE(driver18.version, 18);
        QCOMPARE(driver17.version, 17);
        QCOMPARE(freeTds.kind, OdbcDriverKind::FreeTds);
        QCOMPARE(
            odbcDriver(u"/opt/microsoft/lib/libmsodbcsql-18.3.so.2.1"_s).kind, OdbcDriverKind::Microsoft);
        QCOMPARE(odbcDriver(u"/usr/lib/odbc/libtdsodbc.so"_s).kind, OdbcDriverKind::FreeTds);
        QCOMPARE(other.kind, OdbcDriverKind::Other);
    }

    void listsWhatIsInstalled()
    {
        // The driver manager reads its files once a process at the latest here.
        QTemporaryDir directory;
        const auto write = [&](const QString& name, const QByteArray& text) {
            test::makeFile(directory.filePath(name), text);
        };
        write(u"odbcinst.ini"_s,
            "[FreeTDS]\nDriver=libtdsodbc.so\n[ODBC Driver 17 for SQL Server]\nDriver=a.so\n"
            "[SQLite3]\nDriver=b.so\n[ODBC Driver 18 for SQL Server]\nDriver=c.so\n");
        write(u"odbc.ini"_s,
            "[Shop]\nDriver=FreeTDS\n[Books]\nDriver=SQLite3\n[Archive]\nDriver=ODBC Driver 18 for SQL Server\n");
        qputenv("ODBCSYSINI", directory.path().toLocal8Bit());
        qputenv("ODBCINI", directory.filePath(u"odbc.ini"_s).toLocal8Bit());
        QStringList names = test::textsOf(installedOdbcDrivers(), &OdbcDriver::name);
        COMPARE_TEXTS(names, "ODBC Driver 18 for SQL Server", "ODBC Driver 17 for SQL Server", "FreeTDS");
        names.clear();
        for (const OdbcSource& source : odbcSources())
            names << source.name + u'/' + source.driver.name;
        COMPARE_TEXTS(names, "Archive/ODBC Driver 18 for SQL Server", "Shop/FreeTDS");
    }
};

LOCKSCOPE_TEST(tst_SqlServerConnectionString)

} // namespace tst_SqlServerConnectionString
#include "tst_SqlServerConnectionString.moc"
