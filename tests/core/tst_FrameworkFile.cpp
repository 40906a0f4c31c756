// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Framework files: the content of good ones, and the exact place of each fault in bad ones.

#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"
#include "tests/support/TestProgram.h"

namespace tst_FrameworkFile {

using namespace lockscope;
using namespace lockscope::frameworks;

static QString good();
/// The same with all columns and true examples; that line is another then. 20 is an example of the row.
static QString proved(int line, const QString& text);

static QString withLine(int line, const QString& text)
{
    QStringList lines = good().split(u'\n');
    lines[line - 1] = text;
    return lines.join(u'\n');
}

class tst_FrameworkFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodFile()
    {
        const auto read = readFrameworkFile(u"my-jobs.json"_s, good().toUtf8());
        VERIFY_DONE(read);
        QCOMPARE(read->id, u"my-jobs"_s);
        QCOMPARE(read->locks.size(), size_t(2));
        const FrameworkLock& row = read->locks[0];
        COMPARE_TEXTS(row.table->names, "jobs", "*_jobs");
        QVERIFY(row.row.held[0].is == FrameworkCondition::Is::NotNull);
        QVERIFY(row.row.held[1].is == FrameworkCondition::Is::Future);
        QVERIFY(row.row.heartbeat->clocks[Engine::Sqlite] == FrameworkClock::IsoText);
        QVERIFY(row.row.heartbeat->after == std::chrono::seconds(30));
        QVERIFY(row.row.deadAfter == std::chrono::minutes(5));
        QVERIFY(row.row.keepsSession);
        QVERIFY(row.row.update[1].second == FrameworkValue(u"{version}+1"_s));
        QVERIFY(row.row.mayBeFreed);
        const KeyFormula& formula = read->locks[1].keys[0].parts[0];
        QVERIFY(formula.hash == KeyFormula::Hash::Crc32);
        QCOMPARE(formula.text, u"jobs"_s + QChar(0) + u"{schema}"_s);
        QCOMPARE(formula.bits, 32);
    }

