// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What a parser of T-SQL lets pass and SQL Server does not, and what install.sql and uninstall.sql must have
// in common.

#include "core/db/Statement.h"
#include "tests/support/TestProgram.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace lockscope;
using namespace Qt::StringLiterals;

namespace {

QString textOf(const char* path)
{
    return QString::fromUtf8(db::Statement::get(path).sql());
}

/// The objects that a script creates or drops, by kind and name.
QSet<QString> objects(const QString& script, const QString& verb)
{
    static const QString kinds = u"(TABLE|VIEW|PROCEDURE|FUNCTION|SEQUENCE)"_s;
    const QRegularExpression expression(u"\\b%1 %2 lockscope\\.(\\w+)"_s.arg(verb, kinds));
    QSet<QString> found;
    for (auto match = expression.globalMatch(script); match.hasNext();) {
        const auto object = match.next();
        found.insert(object.captured(1) + u' ' + object.captured(2));
    }
    return found;
}

} // namespace

class SqlServerSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void uninstallRemovesAllThatInstallMakes()
    {
        const QSet<QString> made = objects(textOf("sqlserver/install.sql"), u"CREATE"_s);
        QVERIFY(made.size() > 20);
        QCOMPARE(objects(textOf("sqlserver/uninstall.sql"), u"DROP"_s), made);
    }

    void modulesStartTheirBatch()
    {
        static const QRegularExpression comments(u"^--[^\\n]*$"_s, QRegularExpression::MultilineOption);
        static const QRegularExpression ends(u"^GO$"_s, QRegularExpression::MultilineOption);
        static const QRegularExpression module(u"\\bCREATE (VIEW|PROCEDURE|FUNCTION)\\b"_s);
        for (QString batch : textOf("sqlserver/install.sql").split(ends)) {
            batch = batch.remove(comments).trimmed();
            const auto created = module.match(batch);
            QVERIFY2(!created.hasMatch() || created.capturedStart() == 0, qPrintable(batch.left(200)));
        }
    }

    void everyProcedureIsGranted()
    {
        const QString install = textOf("sqlserver/install.sql");
        for (const QString& object : objects(install, u"CREATE"_s))
            if (object.startsWith(u"PROCEDURE "_s))
                QVERIFY2(
                    install.contains(u"GRANT EXECUTE ON lockscope.%1 TO "_s.arg(object.section(u' ', 1))),
                    qPrintable(object));
    }

    void blocksBeforeElseHaveNoSemicolon()
    {
        static const QRegularExpression wrong(u"\\bEND;\\s+ELSE\\b"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }

    void messagesAreLiterals()
    {
        static const QRegularExpression wrong(u"RAISERROR \\(\\s*N'(?:[^']|'')*'\\s*\\+"_s);
        QVERIFY(!textOf("sqlserver/install.sql").contains(wrong));
    }
};

LOCKSCOPE_TEST(SqlServerSchema)
#include "tst_SqlServerSchema.moc"
