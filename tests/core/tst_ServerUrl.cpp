// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerUrl.h"
#include "tests/support/TestProgram.h"

namespace tst_ServerUrl {

using namespace lockscope;
using namespace lockscope::db;

class tst_ServerUrl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parsesServers_data()
    {
        test::addColumns<QString, QString, QString, int, QString>("text", "user", "host", "port", "database");
        test::row("everything", "postgresql://ann@db1:5433/shop", "ann", "db1", 5433, "shop");
        test::row("short scheme", "postgres://db1", QString(), "db1", 0, QString());
        test::row("scheme in capitals", "PostgreSQL://db1/Shop", QString(), "db1", 0, "Shop");
        test::row("nothing but the scheme", "postgresql://", QString(), QString(), 0, QString());
        test::row("spaces around", "  postgresql://db1/shop\n", QString(), "db1", 0, "shop");
        test::row("percent codes", "postgresql://a%40b%3Ac@db1/caf%C3%A9%2F%23", "a@b:c", "db1", 0, "café/#");
        test::row("user with an at sign", "postgresql://ann@corp@db1/shop", "ann@corp", "db1", 0, "shop");
        test::row("IPv6", "postgresql://ann@[::1]:5432/shop", "ann", "::1", 5432, "shop");
        test::row("IPv6 without port", "postgresql://[fe80::1]/shop", QString(), "fe80::1", 0, "shop");
        test::row("socket directory", "postgresql://ann@/shop?host=/run/postgresql", "ann", "/run/postgresql",
            0, "shop");
        test::row("socket directory in the authority", "postgresql://%2Frun%2Fpostgresql/shop", QString(),
            "/run/postgresql", 0, "shop");
        test::row("all as options", "postgresql://?host=db1&port=5433&user=ann&dbname=shop", "ann", "db1",
            5433, "shop");
        test::row("plus is a plus in names", "postgresql://a+b@db1/c+d", "a+b", "db1", 0, "c+d");
    }
    void parsesServers()
    {
        QFETCH(QString, text);
        const auto url = ServerUrl::parse(text);
        VERIFY_DONE(url);
        QCOMPARE(url->engine, Engine::Postgres);
        QTEST(url->user, "user");
        QTEST(url->host, "host");
        QTEST(url->port, "port");
        QTEST(url->database, "database");
        QVERIFY(url->options.isEmpty());
    }

    void parsesFiles()
    {
        const auto url = ServerUrl::parse(u"sqlite:///srv/my%20locks/lo%3Fcks.db"_s).value();
        QCOMPARE(url.engine, Engine::Sqlite);
        QCOMPARE(url.database, u"/srv/my locks/lo?cks.db"_s);
        QCOMPARE(ServerUrl::parse(u"sqlite:///C:/locks.db"_s).value().database, u"C:/locks.db"_s);
        // Only a parameter is a secret.
        for (const QString& path : {u"/srv/token=abc/locks.db"_s, u"/srv/a:b@c/password=x.db"_s}) {
            const auto read = ServerUrl::parse(u"sqlite://"_s + path);
            VERIFY_DONE(read);
            QCOMPARE(read->database, path);
        }
    }

    void parsesTheSandbox()
    {
        const auto url = ServerUrl::parse(u"sandbox:"_s).value();
        QVERIFY(url.sandbox);
        QCOMPARE(url.toString(), u"sandbox:"_s);
        QCOMPARE(ServerUrl::parse(u"sandbox:?Size=2"_s).value().options.value(u"size"_s), u"2"_s);
    }

    void survivesTheRoundTrip_data()
    {
        test::addTexts("text",
            {"postgresql://ann@db1:5433/shop?sslmode=verify-full",
                "postgresql://a%40b%3Ac@db1/caf%C3%A9%2F%23%3F%25", "postgresql://ann@corp@db1",
                "postgresql://[fe80::1%25eth0]:1/x", "postgresql:///shop?host=/run/a%20b",
                "postgresql://:5433/shop?host=/tmp", "postgresql://", "postgresql:///?options=-c%20a%3Db%26c",
                "sqlserver://ann@host:1433/db?driver=ODBC+Driver+18+for+SQL+Server&encrypt=yes",
                "sqlserver://host%5CSQLEXPRESS/db", "sqlite:///srv/%F0%9F%94%92/%25.db", "sqlite:///C:/x.db",
                "postgresql://ann@db1:5432,db2:5433/shop?target_session_attrs=read-write",
                "postgresql://db1,[::1]:5433,10.0.0.1/shop",
                "postgresql:///shop?host=/run/one,/run/two&port=1,2", "postgresql:///?host=/run/one,db2",
                "postgresql://a,b?port=5433", "sandbox:", "sandbox:?a=b"});
    }
    void survivesTheRoundTrip()
    {
        QFETCH(QString, text);
        const auto url = ServerUrl::parse(text);
        VERIFY_DONE(url);
        const auto again = ServerUrl::parse(url->toString());
        QVERIFY2(again, again ? "" : qPrintable(url->toString() + again.error().toString()));
        QCOMPARE(*again, *url);
        QCOMPARE(again->toString(), url->toString());
    }