    void faultsAreExact_data()
    {
        test::addColumns<int, QString, int, QString>("line", "text", "at", "what");
        const auto add = [](const char* name, int line, const char* text, const char* what, int at = 0) {
            test::row(name, line, QString::fromUtf8(text), (at == 0 ? line : at), what);
        };
        add("no JSON", 3, "\"name\": Jobs,", "'J' can't stand here");
        add("other format", 2, "\"format\": 2,", "the number 2");
        add("no name", 3, "", "\"name\" is missing", 1);
        add("unknown field", 4, "\"about\": \"a\", \"colour\": 1,", "\"colour\" is unknown");
        add("empty words", 4, "\"about\": \" \",", "empty");
        add("two lines in a name", 3, "\"name\": \"a\\nb\",", "one line");
        add("hidden characters", 3, "\"name\": \"a\\u202eb\",", "control character");
        add("other address", 5, "\"sources\": [\"http://example.org\"],", "the text \"http:");
        add("no locks", 6, "\"locks\": [], \"x\": [{", "nothing");
        add("hard id", 7, "\"id\": \"Row 1\", \"name\": \"n\", \"kind\": \"row\",", "hard to type");
        add("other kind", 7, "\"id\": \"row\", \"name\": \"n\", \"kind\": \"lock\",", "the text \"lock\"");
        add("other engine", 8, "\"engines\": [\"mysql\"],", "the text \"mysql\"");
        add("no clock for an engine", 8, "\"engines\": [\"postgres\", \"sqlserver\"],",
            "no clock for SQL Server", 15);
        add("table without a sign", 10, "\"table\": {\"schemas\": [\"x\"]},", "Nothing says which table");
        add("every table", 10, "\"table\": {\"names\": [\"*\"]},", "every table");
        add("two tests", 12, "\"held\": [{\"column\": \"o\", \"is\": 1, \"is_not\": 2}],",
            "both \"is\" and \"is_not\"");
        add("no test", 12, "\"held\": [{\"column\": \"o\"}],", "Something is missing");
        add("no column in a name", 13, "\"name\": \"job\",", "names no column");
        add("bad pattern", 14, "\"holder\": {\"column\": \"o\", \"pattern\": \"(?<host>[\"},",
            "no regular expression");
        add("pattern ends its brackets", 14,
            "\"holder\": {\"column\": \"o\", \"pattern\": \"(?<host>a)|b)(c\"},", "no regular expression");
        add("unknown group", 14, "\"holder\": {\"column\": \"o\", \"pattern\": \"(?<who>.+)\"},",
            "group \"who\"");
        add("bad duration", 16, "\"dead_after\": \"5 minutes\",", "5 minutes");
        add("no heartbeat", 15, "", "last sign of life", 16);
        add("a name twice", 17, "\"compare\": [\"id\", \"ID\"],", "there twice");
        add("two ways to free", 18, "\"update\": {\"o\": 1}, \"delete\": true",
            "both \"update\" and \"delete\"");
        add("no way to free", 18, "\"since\": {\"column\": \"t\", \"clock\": \"utc\"}",
            "Something is missing", 11);
        add("bad new value", 18, "\"update\": {\"o\": \"{o}+2\"}", "no new value");
        add("row of a key", 20, "\"id\": \"key\", \"name\": \"n\", \"kind\": \"advisory key\", \"row\": {},",
            "has no \"row\"");
        add("key on another engine", 21, "\"engines\": [\"sqlite\"],", "SQLite has no lock of the kind");
        add("same id", 20, "\"id\": \"row\", \"name\": \"n\", \"kind\": \"advisory key\",",
            "two locks with the id");
        add("unknown place", 23, "\"keys\": [{\"number\": {\"hash\": \"md5\", \"text\": \"{user}\"}}],",
            "{user}");
        add("no table", 23, "\"keys\": [{\"number\": {\"hash\": \"md5\", \"text\": \"{table}\"}}],",
            "which tables {table}");
        add("two keys in one", 23, "\"keys\": [{\"number\": 1, \"any\": true}],",
            "both \"number\" and \"any\"");
        add("any without tables", 23, "\"keys\": [{\"any\": true}],", "Any program may use", 19);
        add("too large a number", 23, "\"keys\": [{\"number\": 18446744073709551616}],",
            "Here is the number");
        add("bytes of no digest", 23,
            "\"keys\": [{\"number\": {\"hash\": \"java\", \"text\": \"x\", \"bytes\": 4}}],", "digests only");
        add("backward range", 23, "\"keys\": [{\"range\": [5, 1]}],", "ends before");
        add("every pair", 23, "\"keys\": [{\"pair\": [\"any\", \"any\"]}],", "every pair");
        add("example of nothing", 24, "\"examples\": [{\"meaning\": \"leader\"}]", "Something is missing");
    }

    void faultsAreExact()
    {
        FETCH(int, line, QString, text, int, at, QString, what);
        const auto read = checkFrameworkFile(u"f.json"_s, withLine(line, text).toUtf8());
        QVERIFY(!read);
        QStringList seen;
        bool isReported = false;
        for (const json::FileFault& fault : read.error()) {
            seen << fault.toString();
            isReported = isReported || (fault.line == at && fault.toString().contains(what));
        }
        QVERIFY2(isReported, qPrintable(seen.join(u'\n')));
    }

