// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Scenario files: the content of good ones, and the exact place of each fault in bad ones.

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/TestProgram.h"

namespace tst_ScenarioFile {

using namespace lockscope;
using namespace lockscope::scenario;

/// The smallest whole scenario; each test changes a line of it.
const QString good = uR"json({
"id": "small",
"title": "Small",
"story": "Nothing happens.",
"engines": ["postgres"],
"parameters": {"rows": {"meaning": "rows", "default": 5, "least": 1, "most": 9}},
"setup": {"postgres": ["CREATE TABLE t (id int)"]},
"invariant": {"sql": "SELECT 0", "meaning": "Nothing is wrong.", "violation": "fault|faults"},
"variants": [{"id": "unsafe", "title": "U", "strategy": "none", "unsafe": true, "meaning": "m", "roles": [
{"name": "one", "steps": [
{"sql": "SELECT 1", "into": "a"},
{"acquire": {"kind": "app", "name": "n"}},
{"release": "lock"}
]}]}]
})json"_s;

static QString withLine(int line, const QString& text)
{
    QStringList lines = good.split(u'\n');
    lines[line - 1] = text;
    return lines.join(u'\n');
}

static FileFaults faultsOf(const QString& text)
{
    const auto read = readScenario(text.toUtf8(), u"f.json"_s);
    return read ? FileFaults() : read.error();
}

class tst_ScenarioFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodFile();
    void stepsBecomeAFlatProgram();
    void sqlKnowsItsPlaces_data();
    void sqlKnowsItsPlaces();
    void equalPlacesAreBoundApart();
    void faultsAreExact_data();
    void faultsAreExact();
    void allFaultsAtOnce();
    void severalUnsafeVariants();
    void whatToExplore();
    void logAloneMayJudge();
    void sqliteHasOneKindOfLock();
    void hugeAndEmptyFiles();
    void badFileDoesNotHideTheOthers();
    void idsAreUnique();
    void shippedFilesAreGood();
    void theListBeginsWithTheLostUpdate();
    void parametersHaveWordsAndUnits();
};

void tst_ScenarioFile::goodFile()
{
    const auto read = readScenario(good.toUtf8(), u"f.json"_s);
    QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
    const Scenario& scenario = **read;
    QCOMPARE(scenario.id, u"small"_s);
    QCOMPARE(scenario.parameters.size(), std::size_t(1));
    QCOMPARE(scenario.parameters[0].maximum, 9);
    QVERIFY(scenario.unsafe());
    QCOMPARE(scenario.unsafe()->engines, std::set{Engine::Postgres});
    QCOMPARE(scenario.setup.at(Engine::Postgres).size(), std::size_t(1));
}

void tst_ScenarioFile::stepsBecomeAFlatProgram()
{
    const QString text = withLine(12,
        uR"json({"acquire": {"kind": "app", "name": "n", "wait_ms": 0, "otherwise": [{"think_ms": 1}, {"sql": "SELECT 2"}]}},)json"_s);
    const auto read = readScenario(text.toUtf8(), u"f.json"_s);
    QVERIFY(read);
    const auto& program = (*read)->variants[0].roles[0].program;
    // sql, acquire, release, end; think, sql, end.
    QCOMPARE(program.size(), std::size_t(7));
    QCOMPARE(std::get<AcquireStep>(program[1].act).otherwise, 4);
    QVERIFY(std::holds_alternative<ThinkStep>(program[4].act));
    QVERIFY(std::holds_alternative<EndStep>(program[3].act));
    QVERIFY(std::holds_alternative<EndStep>(program[6].act));
}

void tst_ScenarioFile::sqlKnowsItsPlaces_data()
{
    test::addColumns<QString, QStringList>("sql", "values");
    test::row("none", "SELECT 1", QStringList());
    test::row("two", "SELECT :a, :b", QStringList{u"a"_s, u"b"_s});
    test::row("at the end", "SELECT :a", QStringList{u"a"_s});
    test::row("a cast", "SELECT :a::bigint", QStringList{u"a"_s});
    test::row("in a text", "SELECT ':a', 'it''s :b', :c", QStringList{u"c"_s});
    test::row("in a quoted name", "SELECT \":a\" FROM t", QStringList());
    test::row("in comments", "SELECT 1 -- :a\n /* :b */ + :c", QStringList{u"c"_s});
    test::row("in dollar quotes", "SELECT $$ :a $$, $x$ :b $$ $x$, :c", QStringList{u"c"_s});
    test::row("a text without end", "SELECT 'a :b", QStringList());
    test::row("not a name", "SELECT arr[1:2], :, 5:3", QStringList());
}

void tst_ScenarioFile::sqlKnowsItsPlaces()
{
    QFETCH(QString, sql);
    QFETCH(QStringList, values);
    QCOMPARE(SqlTemplate(sql).valueNames(), values);
}