    void namesSeveralHosts_data()
    {
        test::addColumns<QString, QStringList, QString>("text", "hosts", "display");
        const auto row = [](const char* text, const QStringList& hosts, const QString& display) {
            test::row(text, text, hosts, display);
        };
        row("postgresql://ann@db1/shop", {u"db1 0"_s}, u"ann@db1/shop"_s);
        row("postgresql://ann@db1:5432,db2:5433/shop", {u"db1 5432"_s, u"db2 5433"_s},
            u"ann@db1:5432,db2:5433/shop"_s);
        row("postgresql://db1,db2:5433/", {u"db1 0"_s, u"db2 5433"_s}, u"db1,db2:5433"_s);
        row("postgresql:///shop?host=db1,db2&port=5433", {u"db1 5433"_s, u"db2 5433"_s},
            u"db1:5433,db2:5433/shop"_s);
        row("postgresql:///shop?host=/run/one,/run/two&port=,2", {u"/run/one 0"_s, u"/run/two 2"_s},
            u"[local],[local]:2/shop"_s);
    }
    void namesSeveralHosts()
    {
        QFETCH(QString, text);
        const auto url = ServerUrl::parse(text).value();
        QStringList hosts;
        for (const ServerUrl::Host& host : url.hosts())
            hosts << u"%1 %2"_s.arg(host.name, QString::number(host.port));
        QTEST(hosts, "hosts");
        QTEST(url.display(), "display");
    }

