// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Statement.h"
#include "tests/support/TestProgram.h"

#include <QDirIterator>
#include <QTest>

#include <thread>
#include <vector>

using namespace lockscope::db;
using namespace Qt::StringLiterals;

class tst_Statement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stripsTheHeading()
    {
        const Statement& statement = Statement::get("postgres/session_begin.sql");
        QCOMPARE(statement.sql(), QByteArray("BEGIN"));
        QCOMPARE(statement.path(), u"postgres/session_begin.sql"_s);
        QVERIFY(statement.whatFailed().contains(statement.path()));
        QVERIFY(!Statement::get("postgres/session_lock.sql").sql().startsWith("--"));
    }

    void everyFileIsCompiledInWithLicenceAndText()
    {
        int files = 0;
        for (QDirIterator each(u":/schema"_s, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
             each.hasNext(); ++files) {
            QFile file(each.next());
            if (file.fileName().startsWith(u":/schema/test/"_s))
                continue;
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY2(text.startsWith("-- SPDX-FileCopyrightText:"), qPrintable(file.fileName()));
            const QByteArray path = file.fileName().mid(u":/schema/"_s.size()).toUtf8();
            QVERIFY2(!Statement::get(path.constData()).sql().isEmpty(), path.constData());
        }
        QVERIFY(files > 10);
    }

    void isLoadedOnce()
    {
        const Statement& first = Statement::get("postgres/session_begin.sql");
        const std::string samePath = "postgres/session_begin.sql";
        QCOMPARE(&Statement::get(samePath.c_str()), &first);
    }

    void idsAreUniquePerText()
    {
        const auto named = [](const QString& name) {
            return Statement::filled("test/any.sql", {{"sql"_L1, name}});
        };
        QVERIFY(named(u"SELECT 1"_s).id() != named(u"SELECT 2"_s).id());
        QCOMPARE(named(u"SELECT 1"_s).id(), named(u"SELECT 1"_s).id());
        QCOMPARE(named(u"SELECT '🔒'"_s).sql(), QByteArray("SELECT '🔒'"));
    }

    void anyThreadMayAsk()
    {
        std::vector<const Statement*> seen(8);
        {
            std::vector<std::jthread> threads;
            for (const Statement*& slot : seen)
                threads.emplace_back([&slot] { slot = &Statement::get("sqlite/session_commit.sql"); });
        }
        for (const Statement* statement : seen)
            QCOMPARE(statement, seen.front());
    }
};

LOCKSCOPE_TEST(tst_Statement)
#include "tst_Statement.moc"
