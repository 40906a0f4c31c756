// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "tests/support/DataRows.h"
#include "tests/support/Files.h"
#include "tests/support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

namespace tst_SqlServerConnectionString {

using namespace lockscope;
using namespace lockscope::db;
using namespace Qt::StringLiterals;

namespace {

const OdbcDriver driver17 = odbcDriver(u"ODBC Driver 17 for SQL Server"_s);
const OdbcDriver driver18 = odbcDriver(u"ODBC Driver 18 for SQL Server"_s);
const OdbcDriver freeTds = odbcDriver(u"FreeTDS"_s);
const OdbcDriver other = odbcDriver(u"PostgreSQL Unicode"_s);

Result<QString> stringFor(const QString& url, const OdbcDriver& driver, const QString& password = u"s3cret"_s)
{
    const auto parsed = ServerUrl::parse(url);
    if (!parsed)
        return Failure(parsed.error());
    const auto options = SqlServerOptions::fromUrl(*parsed);
    if (!options)
        return Failure(options.error());
    return connectionString(*parsed, *options, driver, password, u"lockscope lock"_s);
}

} // namespace

class tst_SqlServerConnectionString : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsEachDriverInItsOwnWords_data()
    {
        test::addColumns<QString, OdbcDriver, QString>("url", "driver", "text");
        QTest::newRow("Microsoft, all defaults: encrypted and verified")
            << u"sqlserver://ann@db1/shop"_s << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=ann;PWD=s3cret;"_s;
        QTest::newRow("Microsoft, everything said")
            << u"sqlserver://ann@db1:1444/shop?encrypt=strict&certificate=db1.corp&intent=readonly&spn=MSSQLSvc%2Fdb1"_s
            << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server={tcp:db1,1444};Encrypt=strict;TrustServerCertificate=no;HostnameInCertificate=db1.corp;ServerSPN=MSSQLSvc/db1;ApplicationIntent=ReadOnly;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;"
               "APP={lockscope lock};UID=ann;PWD=s3cret;"_s;
        QTest::newRow("Microsoft 17, trusting")
            << u"sqlserver://ann@db1%5CSQLEXPRESS?TrustServerCertificate=yes"_s << driver17
            << u"DRIVER={ODBC Driver 17 for SQL Server};Server=db1\\SQLEXPRESS;Encrypt=yes;TrustServerCertificate=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;ConnectRetryCount=0;APP={lockscope lock};UID=ann;PWD=s3cret;"_s;
        QTest::newRow("Microsoft, integrated: no user, no password")
            << u"sqlserver://db1/shop?auth=integrated"_s << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;Trusted_Connection=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};"_s;
        QTest::newRow("Microsoft, Entra")
            << u"sqlserver://ann%40corp.com@db1.database.windows.net/shop?auth=entra-password"_s << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server=db1.database.windows.net;Encrypt=yes;TrustServerCertificate=no;Authentication=ActiveDirectoryPassword;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={"
               "lockscope lock};UID={ann@corp.com};PWD=s3cret;"_s;
        QTest::newRow("Microsoft, Entra's managed identity: no password")
            << u"sqlserver://db1/shop?auth=entra-managed-identity"_s << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server=db1;Encrypt=yes;TrustServerCertificate=no;Authentication=ActiveDirectoryMsi;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=;"_s;
        QTest::newRow("Microsoft, data source")
            << u"sqlserver://ann@db1/?dsn=Shop+test"_s << driver18
            << u"DSN=Shop test;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadWrite;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;APP={lockscope lock};UID=ann;PWD=s3cret;"_s;
        QTest::newRow("Microsoft, availability group")
            << u"sqlserver://ann@listener/shop?multisubnetfailover=yes&intent=readonly"_s << driver18
            << u"DRIVER={ODBC Driver 18 for SQL Server};Server=listener;Encrypt=yes;TrustServerCertificate=no;ApplicationIntent=ReadOnly;MultiSubnetFailover=yes;MARS_Connection=no;KeepAlive=5;KeepAliveInterval=1;ConnectRetryCount=0;Database=shop;APP={lockscope lock};UID=ann;PWD=s3cret;"_s;
        QTest::newRow("FreeTDS, encrypted but not verified")
            << u"sqlserver://ann@db1/shop?trust=yes"_s << freeTds
            << u"DRIVER={FreeTDS};Server=db1;Port=1433;TDS_Version=7.4;Encryption=require;ApplicationIntent=ReadWrite;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;"_s;
        QTest::newRow("FreeTDS, in clear")
            << u"sqlserver://ann@[::1]:1444/shop?encrypt=no&intent=readonly"_s << freeTds
            << u"DRIVER={FreeTDS};Server=::1;Port=1444;TDS_Version=7.4;Encryption=off;ApplicationIntent=ReadOnly;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;"_s;
        QTest::newRow("FreeTDS, named instance and integrated")
            << u"sqlserver://db1%5CSQLEXPRESS/shop?encrypt=no&auth=integrated&spn=MSSQLSvc%2Fdb1"_s << freeTds
            << u"DRIVER={FreeTDS};Server=db1\\SQLEXPRESS;TDS_Version=7.4;Encryption=off;ServerSPN=MSSQLSvc/db1;Trusted_Connection=yes;ApplicationIntent=ReadWrite;MARS_Connection=no;PacketSize=8000;Database=shop;APP=lockscope lock;"_s;
        QTest::newRow("FreeTDS, data source: its freetds.conf verifies")
            << u"sqlserver://ann@db1/shop?dsn=shop"_s << freeTds
            << u"DSN=shop;Encryption=require;ApplicationIntent=ReadWrite;MARS_Connection=no;Database=shop;APP=lockscope lock;UID=ann;PWD=s3cret;"_s;
    }
    void tellsEachDriverInItsOwnWords()
    {
        QFETCH(QString, url);
        QFETCH(OdbcDriver, driver);
        const auto text = stringFor(url, driver);
        QVERIFY2(text, text ? "" : qPrintable(text.error().toString()));
        QTEST(*text, "text");
    }

