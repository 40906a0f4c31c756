// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Statement.h"
#include "tests/support/TestProgram.h"

namespace tst_Statement {

using namespace lockscope;
using namespace lockscope::db;

/// A path of a statement in the sources below `folder`, and where it stands.
struct Mention {
    QString path;
    QString place;
};

/// Every text in quotes, as it stands in the source, with what stands before the quotes; not those of
/// comments.
template <class Use> static void eachLiteral(const QString& folder, Use use)
{
    static const QRegularExpression literal(u"(\\w*\\(?)\"([^\"\\\\\\n]*)\""_s);
    static const QRegularExpression comment(u"(?m)^\\s*//[^\\n]*|//[/ ][^\\n]*$"_s);
    const QString root = test::sourcePath();
    QDirIterator files(root + folder, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString text = QString::fromUtf8(test::readFile(files.next())).remove(comment);
        for (auto match = literal.globalMatch(text); match.hasNext();) {
            const auto found = match.next();
            use(found.captured(1), found.captured(2), files.filePath().mid(root.size()));
        }
    }
}

/// Paths below schema/, and below an engine's folder of it ("locks/acquire", which schemaStatement
/// completes). Paths that are put together end with what is known of them, or have a "%1" there:
/// "postgres/session/%1".
static std::vector<Mention> mentions(const QString& folder)
{
    static const QRegularExpression ofEngine(
        u"^(postgres|sqlite|sqlserver|recording|incidents|test)/[a-z0-9_/%]+(\\.sql)?$"_s);
    static const QRegularExpression ofAny(u"^[a-z_]+/[a-z0-9_]+(\\.sql)?$|^[a-z_]+\\.sql$"_s);
    static const QRegularExpression ofTests(u"^(rig|queue)/[a-z0-9_]+$"_s);
    std::vector<Mention> found;
    const bool isTests = folder == u"tests";
    eachLiteral(folder, [&](const QString& before, const QString& text, const QString& place) {
        const bool isNarrow = before.isEmpty() || (before.endsWith(u'(') && !before.startsWith(u'Q'));
        if (text == u"test/sqlserver/")
            return; // the tests complete it as schemaStatement does
        if (ofEngine.match(text).hasMatch())
            found.push_back({text, place});
        else if (folder == u"core" && isNarrow && ofAny.match(text).hasMatch())
            found.push_back({u"*/"_s + text, place});
        else if (isTests && isNarrow && ofTests.match(text).hasMatch())
            found.push_back({u"test/sqlserver/"_s + text, place});
    });
    return found;
}

/// The statements that are meant; none if there is no such.
static QStringList meant(const QString& path, const QStringList& known)
{
    QString pattern = QRegularExpression::escape(path);
    pattern.replace(u"\\*\\/"_s, u"(postgres|sqlite|sqlserver)/"_s).replace(u"\\%1"_s, u"\\w+"_s);
    if (path.endsWith(u'/') || path.endsWith(u'_'))
        pattern += u"\\w+(\\.sql)?"_s;
    return known.filter(QRegularExpression(QRegularExpression::anchoredPattern(pattern)));
}

class tst_Statement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stripsTheHeading()
    {
        const Statement& statement = Statement::get("postgres/session/begin");
        QCOMPARE(statement.sql(), QByteArray("BEGIN"));
        QCOMPARE(statement.path(), u"postgres/session/begin"_s);
        QVERIFY(statement.whatFailed().contains(statement.path()));
        QVERIFY(!Statement::get("postgres/session/settings").sql().startsWith("--"));
    }

    void everyFileIsCompiledInWithLicenceAndText()
    {
        const QStringList files = test::schemaFiles();
        for (const QString& path : files) {
            if (path.startsWith(u"test/"_s))
                continue;
            QVERIFY2(test::readFile(u":/schema/"_s + path).startsWith("-- SPDX-FileCopyrightText:"),
                qPrintable(path));
        }
        QVERIFY(files.size() > 10);
        for (const QString& path : test::statementPaths())
            QVERIFY2(!Statement::get(path.toUtf8().constData()).sql().isEmpty(), qPrintable(path));
    }

