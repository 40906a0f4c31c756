// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A driver's connection string with its password, given instead of a URL, never appears in the output.
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlSecrets {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlSecrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noCommandRepeatsASecret_data()
    {
        QTest::addColumn<QString>("server");
        for (const QString& server : {u"Server=db1;Database=shop;User Id=ann;Password=hunter2"_s,
                 u"Server=tcp:db1,1433;Uid=ann;Pwd={hunter2};"_s,
                 u"Driver={ODBC Driver 18};Server=db1;PWD=hunter2"_s, u"host=db1 user=ann password=hunter2"_s,
                 u"host=db1 password='hunter2 x' dbname=shop"_s, u"host=db1 oauth_client_secret=hunter2"_s,
                 u"postgresql://ann:hunter2@db1/shop"_s,
                 u"postgres://ann:hunter2@db1:5432/shop?sslmode=require"_s,
                 u"sqlserver://ann:hunter2@db1/shop"_s, u"mysql://ann:hunter2@db1/shop"_s, u"hunter2:x@db1"_s,
                 u"postgresql://db1/shop?password=hunter2"_s, u"postgresql://db1/shop?sslpassword=hunter2"_s,
                 u"postgresql://db1/shop?oauth_client_secret=hunter2"_s,
                 u"postgresql://db1/shop?pwd=hunter2"_s, u"postgresql://db1/shop?scram_client_key=hunter2"_s,
                 u"postgresql://db1/shop password=hunter2"_s, u"sqlserver://db1;Password=hunter2/shop"_s,
                 u"sqlserver://db1/shop;password=hunter2"_s, u"sqlite:///nonexistent/x.db;Password=hunter2"_s,
                 u"jdbc:postgresql://db1/shop?user=ann&password=hunter2"_s,
                 u"jdbc:sqlserver://db1;user=ann;password=hunter2"_s, u"postgresql://db1:hunter2/shop"_s,
                 u"postgresql://ann:hun/hunter2@db1/shop"_s, u"sqlserver://db1/shop?Access Token=hunter2"_s,
                 u"Server=db1;Password=x hunter2;Database=shop"_s, u"Password=x hunter2;Server=db1"_s,
                 u"host=db1 password=x&hunter2 dbname=shop"_s, u"Server=db1;Password=x&hunter2"_s,
                 u"postgresql://db1/shop?password=x;hunter2"_s})
            QTest::newRow(qPrintable(server)) << server;
    }
    void noCommandRepeatsASecret()
    {
        QFETCH(QString, server);
        const QList<QStringList> commands{{u"list"_s}, {u"tree"_s}, {u"watch"_s, u"--once"_s}, {u"check"_s},
            {u"acquire"_s, u"x"_s}, {u"run"_s, u"x"_s, u"--"_s, u"true"_s}, {u"release"_s, u"x"_s},
            {u"install"_s}, {u"uninstall"_s}, {u"audit"_s}, {u"purge"_s}, {u"record"_s, u"--for"_s, u"1s"_s},
            {u"end-session"_s, u"1"_s}, {u"frameworks"_s}, {u"deadlocks"_s}, {u"free"_s, u"x"_s},
            {u"order"_s}, {u"plan"_s, u"1"_s}, {u"history"_s}};
        const Lockctl byEnvironment(server);
        for (const QStringList& command : commands) {
            const Lockctl::Answer answer = byEnvironment(command);
            QVERIFY2(answer.code >= 0, qPrintable(command.first() + u" does not end"_s));
            QVERIFY2(!answer.allOutput().contains("hunter2"),
                command.first().toUtf8() + ": " + answer.allOutput());
        }
        // The connection string is given as an option, and in places where no server belongs.
        for (const QStringList& arguments :
            {Lockctl::words("list --server %1", server), Lockctl::words("list --json --server %1", server),
                QStringList{u"list"_s, server.startsWith(u"hunter2") ? u"x"_s : server}}) {
            const Lockctl::Answer answer = byEnvironment(arguments);
            QVERIFY2(!answer.allOutput().contains("hunter2"), answer.allOutput());
        }
    }
};

LOCKSCOPE_TEST(tst_LockctlSecrets)

} // namespace tst_LockctlSecrets
#include "tst_LockctlSecrets.moc"