void tst_ScenarioFile::equalPlacesAreBoundApart()
{
    const SqlTemplate sql(u"SELECT :a + :b + :a FROM {t} WHERE x = '{t}'"_s);
    const auto quoted = [](const QString& name) { return u'"' + name + u'"'; };
    const auto postgres = sql.filled(Engine::Postgres, u"s"_s, quoted);
    QCOMPARE(postgres.statement.sql(), "SELECT $1 + $2 + $3 FROM \"t\" WHERE x = '{t}'");
    QCOMPARE(postgres.values, (QStringList{u"a"_s, u"b"_s, u"a"_s}));
    QVERIFY(sql.filled(Engine::SqlServer, u"s"_s, quoted).statement.sql().startsWith("SELECT @P1 + @P2"));
    QVERIFY(sql.filled(Engine::Sqlite, u"s"_s, quoted).statement.sql().startsWith("SELECT ?1 + ?2"));
}

void tst_ScenarioFile::faultsAreExact_data()
{
    test::addColumns<int, QString, int, int, QString>("at", "text", "line", "column", "says");
    test::row("a missing quote", 3, "\"title\": \"Small,", 3, 17, "line break");
    test::row("a NUL byte", 3, u"\"title\": \"a\","_s + QChar(0) + u"[[ \"x"_s, 3, 14, "NUL");
    test::row("a missing comma", 3, "\"title\": \"Small\"", 4, 1, "',' or '}'");
    test::row("a comma too many", 5, "\"engines\": [\"postgres\",],", 5, 24, "']'");
    test::row("a number with a leading zero", 6,
        R"json("parameters": {"rows": {"meaning": "r", "default": 05}},)json", 6, 52, "begin with 0");
    test::row("after wide characters", 3, "\"title\": \"größe 🔒\" x", 3, 20, "'x'");
    test::row("a comment behind a value", 3, "\"title\": \"Small\" /* c */,", 3, 18, "no comments");
    test::row("half of a character", 3, R"json("title": "\ud83d\u0041",)json", 3, 10, "half of a character");
    test::row("a number without decimals", 6,
        R"json("parameters": {"rows": {"meaning": "r", "default": 1.}},)json", 6, 52, "no number");
    test::row("a version that nobody has seen", 11,
        R"json({"sql": "SELECT 1", "writes_over": {"item": "a", "seen": ":b"}},)json", 11, 58, ":b");
    test::row("programs that are no list", 10, R"json({"name": "one", "programs": "x", "steps": [)json", 10,
        29, "a list of names");
    test::row("a key twice", 3, "\"title\": \"a\", \"title\": \"b\",", 3, 15, "twice");
    test::row("an unknown key", 3, "\"title\": \"a\", \"titel\": \"b\",", 3, 15, "one of");
    test::row("an unknown engine", 5, "\"engines\": [\"postgres\", \"oracle\"],", 5, 25, "sqlserver");
    test::row("a title that is a number", 3, "\"title\": 5,", 3, 10, "the number 5");
    test::row("a default out of range", 6,
        R"json("parameters": {"rows": {"meaning": "r", "default": 10, "least": 1, "most": 9}},)json", 6, 52,
        "from 1 to 9");
    test::row("an unknown value", 11, R"json({"sql": "SELECT :rwos", "into": "a"},)json", 11, 9, ":rows");
    test::row("an unknown identifier", 11, R"json({"sql": "SELECT 1 FROM {x}"},)json", 11, 9, "schema");
    test::row(
        "no text for the engine", 11, R"json({"sql": {"sqlite": "SELECT 1"}},)json", 11, 9, "PostgreSQL");
    test::row("a lock that nobody takes", 13, R"json({"release": "luck"})json", 13, 13, "lock");
    test::row("an unknown kind of lock", 12, R"json({"acquire": {"kind": "row", "name": "n"}},)json", 12, 22,
        "locked-key");
    test::row("no step", 13, R"json({"relaese": "lock"})json", 13, 1, "exactly one of");
    test::row("two steps in one", 13, R"json({"begin": true, "commit": true})json", 13, 1, "several things");
    test::row("no list", 13, R"json({"each": {"of": "a", "as": "b", "steps": []}})json", 13, 17, "no list");
    test::row("no unsafe variant", 9,
        R"json("variants": [{"id": "safe", "title": "U", "strategy": "none", "meaning": "m", "roles": [)json",
        9, 13, "at least one");
    test::row("a begin that is a number", 13, R"json({"begin": 5})json", 13, 11, "true");
    test::row("a begin that is not", 13, R"json({"begin": false})json", 13, 11, "true");
    test::row("an end that is a text", 13, R"json({"end": "true"}, {"release": "lock"})json", 13, 9, "true");
    test::row("a default of an identifier", 6,
        R"json("parameters": {"rows": {"meaning": "r", "default": 5, "identifier": "t"}},)json", 6, 52,
        "\"identifier\" alone");
    test::row("a section that nobody enters", 13, R"json({"leave": "x"})json", 13, 11, "enters \"x\"");
    test::row("done without a packet", 13, R"json({"done": true})json", 13, 1, "\"take\"");
    test::row("a lock table that is shared", 12,
        R"json({"acquire": {"kind": "table", "name": "n", "mode": "shared"}},)json", 12, 52,
        "can't be shared");
    test::row("a lock table in a transaction", 12,
        R"json({"begin": true}, {"acquire": {"kind": "table", "name": "n"}},)json", 12, 30,
        "before \"begin\"");
    test::row("a lock of no transaction", 12,
        R"json({"acquire": {"kind": "app", "name": "n", "owner": "transaction"}},)json", 12, 13,
        "\"begin\" before it");
    test::row("a mode that the engine has not", 12,
        R"json({"acquire": {"kind": "app", "name": "n", "mode": "update"}},)json", 12, 50,
        "PostgreSQL has no such mode");
    test::row("a fencing number of an application lock", 12,
        R"json({"acquire": {"kind": "app", "name": "n", "fencing_into": "f"}},)json", 12, 58, "kind table");
    test::row("an invariant of a session", 8,
        R"json("invariant": {"sql": "SELECT :session", "meaning": "m", "violation": "v"},)json", 8, 22,
        "No session asks");
    test::row(
        "an invariant that nothing tells", 8, R"json("invariant": {"meaning": "m"},)json", 8, 14, "rules");
    test::row("a violation without a count", 8, R"json("invariant": {"meaning": "m", "violation": "v"},)json",
        8, 14, "rules");
    test::row("an exploration with an unknown parameter", 3,
        R"json("title": "t", "explore": {"parameters": {"rwos": 5}},)json", 3, 42, "rows");
    test::row("an exploration out of range", 3,
        R"json("title": "t", "explore": {"parameters": {"rows": 10}},)json", 3, 50, "from 1 to 9");
    test::row("no invariant", 8, "", 1, 1, "invariant");
}