    /// Servers in FIPS mode refuse it.
    void noStatementOfPostgresTakesMd5()
    {
        int texts = 0;
        for (const QString& path : test::statementPaths()) {
            if (!path.contains(u"postgres/"_s))
                continue;
            QVERIFY2(
                !Statement::get(path.toUtf8().constData()).sql().toLower().contains("md5"), qPrintable(path));
            ++texts;
        }
        QVERIFY(texts > 100);
    }

    void everyPathInTheSourcesIsThereAndEveryStatementIsUsed()
    {
        const QStringList known = test::statementPaths();
        QSet<QString> unused(known.cbegin(), known.cend());
        QStringList unknown;
        for (const QString& folder : {u"core"_s, u"app"_s, u"ui"_s, u"tests"_s})
            for (const Mention& mention : mentions(folder)) {
                const QStringList found = meant(mention.path, known);
                if (found.isEmpty())
                    unknown << mention.place + u": "_s + mention.path;
                for (const QString& path : found)
                    if (folder != u"tests" || path.startsWith(u"test/"_s))
                        unused.remove(path);
            }
        QCOMPARE(unknown.join(u'\n'), QString());
        QCOMPARE(QStringList(unused.cbegin(), unused.cend()).join(u'\n'), QString());
    }

    void statementsOfATopicHaveNames()
    {
        const auto statements =
            namedStatements("-- A topic.\n\n"
                            "-- name: first\n-- What it is for.\nSELECT 1; -- one\nSELECT ';';\n\n"
                            "-- name: second_2\n  SELECT\n    2;\n");
        QVERIFY2(statements, qPrintable(statements ? QString() : statements.error()));
        QCOMPARE(*statements,
            NamedStatements({{"first", "SELECT 1; -- one\nSELECT ';'"}, {"second_2", "SELECT\n    2"}}));
    }

    void aMalformedTopicIsRefused_data()
    {
        test::addColumns<QByteArray, QString>("file", "fault");
        const auto row = [](const char* name, const char* file, const QString& fault) {
            test::row(name, QByteArray(file), fault);
        };
        row("nothing", "-- A topic.\n", u"it has no statements"_s);
        row("before the first name", "SELECT 0;\n-- name: a\nSELECT 1;\n",
            u"a statement stands before the first name"_s);
        row("twice", "-- name: a\nSELECT 1;\n-- name: b\nSELECT 1;\n-- name: a\nSELECT 2;\n",
            u"'a' stands there twice"_s);
        row("empty", "-- name: a\n-- A comment.\n\n-- name: b\nSELECT 1;\n", u"'a' is empty"_s);
        row("empty at the end", "-- name: a\nSELECT 1;\n-- name: b\n", u"'b' is empty"_s);
        row("only an end", "-- name: a\n;\n", u"'a' is empty"_s);
        row("no end", "-- name: a\nSELECT 1\n-- name: b\nSELECT 1;\n",
            u"'a' does not end with a semicolon"_s);
        row("comment after the end", "-- name: a\nSELECT 1;\n-- more\n",
            u"'a' does not end with a semicolon"_s);
        for (const char* name : {"--name: b", "-- Name: b", "-- name : b", "-- name: ", "-- name: b c",
                 "-- name: B", "  -- name: b", "-- name: b;"})
            row(name, qPrintable(u"-- name: a\nSELECT 1;\n%1\nSELECT 2;\n"_s.arg(QLatin1StringView(name))),
                u"line 3 is no name such as \"-- name: acquire\""_s);
    }

    void aMalformedTopicIsRefused()
    {
        QFETCH(QByteArray, file);
        const auto statements = namedStatements(file);
        QVERIFY(!statements);
        QTEST(statements.error(), "fault");
    }

    void isLoadedOnce()
    {
        const Statement& first = Statement::get("postgres/session/begin");
        const std::string samePath = "postgres/session/begin";
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
                threads.emplace_back([&slot] { slot = &Statement::get("sqlite/session/commit"); });
        }
        for (const Statement* statement : seen)
            QCOMPARE(statement, seen.front());
    }
};

LOCKSCOPE_TEST(tst_Statement)

} // namespace tst_Statement
#include "tst_Statement.moc"
