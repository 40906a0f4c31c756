// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The pages of the manual that are made of the files of frameworks. A file's text is shown word for word, and
// never as markup.

#include "core/frameworks/FrameworkFile.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/help/HelpBrowser.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/FieldTexts.h"
#include "ui/views/detail/DetailText.h"

namespace tst_FrameworkPages {

using namespace lockscope;
using namespace lockscope::ui;

/// A text that tries to be a picture, a link, a heading, HTML, the end of a table.
const QString nasty =
    u"<img src=\"http://evil.example/x.png\"> ![x](http://evil.example/y.png) [click](http://evil.example/) <b>bold</b> **stars** | a | `code` &amp; # head www.evil.example https://evil.example/z ann@evil.example ~~gone~~ \\ "_s
        .trimmed();

struct Reading {
    QStringList links;
    QStringList pictures;
    QString text;
    int headings = 0;
};

static Reading read(const QString& markdown)
{
    QTextDocument document;
    document.setMarkdown(markdown);
    Reading reading;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        reading.headings += block.blockFormat().headingLevel() > 0 ? 1 : 0;
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextCharFormat format = it.fragment().charFormat();
            if (format.isImageFormat())
                reading.pictures << format.toImageFormat().name();
            if (!format.anchorHref().isEmpty() && !reading.links.contains(format.anchorHref()))
                reading.links << format.anchorHref();
        }
    }
    reading.text = document.toPlainText();
    return reading;
}

static Framework made(const QString& text)
{
    Framework framework;
    framework.id = u"made"_s;
    framework.name = text;
    framework.about = text;
    framework.versions = text;
    framework.notes = text;
    framework.sources = {u"https://good.example/a?b=c"_s, u"http://plain.example/"_s,
        u"https://x.example/>[y](http://evil.example)"_s, u"javascript:alert(1)"_s,
        u"https://u:p@evil.example/"_s};
    FrameworkLock lock = test::liquibaseLock();
    for (QString* field : {&lock.name, &lock.purpose, &lock.ends, &lock.danger, &lock.vendorCommand,
             &lock.vendorNote, &lock.row.holder})
        *field = text;
    lock.table = {.names = {text}, .schemas = {text}, .columns = {text}, .without = {text}};
    lock.row.held.front().column = text;
    lock.row.held.front().value = text;
    lock.row.compare = {text};
    FrameworkLock key = test::prismaLock();
    KeyFormula formula;
    formula.hash = KeyFormula::Hash::Crc32;
    formula.text = text;
    key.keys.front().parts = {formula, formula};
    FrameworkLock resource = key;
    resource.kind = FrameworkLockKind::ApplicationLock;
    resource.keys.clear();
    resource.resources = {{text, std::nullopt}};
    framework.locks = {lock, key, resource};
    return framework;
}

