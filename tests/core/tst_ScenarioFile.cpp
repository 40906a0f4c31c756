// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Scenario files: what is read from good ones, and where exactly bad ones are wrong.

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/DataRows.h"
#include "tests/support/Files.h"
#include "tests/support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

namespace tst_ScenarioFile {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace Qt::StringLiterals;

namespace {

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

QString withLine(int line, const QString& text)
{
    QStringList lines = good.split(u'\n');
    lines[line - 1] = text;
    return lines.join(u'\n');
}

FileFaults faultsOf(const QString& text)
{
    const auto read = readScenario(text.toUtf8(), u"f.json"_s);
    return read ? FileFaults() : read.error();
}

} // namespace

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
    QTest::newRow("none") << u"SELECT 1"_s << QStringList();
    QTest::newRow("two") << u"SELECT :a, :b"_s << QStringList{u"a"_s, u"b"_s};
    QTest::newRow("at the end") << u"SELECT :a"_s << QStringList{u"a"_s};
    QTest::newRow("a cast") << u"SELECT :a::bigint"_s << QStringList{u"a"_s};
    QTest::newRow("in a text") << u"SELECT ':a', 'it''s :b', :c"_s << QStringList{u"c"_s};
    QTest::newRow("in a quoted name") << u"SELECT \":a\" FROM t"_s << QStringList();
    QTest::newRow("in comments") << u"SELECT 1 -- :a\n /* :b */ + :c"_s << QStringList{u"c"_s};
    QTest::newRow("in dollar quotes") << u"SELECT $$ :a $$, $x$ :b $$ $x$, :c"_s << QStringList{u"c"_s};
    QTest::newRow("a text without end") << u"SELECT 'a :b"_s << QStringList();
    QTest::newRow("not a name") << u"SELECT arr[1:2], :, 5:3"_s << QStringList();
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
    QTest::newRow("a missing quote") << 3 << u"\"title\": \"Small,"_s << 3 << 17 << u"line break"_s;
    QTest::newRow("a NUL byte") << 3 << u"\"title\": \"a\","_s + QChar(0) + u"[[ \"x"_s << 3 << 14
                                << u"NUL"_s;
    QTest::newRow("a missing comma") << 3 << u"\"title\": \"Small\""_s << 4 << 1 << u"',' or '}'"_s;
    QTest::newRow("a comma too many") << 5 << u"\"engines\": [\"postgres\",],"_s << 5 << 24 << u"']'"_s;
    QTest::newRow("a number with a leading zero")
        << 6 << uR"json("parameters": {"rows": {"meaning": "r", "default": 05}},)json"_s << 6 << 52
        << u"begin with 0"_s;
    QTest::newRow("after wide characters") << 3 << u"\"title\": \"größe 🔒\" x"_s << 3 << 20 << u"'x'"_s;
    QTest::newRow("a comment behind a value")
        << 3 << u"\"title\": \"Small\" /* c */,"_s << 3 << 18 << u"no comments"_s;
    QTest::newRow("half of a character")
        << 3 << uR"json("title": "\ud83d\u0041",)json"_s << 3 << 10 << u"half of a character"_s;
    QTest::newRow("a number without decimals")
        << 6 << uR"json("parameters": {"rows": {"meaning": "r", "default": 1.}},)json"_s << 6 << 52
        << u"no number"_s;
    QTest::newRow("a version that nobody has seen")
        << 11 << uR"json({"sql": "SELECT 1", "writes_over": {"item": "a", "seen": ":b"}},)json"_s << 11 << 58
        << u":b"_s;
    QTest::newRow("programs that are no list")
        << 10 << uR"json({"name": "one", "programs": "x", "steps": [)json"_s << 10 << 29
        << u"a list of names"_s;
    QTest::newRow("a key twice") << 3 << u"\"title\": \"a\", \"title\": \"b\","_s << 3 << 15 << u"twice"_s;
    QTest::newRow("an unknown key") << 3 << u"\"title\": \"a\", \"titel\": \"b\","_s << 3 << 15
                                    << u"one of"_s;
    QTest::newRow("an unknown engine")
        << 5 << u"\"engines\": [\"postgres\", \"oracle\"],"_s << 5 << 25 << u"sqlserver"_s;
    QTest::newRow("a title that is a number") << 3 << u"\"title\": 5,"_s << 3 << 10 << u"the number 5"_s;
    QTest::newRow("a default out of range")
        << 6
        << uR"json("parameters": {"rows": {"meaning": "r", "default": 10, "least": 1, "most": 9}},)json"_s
        << 6 << 52 << u"from 1 to 9"_s;
    QTest::newRow("an unknown value")
        << 11 << uR"json({"sql": "SELECT :rwos", "into": "a"},)json"_s << 11 << 9 << u":rows"_s;
    QTest::newRow("an unknown identifier")
        << 11 << uR"json({"sql": "SELECT 1 FROM {x}"},)json"_s << 11 << 9 << u"schema"_s;
    QTest::newRow("no text for the engine")
        << 11 << uR"json({"sql": {"sqlite": "SELECT 1"}},)json"_s << 11 << 9 << u"PostgreSQL"_s;
    QTest::newRow("a lock that nobody takes")
        << 13 << uR"json({"release": "luck"})json"_s << 13 << 13 << u"lock"_s;
    QTest::newRow("an unknown kind of lock")
        << 12 << uR"json({"acquire": {"kind": "row", "name": "n"}},)json"_s << 12 << 22 << u"locked-key"_s;
    QTest::newRow("no step") << 13 << uR"json({"relaese": "lock"})json"_s << 13 << 1 << u"exactly one of"_s;
    QTest::newRow("two steps in one")
        << 13 << uR"json({"begin": true, "commit": true})json"_s << 13 << 1 << u"several things"_s;
    QTest::newRow("no list") << 13 << uR"json({"each": {"of": "a", "as": "b", "steps": []}})json"_s << 13
                             << 17 << u"no list"_s;
    QTest::newRow("no unsafe variant")
        << 9
        << uR"json("variants": [{"id": "safe", "title": "U", "strategy": "none", "meaning": "m", "roles": [)json"_s
        << 9 << 13 << u"at least one"_s;
    QTest::newRow("a begin that is a number") << 13 << uR"json({"begin": 5})json"_s << 13 << 11 << u"true"_s;
    QTest::newRow("a begin that is not") << 13 << uR"json({"begin": false})json"_s << 13 << 11 << u"true"_s;
    QTest::newRow("an end that is a text")
        << 13 << uR"json({"end": "true"}, {"release": "lock"})json"_s << 13 << 9 << u"true"_s;
    QTest::newRow("a default of an identifier")
        << 6 << uR"json("parameters": {"rows": {"meaning": "r", "default": 5, "identifier": "t"}},)json"_s
        << 6 << 52 << u"\"identifier\" alone"_s;
    QTest::newRow("a section that nobody enters")
        << 13 << uR"json({"leave": "x"})json"_s << 13 << 11 << u"enters \"x\""_s;
    QTest::newRow("done without a packet")
        << 13 << uR"json({"done": true})json"_s << 13 << 1 << u"\"take\""_s;
    QTest::newRow("a lock table that is shared")
        << 12 << uR"json({"acquire": {"kind": "table", "name": "n", "mode": "shared"}},)json"_s << 12 << 52
        << u"can't be shared"_s;
    QTest::newRow("a lock table in a transaction")
        << 12 << uR"json({"begin": true}, {"acquire": {"kind": "table", "name": "n"}},)json"_s << 12 << 30
        << u"before \"begin\""_s;
    QTest::newRow("a lock of no transaction")
        << 12 << uR"json({"acquire": {"kind": "app", "name": "n", "owner": "transaction"}},)json"_s << 12
        << 13 << u"\"begin\" before it"_s;
    QTest::newRow("a mode that the engine has not")
        << 12 << uR"json({"acquire": {"kind": "app", "name": "n", "mode": "update"}},)json"_s << 12 << 50
        << u"PostgreSQL has no such mode"_s;
    QTest::newRow("a fencing number of an application lock")
        << 12 << uR"json({"acquire": {"kind": "app", "name": "n", "fencing_into": "f"}},)json"_s << 12 << 58
        << u"kind table"_s;
    QTest::newRow("an invariant of a session")
        << 8 << uR"json("invariant": {"sql": "SELECT :session", "meaning": "m", "violation": "v"},)json"_s
        << 8 << 22 << u"No session asks"_s;
    QTest::newRow("an invariant that nothing tells")
        << 8 << uR"json("invariant": {"meaning": "m"},)json"_s << 8 << 14 << u"rules"_s;
    QTest::newRow("a violation without a count")
        << 8 << uR"json("invariant": {"meaning": "m", "violation": "v"},)json"_s << 8 << 14 << u"rules"_s;
    QTest::newRow("an exploration with an unknown parameter")
        << 3 << uR"json("title": "t", "explore": {"parameters": {"rwos": 5}},)json"_s << 3 << 42 << u"rows"_s;
    QTest::newRow("an exploration out of range")
        << 3 << uR"json("title": "t", "explore": {"parameters": {"rows": 10}},)json"_s << 3 << 50
        << u"from 1 to 9"_s;
    QTest::newRow("no invariant") << 8 << u""_s << 1 << 1 << u"invariant"_s;
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
    QVERIFY2(said.startsWith(u"f.json:%1:%2: "_s.arg(line).arg(column)), qPrintable(said));
    QVERIFY2(said.contains(says), qPrintable(said));
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
    QVERIFY2(faults[0].toString().startsWith(u"f.json:12:22: SQLite has no such locks."_s),
        qPrintable(faults[0].toString()));
}

void tst_ScenarioFile::hugeAndEmptyFiles()
{
    QCOMPARE(faultsOf(QString()).size(), std::size_t(1));
    QCOMPARE(faultsOf(QString((1 << 20) + 1, u' ')).front().line, 0);
    QVERIFY(faultsOf(QString(100'000, u'[')).front().what.contains(u"deeply"_s));
    const auto binary = readScenario("{\n\"id\": \"\xff\xfe\"}", u"f.json"_s);
    QCOMPARE(binary.error().front().line, 2);
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