void tst_ScenarioFile::faultsAreExact()
{
    QFETCH(int, at);
    QFETCH(QString, text);
    QFETCH(int, line);
    QFETCH(int, column);
    QFETCH(QString, says);
    const FileFaults faults = faultsOf(withLine(at, text));
    QVERIFY(!faults.empty());
    const QString said = faults.front().toString();
    VERIFY_STARTS(said, u"f.json:%1:%2: "_s.arg(line).arg(column));
    VERIFY_CONTAINS(said, says);
}

void tst_ScenarioFile::allFaultsAtOnce()
{
    QString text = withLine(3, u"\"title\": 5,"_s);
    text.replace(u"SELECT 1"_s, u"SELECT :x"_s).replace(u"\"release\": \"lock\""_s, u"\"release\": \"k\""_s);
    const FileFaults faults = faultsOf(text);
    QCOMPARE(faults.size(), std::size_t(3));
    QCOMPARE(faults[0].line, 3);
    QCOMPARE(faults[1].line, 11);
    QCOMPARE(faults[2].line, 13);
}

void tst_ScenarioFile::severalUnsafeVariants()
{
    const QString more =
        uR"json(]}]}, {"id": "flawed", "title": "F", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
{"name": "one", "steps": [{"sql": "SELECT 1"}]}]}])json"_s;
    const auto read = readScenario(withLine(14, more).toUtf8(), u"f.json"_s);
    QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
    QCOMPARE((*read)->variants.size(), std::size_t(2));
    QCOMPARE((*read)->unsafe()->id, u"unsafe"_s); // the first one
}

void tst_ScenarioFile::whatToExplore()
{
    const QString text = withLine(3,
        uR"json("title": "t", "explore": {"sessions": 3, "rounds": 2, "parameters": {"rows": 7}, "no_witness": "why"},)json"_s);
    const auto read = readScenario(text.toUtf8(), u"f.json"_s);
    QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
    const ExploreNeeds& needs = (*read)->explore;
    QCOMPARE(needs.sessions, 3);
    QCOMPARE(needs.rounds, 2);
    QCOMPARE(needs.parameters, (QHash<QString, QString>{{u"rows"_s, u"7"_s}}));
    QCOMPARE(needs.noWitness, u"why"_s);
    QCOMPARE(readScenario(good.toUtf8(), u"f.json"_s).value()->explore.sessions, 0);
}