class tst_FrameworkPages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShippedFileHasAPage_data()
    {
        QTest::addColumn<QString>("id");
        const auto catalogue = frameworks::catalogue();
        QVERIFY(catalogue->frameworks.size() >= 3);
        for (const FrameworkPtr& framework : catalogue->frameworks)
            test::row(qPrintable(framework->id), framework->id);
    }
    void everyShippedFileHasAPage()
    {
        QFETCH(QString, id);
        const FrameworkPtr framework = frameworks::catalogue()->find(id);
        QVERIFY(framework);
        const Reading page = read(frameworkPage(*framework));
        const QString text = page.text.simplified();
        QVERIFY(text.startsWith(framework->name));
        QVERIFY(page.pictures.isEmpty());
        QVERIFY(page.headings >= 1 + static_cast<int>(framework->locks.size()));
        QStringList headings;
        for (const QString& line : frameworkPage(*framework).split(u'\n'))
            if (line.startsWith(u"## "_s))
                headings << line;
        QCOMPARE(headings.removeDuplicates(), 0); // each differs from the others
        for (const QString& link : page.links)
            QVERIFY2(link.startsWith(u"https://"_s) || link.endsWith(u".md"_s), qPrintable(link));
        for (const QString& address : framework->sources + framework->issues)
            QVERIFY2(page.links.contains(address), qPrintable(address));
        for (const FrameworkLock& lock : framework->locks) {
            for (const QString& message :
                {lock.name, lock.purpose, lock.ends, lock.danger, lock.vendorCommand})
                QVERIFY2(text.contains(message.simplified()), qPrintable(message + u" in "_s + text));
            QVERIFY(!recognitionText(lock).isEmpty());
            if (lock.kind == FrameworkLockKind::Row && lock.row.mayBeFreed)
                QVERIFY(text.contains(lock.row.compare.join(u", "_s)));
        }
        for (const QString& sign : {u"]("_s, u"**"_s, u"|--"_s})
            QVERIFY2(!text.contains(sign), qPrintable(sign));
    }

    void noTextHasAPlaceholder_data() { everyShippedFileHasAPage_data(); }

    /// All texts of the window about its locks, for its examples: "{locked_at}" in a file is filled in.
    void noTextHasAPlaceholder()
    {
        QFETCH(QString, id);
        const FrameworkPtr framework = frameworks::catalogue()->find(id);
        QStringList texts{read(frameworkPage(*framework)).text};
        const auto tell = [&texts](const DangerText& text) {
            for (const DangerText::Fact& fact : text.facts)
                texts << fact.value;
            texts << text.title << text.consequences << text.warning << text.vendorCommand << text.vendorNote
                  << text.afterwards;
        };
        for (const FrameworkLock& lock : framework->locks) {
            for (const FrameworkExample& example : lock.examples) {
                const auto match = test::madeMatch(framework->name, lock, true, example.meaning);
                test::SnapshotBuilder s;
                s.session(51, "app").idle();
                s.holds(51, "key", "ExclusiveLock", 60, true, ResourceKind::ApplicationLock);
                s.belongs("key", match);
                if (lock.kind == FrameworkLockKind::Row)
                    s.entry(qPrintable(example.meaning), "").of(match, "app.locks", "app01");
                const SnapshotPtr snapshot = s.take();
                texts << detailOf(snapshot->sessions.front().key(), *snapshot, {}).toPlainText();
                tell(describeEnd(snapshot->sessions.front(), snapshot.get(), snapshot->takenAt));
                for (const LockTableEntry& entry : snapshot->entries) {
                    texts << detailOf(LockTableKey{entry.table, entry.name}, *snapshot, {}).toPlainText();
                    tell(describeRelease(entry, snapshot.get(), snapshot->takenAt));
                }
            }
        }
        static const QRegularExpression placeholder(u"[{][A-Za-z_][^{}]*[}]"_s);
        for (const QString& text : std::as_const(texts)) {
            const auto found = placeholder.match(text);
            QVERIFY2(!found.hasMatch(), qPrintable(found.captured() + u" in: "_s + text));
        }
    }

    void whatAFileSaysIsNeverMarkup()
    {
        const Framework framework = made(nasty);
        const Reading plain = read(frameworkPage(made(u"word"_s)));
        const Reading page = read(frameworkPage(framework));
        QVERIFY(page.pictures.isEmpty());
        QCOMPARE(page.links, plain.links);
        QCOMPARE(page.headings, plain.headings);
        // Word for word, wherever it stands.
        const QString shown = nasty.simplified();
        QString expected = plain.text;
        QVERIFY(expected.count(u"word"_s) > 15);
        QCOMPARE(page.text.simplified().count(shown), expected.count(u"word"_s));
        frameworks::Catalogue catalogue;
        catalogue.frameworks = {std::make_shared<Framework>(framework)};
        catalogue.errors = {{nasty, nasty}};
        const Reading list = read(frameworkIndexPage(catalogue, nasty));
        QVERIFY(list.pictures.isEmpty());
        for (const QString& link : list.links)
            QVERIFY2(link.endsWith(u".md"_s) || link.endsWith(u"schema.json"_s), qPrintable(link));
        QVERIFY(list.text.simplified().count(shown) >= 5);
    }

    void onlyAddressesOfTheWebAreLinks()
    {
        const Reading page = read(frameworkPage(made(u"word"_s)));
        QStringList elsewhere;
        for (const QString& link : page.links) {
            if (!link.endsWith(u".md"_s))
                elsewhere << link;
        }
        QVERIFY2(elsewhere.contains(u"https://good.example/a?b=c"_s), qPrintable(elsewhere.join(u' ')));
        for (const QString& link : elsewhere)
            QVERIFY2(link.startsWith(u"https://good.example/"_s) || link.startsWith(u"https://x.example/"_s),
                qPrintable(link));
        QVERIFY(page.text.contains(u"javascript:alert(1)"_s));
    }

    void plainMarkdownShowsExactlyWhatItGot_data()
    {
        QTest::addColumn<QString>("text");
        for (const QString& text :
            {nasty, u"1. first"_s, u"- item"_s, u"+ item"_s, u"> quote"_s, u"# head"_s, u"a_b_c __x__"_s,
                u"    code"_s, u"|---|"_s, u"<https://x.example>"_s, u"[a]: http://x.example"_s,
                u"4.1 to 12"_s, u"---"_s, u"=== "_s, u"\"{schema}\".\"{table}\""_s, u"~~~"_s, u"&#60;"_s,
                u"(?<host>[^#( ]+)(#[^(]*)?"_s, u"größer – “so”"_s})
            test::row(qPrintable(text.left(20)), text);
    }
    void plainMarkdownShowsExactlyWhatItGot()
    {
        QFETCH(QString, text);
        const Reading reading = read(plainMarkdown(text));
        QCOMPARE(reading.text.trimmed(), text.simplified());
        QVERIFY(reading.links.isEmpty() && reading.pictures.isEmpty());
        QCOMPARE(reading.headings, 0);
        // Behind a heading's sign and in a table, too.
        QCOMPARE(read(u"# "_s + plainMarkdown(text)).text.trimmed(), text.simplified());
        const Reading table = read(u"| a | b |\n|---|---|\n| %1 | c |\n"_s.arg(plainMarkdown(text)));
        VERIFY_CONTAINS(table.text, text.simplified());
    }

    void theListNamesAllAndWhatIsWrong()
    {
        frameworks::Catalogue catalogue = *frameworks::catalogue();
        const Reading good = read(frameworkIndexPage(catalogue, u"/home/ann/frameworks"_s));
        for (const FrameworkPtr& framework : catalogue.frameworks) {
            QVERIFY2(good.text.contains(framework->name), qPrintable(framework->name));
            QVERIFY(good.links.contains(frameworkChapter(framework->id)));
        }
        QVERIFY(good.text.contains(u"/home/ann/frameworks"_s));
        QVERIFY(!good.text.contains(u"can't be read"_s));
        QVERIFY(frameworkFaults(catalogue).isEmpty());
        catalogue.errors = {{u"mine.json"_s, u"mine.json:12: there is no column"_s}};
        const Reading bad = read(frameworkIndexPage(catalogue, u"/f"_s));
        QVERIFY(bad.text.contains(u"mine.json:12: there is no column"_s));
        QVERIFY(frameworkFaults(catalogue).contains(u"mine.json:12: there is no column"_s));
        catalogue.errors << frameworks::FileError{u"b.json"_s, u"b.json:1: no JSON"_s};
        QVERIFY(frameworkFaults(catalogue).startsWith(u"2 framework files"_s));
    }

    void theWindowShowsThemBelowTheList()
    {
        QSettings settings(test::freshPath(u"s.ini"_s), QSettings::IniFormat);
        HelpWindow window(settings);
        frameworks::Catalogue catalogue;
        for (const char* name : {"Liquibase", "Prisma"}) {
            const auto match = test::madeMatch(QLatin1String(name),
                QLatin1String(name) == u"Prisma" ? test::prismaLock() : test::liquibaseLock());
            catalogue.frameworks.push_back(match->definition);
        }
        window.setFrameworks(catalogue, u"/f"_s);
        window.open(frameworkChapter(u"prisma"_s));
        QCOMPARE(window.browser().target(), u"framework-prisma.md"_s);
        const auto* contents = window.findChild<QTreeWidget*>(u"helpContents"_s);
        QCOMPARE(contents->currentItem()->text(0), u"Prisma"_s);
        QVERIFY(contents->currentItem()->parent());
        QVERIFY(contents->currentItem()->parent()->isExpanded());
        test::keepPicture(window, u"framework-help"_s);
        // Links lead from page to page, and back to the chapter.
        window.open(ownpages::frameworks);
        test::keepPicture(window, u"framework-help-list"_s);
        window.browser().anchorClicked(QUrl(frameworkChapter(u"liquibase"_s)));
        QCOMPARE(window.browser().target(), u"framework-liquibase.md"_s);
        window.browser().anchorClicked(QUrl(u"frameworks.md"_s));
        QCOMPARE(window.browser().target(), u"frameworks.md"_s);
        // The search of the manual finds what stands in the files.
        const auto hits = window.manual().search(u"liquibase release-locks"_s);
        QVERIFY(std::ranges::any_of(
            hits, [](const Manual::Hit& hit) { return hit.target.startsWith(u"framework-liquibase.md"_s); }));
        // The schema of the format can be read there.
        window.browser().anchorClicked(QUrl(u"../frameworks/framework.schema.json"_s));
        QVERIFY(window.browser().toPlainText().contains(u"Locks that a framework keeps in databases"_s));
    }

    void idsBecomeNamesOfPages()
    {
        QCOMPARE(frameworkChapter(u"ef-core2"_s), u"framework-ef-core2.md"_s);
        QSet<QString> names;
        for (const QString& id : {u"a b"_s, u"a/b"_s, u"a#b"_s, u"A b"_s, u"a_20b"_s, u"ä"_s}) {
            const QString name = frameworkChapter(id);
            QVERIFY2(QUrl(u"qrc:/resources/help/"_s + name).fileName() == name, qPrintable(name));
            QVERIFY2(!names.contains(name), qPrintable(name));
            names.insert(name);
        }
    }

    void aKeyIsReportedWithAllThatMakesIt()
    {
        FrameworkLock lock = test::prismaLock();
        KeyFormula formula; // as Rails makes it
        formula.hash = KeyFormula::Hash::Crc32;
        formula.text = u"{database}"_s;
        formula.multiply = 2'053'462'845;
        lock.keys.front().parts = {formula};
        const QString message = recognitionText(lock);
        VERIFY_CONTAINS(message, u"the number the CRC-32 of the name of the database times 2053462845"_s);
    }

    void attachedTablesAreWrittenAndReadInTheField_data()
    {
        QTest::addColumn<QString>("text");
        test::row("old", "dbo.Locks(Name,SetTime) local stale 5m");
        test::row("holder", "locks(name,at) holder who");
        test::row("ends", "locks(name,at) until ends");
        test::row("held", "locks(name,at) held state=running, or so");
        test::row("all", "a.locks(name,at) local stale 90s holder who until ends held state=1");
        test::row("two", "a(n,t) held s=1; b(n,t) holder who");
    }
    void attachedTablesAreWrittenAndReadInTheField()
    {
        QFETCH(QString, text);
        const auto tables = attachedFromText(text);
        QVERIFY2(tables, qPrintable(text));
        QString again = attachedText(*tables);
        QCOMPARE(again.replace(u"1m30s"_s, u"90s"_s), text);
        if (text.contains(u"held state"_s))
            QCOMPARE(tables->first().heldColumn, u"state"_s);
        QVERIFY(!attachedFromText(u"locks(name,at) holder"_s));
        QVERIFY(!attachedFromText(u"locks(name,at) held state"_s));
    }

    void anAttachedTableBecomesAFile_data()
    {
        test::addColumns<db::AttachedTable, QString>("table", "frees");
        db::AttachedTable table{.schema = u"jobs"_s,
            .table = u"Running Jobs"_s,
            .nameColumn = u"job"_s,
            .timeColumn = u"since"_s,
            .utc = false,
            .staleAge = milliseconds(90'000)};
        test::row("name and time", table, "delete");
        table.holderColumn = u"who"_s;
        table.expiresColumn = u"until"_s;
        table.staleAge = milliseconds(600'000);
        test::row("holder and end", table, "delete");
        table.heldColumn = u"locked"_s;
        table.heldValue = u"true"_s;
        test::row("a truth value", table, "update");
        table.heldValue = u"1"_s;
        test::row("a number", table, "update");
        // No text of a row that is not running is known.
        table.heldValue = u"running"_s;
        test::row("a word", table, "never");
    }
    void anAttachedTableBecomesAFile()
    {
        FETCH(const db::AttachedTable, table, const QString, frees);
        const QByteArray file = attachedAsFile(table, Engine::SqlServer);
        QCOMPARE(attachedFileName(table), u"running-jobs.json"_s);
        const auto read = frameworks::readFrameworkFile(attachedFileName(table), file);
        VERIFY_DONE(read);
        const FrameworkRow& row = read->locks.front().row;
        QVERIFY(file.contains('"' + frees.toUtf8() + '"'));
        QCOMPARE(row.mayBeFreed, frees != u"never");
        QCOMPARE(row.update.empty(), frees != u"update");
        QCOMPARE(row.since->column, u"since"_s);
        QCOMPARE(row.since->clocks.value(Engine::SqlServer), FrameworkClock::Server);
        QCOMPARE(row.expires->after, table.expiresColumn.isEmpty() ? table.staleAge : milliseconds(0));
        QCOMPARE(row.holder, table.holderColumn);
        QVERIFY(row.compare.contains(u"job"_s) && row.compare.contains(u"since"_s));
        QCOMPARE(row.held.size(), size_t(table.heldColumn.isEmpty() ? 0 : 1));
    }

    void aKnownTableIsRecognised()
    {
        const QStringList columns{u"ID"_s, u"LOCKED"_s, u"LOCKGRANTED"_s, u"LOCKEDBY"_s};
        const FrameworkPtr known =
            frameworkOf(u"app"_s, u"DATABASECHANGELOGLOCK"_s, columns, Engine::Postgres);
        QVERIFY(known);
        QCOMPARE(known->id, u"liquibase"_s);
        QVERIFY(!frameworkOf(u"app"_s, u"databasechangeloglock"_s, {u"id"_s}, Engine::Postgres));
        QVERIFY(!frameworkOf(u"app"_s, u"locks"_s, {u"name"_s, u"at"_s}, Engine::Postgres));
    }
};

LOCKSCOPE_TEST(tst_FrameworkPages)

} // namespace tst_FrameworkPages
#include "tst_FrameworkPages.moc"