    void refusesPasswords_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"postgresql://ann:s3cret@db1/shop", "postgresql://ann:s3cr%ZZet@db1/shop",
                 "postgresql://ann:s3c/s3cret@db1/shop", "postgresql://ann:12/s3cret@db1/shop",
                 "postgresql://ann:12?s3cret@db1/shop", "postgresql://ann:[s3cret@db1/shop",
                 "postgresql://:s3cret@db1", "postgresql://db1/shop?password=s3cret",
                 "postgresql://db1/shop?PassWord=s3cret", "postgresql://db1/shop?sslpassword=s3cret",
                 "sqlserver://db1/shop?PWD=s3cret", "ann:s3cret@db1", "mysql://ann:s3cret@db1",
                 "sqlite:///srv/token=abc/locks.db?token=s3cret",
                 "sqlite:///srv/locks.db?a=b;Password=s3cret", "sqlite:///srv/locks.db;Password=s3cret",
                 "sqlite:///srv/locks.db&password=s3cret", "sqlite:///srv/locks.db,Password=s3cret"})
            test::row(text, text);
    }
    void refusesPasswords()
    {
        QFETCH(QString, text);
        const auto url = ServerUrl::parse(text);
        VERIFY_FAILS(ErrorKind::BadInput, url);
        QVERIFY(!url.error().hint.isEmpty());
        VERIFY_LACKS(url.error().toString(), u"s3c"_s);
    }

    void refusesGarbageWithAReason_data()
    {
        test::addColumns<QString, QString>("text", "reason");
        const auto row = [](const QString& text, const QString& reason) {
            test::row(qPrintable(text.isEmpty() ? u"empty"_s : text), text, reason);
        };
        row(u""_s, u"The server URL is empty."_s);
        row(u"db1"_s, u"This is not a server URL."_s);
        row(u"mysql://db1/shop"_s, u"'mysql' is not a kind of server that Lockscope knows."_s);
        row(u"postgresql:db1"_s, u"Two slashes are missing after 'postgresql:'."_s);
        row(u"postgresql://db1:0/shop"_s, u"The port in the server URL is not a number from 1 to 65535."_s);
        row(u"postgresql://db1:65536/shop"_s,
            u"The port in the server URL is not a number from 1 to 65535."_s);
        row(u"postgresql://db1:+5/shop"_s, u"The port in the server URL is not a number from 1 to 65535."_s);
        row(u"postgresql://::1/shop"_s, u"The server URL has more than one colon in its host."_s);
        row(u"postgresql://[::1/shop"_s, u"The address in square brackets is not closed properly."_s);
        row(u"sqlserver://db1,db2/shop"_s, u"The server URL names several hosts."_s);
        row(u"postgresql://db1,,db2/shop"_s, u"One of the server URL's hosts has no name."_s);
        row(u"postgresql://?host=a,"_s, u"One of the server URL's hosts has no name."_s);
        row(u"postgresql://a%2Cb/shop"_s, u"The server URL's host is neither a name nor an address."_s);
        row(u"postgresql://a,b?port=1,2,3"_s, u"The server URL names 2 hosts and 3 ports."_s);
        row(u"postgresql://a:1,b?port=1,2"_s, u"The server URL names the port twice."_s);
        row(u"postgresql://a,b?host=c"_s, u"The server URL names the host twice."_s);
        row(u"postgresql://a,b:x/shop"_s, u"The port in the server URL is not a number from 1 to 65535."_s);
        row(u"postgresql://?host=db1/x"_s, u"The server URL's host is neither a name nor an address."_s);
        row(u"sqlserver://%2Ftmp/x"_s, u"The server URL's host is neither a name nor an address."_s);
        row(u"postgresql://db1/sh%zzop"_s, u"'%zz' in the server URL is not a percent code."_s);
        row(u"postgresql://db1/shop%4"_s, u"'%4' in the server URL is not a percent code."_s);
        row(u"postgresql://db1/%ff"_s, u"The percent codes in the server URL are not UTF-8."_s);
        row(u"postgresql://db1/%00"_s, u"The server URL contains a control character."_s);
        row(u"postgresql://db1/a\tb"_s, u"The server URL contains a control character."_s);
        row(u"postgresql://db1/a#b"_s, u"The server URL contains a '#'."_s);
        row(u"postgresql://db1/?sslmode"_s, u"An option of the server URL has no value."_s);
        row(u"postgresql://db1/?a=1&A=2"_s, u"The option 'a' appears twice in the server URL."_s);
        row(u"postgresql://db1/?host=db2"_s, u"The server URL names the host twice."_s);
        row(u"postgresql://db1:1/?port=2"_s, u"The server URL names the port twice."_s);
        row(u"sqlserver:///shop"_s, u"The server URL names no host."_s);
        row(u"sqlite://locks.db"_s, u"The path of an SQLite file must be absolute."_s);
        row(u"sqlite:locks.db"_s, u"The path of an SQLite file must be absolute."_s);
        row(u"sqlite:///srv/"_s, u"The path ends with a slash: that is a directory, not an SQLite file."_s);
        row(u"sandbox:db"_s, u"Nothing may follow 'sandbox:'."_s);
    }
    void refusesGarbageWithAReason()
    {
        QFETCH(QString, text);
        const auto url = ServerUrl::parse(text);
        VERIFY_FAILS(ErrorKind::BadInput, url);
        QTEST(url.error().what, "reason");
        QVERIFY(!url.error().hint.isEmpty());
    }

    void displaysShortNames_data()
    {
        test::addColumns<QString, QString>("text", "shown");
        test::row("server", "postgresql://ann@db1/shop?sslmode=require", "ann@db1/shop");
        test::row("port", "postgresql://ann@db1:5433/shop", "ann@db1:5433/shop");
        test::row("IPv6", "postgresql://[::1]:5433", "[::1]:5433");
        test::row("socket", "postgresql://ann@/shop?host=/run/postgresql", "ann@[local]/shop");
        test::row("default host", "postgresql://ann@/shop", "ann@localhost/shop");
        test::row("file", "sqlite:///srv/locks.db", "locks.db");
        test::row("sandbox", "sandbox:", "sandbox");
    }
    void displaysShortNames()
    {
        QFETCH(QString, text);
        QTEST(ServerUrl::parse(text).value().display(), "shown");
    }

    void knowsThisHostByEachOfItsNames()
    {
        for (const QString& host : {QString(), u"localhost"_s, u"LOCALHOST"_s, u"."_s, u"(Local)"_s,
                 u"127.0.0.1"_s, u"127.0.0.2"_s, u"::1"_s})
            QVERIFY2(isThisHost(host), qPrintable(host));
        for (const QString& host :
            {u"db1"_s, u"10.0.0.1"_s, u"/run/postgresql"_s, u"localhost.example.org"_s})
            QVERIFY2(!isThisHost(host), qPrintable(host));
    }

    void aPortThatIsNotSaidIsTheEnginesOwn()
    {
        QCOMPARE(portOf(Engine::Postgres, {u"db1"_s, 0}), 5432);
        QCOMPARE(portOf(Engine::Postgres, {u"db1"_s, 6000}), 6000);
        QCOMPARE(portOf(Engine::SqlServer, {u"db1"_s, 0}), 1433);
        QCOMPARE(portOf(Engine::SqlServer, {u"db1\\SQLEXPRESS"_s, 0}), 0);
    }
};

LOCKSCOPE_TEST(tst_ServerUrl)

} // namespace tst_ServerUrl
#include "tst_ServerUrl.moc"