void tst_ScenarioFile::logAloneMayJudge()
{
    const QString text =
        withLine(8, uR"json("invariant": {"meaning": "m"}, "rules": {"nobody_waits": true},)json"_s);
    const auto read = readScenario(text.toUtf8(), u"f.json"_s);
    QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
    QVERIFY((*read)->invariant.sql.empty());
    QVERIFY((*read)->rules.nobodyWaits);
}

void tst_ScenarioFile::sqliteHasOneKindOfLock()
{
    QString text = good;
    text.replace(u"[\"postgres\"]"_s, u"[\"postgres\", \"sqlite\"]"_s);
    text.replace(u"{\"postgres\": [\"CREATE TABLE t (id int)\"]}"_s, u"[]"_s);
    const FileFaults faults = faultsOf(text);
    QCOMPARE(faults.size(), std::size_t(1));
    VERIFY_STARTS(faults[0].toString(), u"f.json:12:22: SQLite has no such locks."_s);
}

void tst_ScenarioFile::hugeAndEmptyFiles()
{
    QCOMPARE(faultsOf(QString()).size(), std::size_t(1));
    QCOMPARE(faultsOf(QString((1 << 20) + 1, u' ')).front().line, 0);
    QVERIFY(faultsOf(QString(100'000, u'[')).front().what.contains(u"deeply"_s));
    QCOMPARE(readScenario("{\n\"id\": \"\xff\xfe\"}", u"f.json"_s).error().front().line, 2);
}

void tst_ScenarioFile::badFileDoesNotHideTheOthers()
{
    const QTemporaryDir folder;
    const auto write = [&folder](const QString& name, const QString& text) {
        test::makeFile(folder.filePath(name), text.toUtf8());
    };
    write(u"a.json"_s, u"{"_s);
    write(u"b.json"_s, good);
    const Library library = loadLibrary(QDir(folder.path()));
    QVERIFY(library.find(u"small"));
    QCOMPARE(library.faults.size(), std::size_t(1));
    QVERIFY(library.faults[0].file.endsWith(u"a.json"_s));
}

void tst_ScenarioFile::idsAreUnique()
{
    const QTemporaryDir folder;
    for (const QString& name : {u"a.json"_s, u"b.json"_s}) {
        test::makeFile(folder.filePath(name), good.toUtf8());
    }
    const Library library = loadLibrary(QDir(folder.path()));
    QCOMPARE(library.faults.size(), std::size_t(1));
    const QString said = library.faults[0].toString();
    QVERIFY2(said.contains(u"b.json:2:7: "_s) && said.contains(u"a.json"_s), qPrintable(said));
}

void tst_ScenarioFile::shippedFilesAreGood()
{
    const QTemporaryDir empty;
    const Library library = loadLibrary(QDir(empty.path()));
    for (const FileFault& fault : library.faults)
        qWarning("%s", qPrintable(fault.toString()));
    QVERIFY(library.faults.empty());
    QVERIFY(!library.scenarios.empty());
    for (const ScenarioPtr& scenario : library.scenarios)
        QCOMPARE(QFileInfo(scenario->file).baseName(), scenario->id);
    // The demo is a scenario, but none to choose.
    QVERIFY(!library.find(u"demo"));
    const auto demo = readScenarioFile(u":/demo/demo.json"_s);
    QVERIFY2(demo, demo ? "" : qPrintable(demo.error().front().toString()));
}

void tst_ScenarioFile::theListBeginsWithTheLostUpdate()
{
    const QTemporaryDir folder;
    test::makeFile(folder.filePath(u"a.json"_s), good.toUtf8());
    const Library library = loadLibrary(QDir(folder.path()));
    QCOMPARE(library.scenarios.front()->id, u"lost-update"_s);
    // Those of a group stand together, and the user's own come last.
    QStringList groups;
    for (const ScenarioPtr& scenario : library.scenarios)
        if (groups.isEmpty() || groups.last() != scenario->group)
            groups << scenario->group;
    QCOMPARE(groups.removeDuplicates(), 0);
    QCOMPARE(groups.last(), QString());
    QCOMPARE(library.scenarios.back()->id, u"small"_s);
}

void tst_ScenarioFile::parametersHaveWordsAndUnits()
{
    const QTemporaryDir empty;
    for (const ScenarioPtr& scenario : loadLibrary(QDir(empty.path())).scenarios)
        for (const Parameter& each : scenario->parameters) {
            const QString where = scenario->id + u'/' + each.name;
            QVERIFY2(each.label.size() > 3 && each.label.size() <= 26, qPrintable(where));
            QCOMPARE(each.meaning.startsWith(u"milliseconds"_s), each.unit == u"ms");
        }
}

LOCKSCOPE_TEST(tst_ScenarioFile)

} // namespace tst_ScenarioFile
#include "tst_ScenarioFile.moc"
