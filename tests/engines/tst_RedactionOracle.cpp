// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SqlLexer.h"
#include "tests/support/LoggingServer.h"
#include "tests/support/PlainSql.h"
#include "tests/support/TestProgram.h"

namespace tst_RedactionOracle {

using namespace lockscope;

/// Makes texts comparable: the server's placeholder becomes a literal, and nothing may be left that the
/// server took out. A sign belongs to the server's literal, and not to ours.
static QString comparable(const QString& statement)
{
    static const QRegularExpression afterN(u"^[Nn]\\$\\d+$"_s); // the server leaves the N of N'…' there
    static const QRegularExpression sign(u"[-+] *\\?"_s);
    QString filled;
    for (SqlLexer lexer(statement, Engine::Postgres); !lexer.atEnd();) {
        const SqlToken token = lexer.next();
        const bool isPut =
            token.kind == SqlToken::Kind::Parameter || afterN.match(token.text.toString()).hasMatch();
        filled += isPut ? QStringView(u"'x'") : token.text;
    }
    return withoutLiterals(filled, Engine::Postgres).replace(sign, u"?"_s);
}

/// PostgreSQL itself says where the literals of a statement are: pg_stat_statements puts $1, $2 … there.
class tst_RedactionOracle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_server = std::make_unique<test::LoggingServer>(QByteArray(),
            QStringList{u"shared_preload_libraries=pg_stat_statements"_s, u"compute_query_id=on"_s});
        const db::Server server = m_server->server();
        const db::ServerUrl& url = server.profile.url;
        m_sql = test::PlainSql::open(url, server.passwords(url.toString()).value());
        QVERIFY(m_sql);
        for (const char* sql :
            {"CREATE EXTENSION pg_stat_statements",
                "CREATE TABLE t (id int PRIMARY KEY, a text, b numeric, d jsonb, e boolean, f int[], note text)",
                "INSERT INTO t (id, f, d) VALUES (1, '{1,2,3}', '{}')", "CREATE ROLE ann",
                "CREATE FOREIGN DATA WRAPPER w", "CREATE SERVER s FOREIGN DATA WRAPPER w"})
            QVERIFY2(m_sql->run(sql), sql);
    }

    void literalsAreWhereTheServerSees_data()
    {
        test::addColumns<QString, bool>("statement", "isKept");
        int number = 0;
        bool isKept = false;
        for (QString line :
            QString::fromUtf8(test::readFile(test::sourcePath(u"tests/support/redaction/postgres.txt"_s)))
                .split(u'\n')) {
            ++number;
            if (line == u"[kept]")
                isKept = true;
            else if (!line.isEmpty() && !line.startsWith(u"# "))
                QTest::newRow(qPrintable(u"line %1"_s.arg(number)))
                    << line.replace(u'⏎', u'\n').replace(u'␍', u'\r') << isKept;
        }
    }
    void literalsAreWhereTheServerSees()
    {
        FETCH(QString, statement, bool, isKept);
        const QStringList steps = statement.split(u" → "_s);
        QVERIFY(m_sql->run("SELECT pg_stat_statements_reset()"));
        for (const QString& step : steps)
            QVERIFY2(m_sql->run(qUtf8Printable(step)), qPrintable(step));
        const auto rows =
            m_sql->run("SELECT query FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'");
        QVERIFY(rows && rows->size() == 1);
        const QString servers = QString::fromUtf8(rows->front().front());
        QCOMPARE(servers == steps.front(), isKept);
        const QString ours = withoutLiterals(steps.front(), Engine::Postgres);
        QVERIFY2(
            !ours.contains(u'…') && !ours.contains(u"4711") && !ours.contains(u"sesame"), qPrintable(ours));
        QCOMPARE(comparable(steps.front()), comparable(servers));
    }

private:
    std::unique_ptr<test::LoggingServer> m_server;
    std::unique_ptr<test::PlainSql> m_sql;
};

LOCKSCOPE_TEST(tst_RedactionOracle)

} // namespace tst_RedactionOracle
#include "tst_RedactionOracle.moc"
