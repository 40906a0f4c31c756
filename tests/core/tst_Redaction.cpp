// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SqlLexer.h"
#include "tests/support/TestProgram.h"

namespace tst_Redaction {

using namespace lockscope;

/// A line of tests/support/redaction/statements.txt.
struct Example {
    QString section;
    int line = 0;
    QString statement;
    QString expected; ///< null: none stands there
};

static QString written(QString text)
{
    return text.replace(u'⏎', u'\n').replace(u'␍', u'\r').replace(u'⇥', u'\t');
}

static const std::vector<Example>& examples()
{
    static const std::vector<Example> all = [] {
        std::vector<Example> found;
        QString section;
        int number = 0;
        for (const QString& line :
            QString::fromUtf8(test::readFile(test::sourcePath(u"tests/support/redaction/statements.txt"_s)))
                .split(u'\n')) {
            ++number;
            if (line.startsWith(u'[') && line.endsWith(u']')) {
                section = line.mid(1, line.size() - 2);
            } else if (!line.isEmpty() && !line.startsWith(u"# ")) {
                const QStringList parts = line.split(u" → "_s);
                found.push_back(
                    {section, number, written(parts[0]), parts.size() > 1 ? written(parts[1]) : QString()});
            }
        }
        return found;
    }();
    return all;
}

const QHash<QString, Engine> engines{
    {u"postgres"_s, Engine::Postgres}, {u"sqlserver"_s, Engine::SqlServer}, {u"sqlite"_s, Engine::Sqlite}};

class tst_Redaction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void literalsAreLeftOut_data()
    {
        test::addColumns<QString, QString, Engine>("statement", "expected", "engine");
        for (const Example& each : examples()) {
            for (const auto& [name, engine] : engines.asKeyValueRange()) {
                if (!each.expected.isNull() && (each.section == u"all" || each.section.endsWith(name)))
                    test::row(qPrintable(u"%1 line %2"_s.arg(name).arg(each.line)), each.statement,
                        each.expected, engine);
            }
        }
    }
    void literalsAreLeftOut()
    {
        FETCH(QString, statement, QString, expected, Engine, engine);
        const QString redacted = withoutLiterals(statement, engine);
        QCOMPARE(redacted, expected);
        QCOMPARE(withoutLiterals(redacted, engine), redacted);
    }

    /// Servers cut statements off: the rest must not reveal more than the whole one.
    void noBeginningOfAStatementTellsMore()
    {
        int cut = 0;
        for (const Example& each : examples()) {
            for (const auto& [name, engine] : engines.asKeyValueRange()) {
                if (!each.section.endsWith(name))
                    continue;
                for (qsizetype size = 0; size < each.statement.size(); ++size, ++cut) {
                    const QString redacted = withoutLiterals(each.statement.left(size), engine);
                    for (const QString& value :
                        {u"opensesame"_s, u"4711"_s, u"sesame"_s, u"abc"_s, u"secret"_s})
                        if (!each.expected.contains(value))
                            VERIFY_LACKS(redacted, value);
                }
            }
        }
        QVERIFY(cut > 5'000);
    }

    void secretsAreFound_data()
    {
        test::addColumns<QString, bool>("statement", "tells");
        for (const Example& each : examples())
            if (each.section.startsWith(u"secrets") || each.section == u"plain")
                test::row(qPrintable(u"line %1"_s.arg(each.line)), each.statement,
                    each.section.startsWith(u"secrets"));
    }
    void secretsAreFound()
    {
        FETCH(QString, statement, bool, tells);
        QCOMPARE(revealsSecrets(statement), tells);
        QCOMPARE(revealsSecrets(statement.toUpper()), tells);
    }

    void tokensAreTheStatement()
    {
        for (const Example& each : examples()) {
            for (const Engine engine : engines) {
                QString together;
                for (SqlLexer lexer(each.statement, engine); !lexer.atEnd();) {
                    const SqlToken token = lexer.next();
                    QVERIFY(!token.text.isEmpty());
                    together += token.text;
                }
                QCOMPARE(together, each.statement);
            }
        }
    }
};

LOCKSCOPE_TEST(tst_Redaction)

} // namespace tst_Redaction
#include "tst_Redaction.moc"