    void protectsValues_data()
    {
        test::addColumns<OdbcDriver, QString, QString>("driver", "password", "written");
        QTest::newRow("plain") << driver18 << u"abc1"_s << u"abc1"_s;
        QTest::newRow("semicolon") << driver18 << u"a;b"_s << u"{a;b}"_s;
        QTest::newRow("braces") << driver18 << u"{a}b}"_s << u"{{a}}b}}}"_s;
        QTest::newRow("quotes and spaces") << driver18 << u" it's \"x\" "_s << u"{ it's \"x\" }"_s;
        QTest::newRow("no injection") << driver18 << u"x};Server=evil"_s << u"{x}};Server=evil}"_s;
        QTest::newRow("empty") << driver18 << u""_s << u""_s;
        QTest::newRow("emoji") << driver18 << u"🔒"_s << u"{🔒}"_s;
        QTest::newRow("FreeTDS, plain") << freeTds << u"it's \"x\" = {y}"_s << u"it's \"x\" = {y}"_s;
        QTest::newRow("FreeTDS, semicolon") << freeTds << u"a;b{c"_s << u"{a;b{c}"_s;
        QTest::newRow("FreeTDS, brace at the start") << freeTds << u"{a"_s << u"{{a}"_s;
    }
    void protectsValues()
    {
        QFETCH(OdbcDriver, driver);
        QFETCH(QString, password);
        QFETCH(QString, written);
        const auto text = stringFor(u"sqlserver://ann@db1/shop?encrypt=no"_s, driver, password);
        QVERIFY2(text, text ? "" : qPrintable(text.error().toString()));
        QVERIFY2(text->endsWith(u";PWD="_s + written + u';'), qPrintable(*text));
    }