    /// A well-formed file may still be untrue: the check reports each column and each example.
    void whatIsNotTrueIsReported_data()
    {
        test::addColumns<QString, int, QString>("text", "line", "what");
        const auto add = [](const char* name, const QString& text, int line, const char* what) {
            test::row(name, text, line, what);
        };
        const auto example = [](const char* row) { return proved(20, QString::fromUtf8(row)); };
        add("true", proved(0, {}), 0, "");
        add("column of a condition", good(), 12, "\"until\"");
        add("column of a time", good(), 15, "\"seen\"");
        add("column of what frees it", good(), 18, "\"version\"");
        add("key", good(), 24, "not recognised");
        add("name of a key", proved(24, u"\"examples\": [{\"number\": 590123074, \"meaning\": \"boss\"}]"_s),
            24, "called \"leader of public\"");
        add("held",
            example(
                R"({"row": {"id": 7, "owner": null, "until": "{now+1min}", "seen": null, "version": 1}, "meaning": "job 7"}])"),
            20, "not held");
        add("over",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now-1min}", "seen": null, "version": 1}, "meaning": "job 7"}])"),
            20, "not held");
        add("name of a row",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "seen": null, "version": 1}, "meaning": "job 8", "holder": {"host": "a", "pid": "1"}}])"),
            20, "called \"job 7\"");
        add("holder",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "seen": null, "version": 1}, "meaning": "job 7", "holder": {"host": "a"}}])"),
            20, "pid \"1\"");
        add("time",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "seen": "{now-1min}", "version": 1}, "meaning": "job 7", "holder": {"host": "a", "pid": "1"}, "heartbeat": "{now-1min}"}])"),
            20, "\"heartbeat\" is");
        add("no such column",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "version": 1}, "meaning": "job 7"}])"),
            20, "no column \"seen\"");
        add("column of no table",
            example(
                R"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "seen": null, "version": 1, "x": 1}, "meaning": "job 7"}])"),
            20, "does not list \"x\"");
        add("no clock",
            example(
                R"({"row": {"id": "{now}", "owner": null, "until": null, "seen": null, "version": 1}, "held": false, "meaning": "job 7"}])"),
            20, "by which clock");
        add("no time",
            example(
                R"({"row": {"id": 7, "owner": null, "until": "{now+soon}", "seen": null, "version": 1}, "held": false, "meaning": "job 7"}])"),
            20, "is no time");
    }

    void whatIsNotTrueIsReported()
    {
        FETCH(const QString, text, const int, line, const QString, what);
        const auto read = checkFrameworkFile(u"f.json"_s, text.toUtf8(), Strictness::Proved);
        QStringList seen;
        bool isReported = false;
        for (const json::FileFault& fault : read ? json::FileFaults() : read.error()) {
            seen << fault.toString();
            isReported = isReported || (fault.line == line && fault.what.contains(what));
        }
        QVERIFY2(line == 0 ? read.has_value() : isReported, qPrintable(seen.join(u'\n')));
    }

    void errorNamesFileAndLine()
    {
        const auto read = readFrameworkFile(u"f.json"_s, withLine(2, u"\"format\": 2,"_s).toUtf8());
        QVERIFY(!read);
        QVERIFY(read.error().kind == ErrorKind::BadInput);
        VERIFY_STARTS(read.error().what, u"f.json:2:"_s);
        QVERIFY(!readFrameworkFile(u"My Jobs.json"_s, good().toUtf8()));
        QVERIFY(!readFrameworkFile(u"f.json"_s, QByteArray(largestFrameworkFile + 1, ' ')));
    }

    /// A pattern that backtracks without end soon counts as no match.
    void patternsEnd()
    {
        const QRegularExpression pattern = wholePattern(u"(?<host>(a+)+)b"_s);
        QVERIFY(pattern.isValid());
        QVERIFY(matchWhole(pattern, u"aaab"_s));
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!matchWhole(pattern, QString(1'000, u'a')));
        QVERIFY2(timer.elapsed() < 2'000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!matchWhole(wholePattern(u".+"_s), QString(maxMatchedLength + 1, u'a')));
        QVERIFY(!matchWhole(wholePattern(u"a|b"_s), u"ab"_s)); // over the whole text
    }

    void usersFilesCount()
    {
        QTemporaryDir folder;
        test::makeFile(folder.filePath(u"liquibase.json"_s), good().toUtf8(), test::onlyOwn);
        test::makeFile(folder.filePath(u"jobs.json"_s), good().toUtf8(), test::onlyOwn);
        test::makeFile(folder.filePath(u"bad.json"_s), "{", test::onlyOwn);
        const Catalogue all = loadCatalogue(folder.path());
        QVERIFY(all.find(u"jobs"_s) && !all.find(u"jobs"_s)->isBuiltIn);
        QCOMPARE(all.find(u"liquibase"_s)->name, u"Jobs"_s);
        QVERIFY(all.find(u"prisma"_s)); // a bad file never stops the others
        QCOMPARE(all.errors.size(), 2);
        VERIFY_CONTAINS(all.errors[0].text, u"bad.json:1:"_s);
        VERIFY_CONTAINS(all.errors[1].text, u"instead of the built-in"_s);
    }

    /// A file decides what is done to rows of databases, so nobody else may be able to write it.
    void othersFilesAreNotUsed()
    {
        QTemporaryDir folder;
        test::makeFile(folder.filePath(u"open.json"_s), good().toUtf8(), test::onlyOwn);
        QVERIFY(QFile::setPermissions(
            folder.filePath(u"open.json"_s), QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
        test::makeFile(folder.filePath(u"real"_s), good().toUtf8(), test::onlyOwn);
        QVERIFY(QFile::link(folder.filePath(u"real"_s), folder.filePath(u"link.json"_s)));
        const Catalogue all = loadCatalogue(folder.path());
        QVERIFY(!all.find(u"open"_s) && !all.find(u"link"_s));
        QCOMPARE(all.errors.size(), 2);
        VERIFY_CONTAINS(all.errors[0].text, u"it is a link"_s);
        VERIFY_CONTAINS(all.errors[1].text, u"others may change it"_s);
        QVERIFY(QFile::setPermissions(folder.path(),
            QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::WriteOther | QFile::ExeOther));
        const Catalogue open = loadCatalogue(folder.path());
        QCOMPARE(open.errors.size(), 1);
        VERIFY_CONTAINS(open.errors[0].text, u"others may write to"_s);
    }
};

/// Two locks; each test changes a line. Here, because moc takes the addresses in it for comments.
static QString good()
{
    return uR"json({
"format": 1,
"name": "Jobs",
"about": "Runs jobs.",
"sources": ["https://example.org/jobs"],
"locks": [{
"id": "row", "name": "job lock", "kind": "row",
"engines": ["postgres", "sqlite"],
"purpose": "p", "ends": "e", "danger": "d",
"table": {"names": ["jobs", "*_jobs"], "columns": ["id", "owner"]},
"row": {
"held": [{"column": "owner", "is_not": null}, {"column": "until", "future": "utc"}],
"name": "job {id}",
"holder": {"column": "owner", "pattern": "(?<host>[^@]+)@(?<pid>[0-9]+)"},
"heartbeat": {"column": "seen", "clock": {"postgres": "utc", "sqlite": "iso text"}, "after": "30s"},
"dead_after": "5min", "keeps_session": true,
"compare": ["id", "owner"],
"update": {"owner": null, "version": "{version}+1"}
}}, {
"id": "key", "name": "leader", "kind": "advisory key",
"engines": ["postgres"],
"purpose": "p", "ends": "e", "danger": "d",
"keys": [{"number": {"hash": "crc32", "text": "jobs\u0000{schema}", "bits": 32}}],
"examples": [{"number": 5, "meaning": "leader"}]
}]
})json"_s;
}

static QString proved(int line, const QString& text)
{
    QStringList lines = good().split(u'\n');
    lines[9].replace(u"\"owner\"]"_s, u"\"owner\", \"until\", \"seen\", \"version\"]"_s);
    lines[23] = u"\"examples\": [{\"number\": 590123074, \"meaning\": \"leader of public\"}]"_s;
    const QString row = u"\"examples\": ["_s
        + (line == 20
                ? u"\n"_s + text
                : uR"({"row": {"id": 7, "owner": "a@1", "until": "{now+1min}", "seen": "{now-1min}", "version": 1}, )"
                  uR"("meaning": "job 7", "holder": {"host": "a", "pid": "1"}, "heartbeat": "{now-30s}"}])"_s);
    lines[18] = u"}, "_s + row + u"}, {"_s;
    if (line != 0 && line != 20)
        lines[line - 1] = text;
    return lines.join(u'\n');
}

LOCKSCOPE_TEST(tst_FrameworkFile)

} // namespace tst_FrameworkFile
#include "tst_FrameworkFile.moc"