    void refusesWhatADriverCannotDo_data()
    {
        test::addColumns<QString, OdbcDriver, QString, int, QString>(
            "url", "driver", "password", "kind", "what");
        const int unsupported = static_cast<int>(ErrorKind::Unsupported);
        const int badInput = static_cast<int>(ErrorKind::BadInput);
        const QString plain = u"sqlserver://ann@db1/shop"_s;
        QTest::newRow("FreeTDS can't verify")
            << plain << freeTds << u"s3cret"_s << unsupported << u"verify"_s;
        QTest::newRow("FreeTDS isn't strict")
            << plain + u"?encrypt=strict"_s << freeTds << u"s3cret"_s << unsupported << u"strictly"_s;
        QTest::newRow("FreeTDS has no Entra") << plain + u"?auth=entra-password&trust=yes"_s << freeTds
                                              << u"s3cret"_s << unsupported << u"Entra"_s;
        QTest::newRow("FreeTDS and another name") << plain + u"?trust=yes&certificate=x"_s << freeTds
                                                  << u"s3cret"_s << unsupported << u"name only"_s;
        QTest::newRow("17 isn't strict")
            << plain + u"?encrypt=strict"_s << driver17 << u"s3cret"_s << unsupported << u"strictly"_s;
        QTest::newRow("17 and another name")
            << plain + u"?certificate=x"_s << driver17 << u"s3cret"_s << unsupported << u"name only"_s;
        QTest::newRow("another driver")
            << plain << other << u"s3cret"_s << unsupported << u"PostgreSQL Unicode"_s;
        QTest::newRow("FreeTDS, ; and }")
            << plain + u"?encrypt=no"_s << freeTds << u"s3cret;}"_s << badInput << u"password"_s;
        QTest::newRow("NUL") << plain << driver18 << u"s3cret"_s + QChar(0) << badInput << u"password"_s;
        QTest::newRow("unknown option")
            << plain + u"?x=1"_s << driver18 << u"s3cret"_s << badInput << u"'x'"_s;
        QTest::newRow("unknown value")
            << plain + u"?encrypt=maybe"_s << driver18 << u"s3cret"_s << badInput << u"encrypt=maybe"_s;
        QTest::newRow("driver and data source")
            << plain + u"?driver=x&dsn=y"_s << driver18 << u"s3cret"_s << badInput << u"both"_s;
        QTest::newRow("data source with ;")
            << plain + u"?dsn=y%3BDriver%3Dx"_s << driver18 << u"s3cret"_s << badInput << u"data source"_s;
        QTest::newRow("data source with ; and a password")
            << plain + u"?dsn=y%3BPWD%3Dx"_s << driver18 << u"s3cret"_s << badInput << u"password"_s;
    }
    void refusesWhatADriverCannotDo()
    {
        QFETCH(QString, url);
        QFETCH(OdbcDriver, driver);
        QFETCH(QString, password);
        QFETCH(int, kind);
        QFETCH(QString, what);
        const auto text = stringFor(url, driver, password);
        QVERIFY(!text);
        QCOMPARE(static_cast<int>(text.error().kind), kind);
        QVERIFY2(text.error().what.contains(what), qPrintable(text.error().what));
        QVERIFY(!text.error().hint.isEmpty());
        QVERIFY(!text.error().toString().contains(u"s3cret"_s));
    }

    void optionsSurviveTheRoundTrip_data()
    {
        QTest::addColumn<QString>("query");
        for (const char* query :
            {"", "?driver=FreeTDS&encrypt=no", "?dsn=shop&trust=yes", "?auth=entra-interactive", "?api=qodbc",
                "?encrypt=strict&certificate=a.b&intent=readonly&spn=x"})
            QTest::newRow(query) << QString::fromLatin1(query);
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
        QStringList names;
        for (const OdbcDriver& driver : installedOdbcDrivers())
            names << driver.name;
        QCOMPARE(names,
            (QStringList{
                u"ODBC Driver 18 for SQL Server"_s, u"ODBC Driver 17 for SQL Server"_s, u"FreeTDS"_s}));
        names.clear();
        for (const OdbcSource& source : odbcSources())
            names << source.name + u'/' + source.driver.name;
        QCOMPARE(names, (QStringList{u"Archive/ODBC Driver 18 for SQL Server"_s, u"Shop/FreeTDS"_s}));
    }
};

LOCKSCOPE_TEST(tst_SqlServerConnectionString)

} // namespace tst_SqlServerConnectionString
#include "tst_SqlServerConnectionString.moc"
