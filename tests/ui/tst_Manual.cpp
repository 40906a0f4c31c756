// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The manual as it is compiled in, and the other documents of the source: every link leads somewhere, and it
// names each command of lockctl.

#include "tests/support/TestProgram.h"
#include "ui/kit/help/HelpBrowser.h"

#include <QMultiHash>
#include <QTextBlock>
#include <QtWidgets>

namespace tst_Manual {

using namespace lockscope;
using namespace lockscope::ui;

struct Links {
    QStringList targets;
    QStringList pictures;
};

/// Returns the links and pictures of `markdown`, as Qt has understood it.
static Links linksOf(const QString& markdown)
{
    QTextDocument document;
    document.setMarkdown(markdown);
    Links links;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextCharFormat format = it.fragment().charFormat();
            if (format.isImageFormat())
                links.pictures << format.toImageFormat().name();
            if (!format.anchorHref().isEmpty())
                links.targets << format.anchorHref();
        }
    }
    return links;
}

/// Returns what lockctl prints for the arguments and --help.
static QString helpOf(const QStringList& arguments)
{
    QProcess lockctl;
    lockctl.start(test::programPath("lockctl"), arguments + QStringList{u"--help"_s});
    return lockctl.waitForFinished() ? QString::fromUtf8(lockctl.readAllStandardOutput()) : QString();
}

static QStringList commandsInHelp()
{
    static const QRegularExpression command(u"^  ([a-z-]+) {2,}"_s, QRegularExpression::MultilineOption);
    QStringList names;
    const QString help = helpOf({});
    for (auto found = command.globalMatch(help); found.hasNext();)
        names << found.next().captured(1);
    return names;
}

/// Returns the words of a man page as they are read, without its macros.
static QString plainRoff(const QString& roff)
{
    static const QRegularExpression macro(u"^[A-Z][a-z]$"_s);
    static const QRegularExpression sign(u"^[,.;:]$"_s);
    QString text;
    for (const QString& line : roff.split(u'\n')) {
        QString close;
        QString dash;
        const bool isCall = line.startsWith(u'.');
        for (const QString& word : line.sliced(isCall ? 1 : 0).split(u' ')) {
            if (isCall && macro.match(word).hasMatch()) {
                dash = word == u"Fl" ? u"-"_s : QString();
                if (word == u"Pq")
                    close = u")"_s;
                text += word == u"Pq" ? u" ("_s : QString();
            } else if (sign.match(word).hasMatch()) {
                text += std::exchange(close, {}) + word;
            } else {
                text += (text.endsWith(u'(') ? QString() : u" "_s) + dash + word;
            }
        }
        text += close;
    }
    return text.simplified();
}

static QStringList anchorsIn(const QString& markdown)
{
    QTextDocument document;
    document.setMarkdown(markdown);
    QStringList anchors = test::textsOf(anchorsOf(document), &HeadingAnchor::anchor);
    return anchors;
}

static QString read(const QString& path)
{
    return QString::fromUtf8(test::contentOf(path));
}

static bool isElsewhere(const QString& link)
{
    return link.startsWith(u"https://"_s) || link.startsWith(u"http://"_s);
}

static QStringList files()
{
    return QDir(Manual::folder()).entryList({u"*.md"_s}, QDir::Files, QDir::Name);
}

static void rowForEachFile()
{
    QTest::addColumn<QString>("id");
    for (const QString& id : files())
        test::row(qPrintable(id), id);
}

/// Why `link`, which stands in the file `from`, leads nowhere; empty if it does.
static QString faultOf(const QString& link, const QString& from)
{
    if (isElsewhere(link))
        return {};
    const QString path = link.section(u'#', 0, 0);
    const QString anchor = link.section(u'#', 1);
    const QString file = path.isEmpty() ? from : QDir::cleanPath(QFileInfo(from).path() + u'/' + path);
    if (!QFile::exists(file))
        return u"no file %1"_s.arg(file);
    if (!anchor.isEmpty() && !anchorsIn(read(file)).contains(anchor))
        return u"no heading %1 in %2, which has %3"_s.arg(anchor, file, anchorsIn(read(file)).join(u", "_s));
    return {};
}

class tst_Manual : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theContentsLeadToEveryPage()
    {
        const QStringList targets = linksOf(read(Manual::folder() + u"index.md"_s)).targets;
        QVERIFY(files().size() > 15);
        for (const QString& id : files())
            QVERIFY2(id == u"index.md" || targets.contains(id), qPrintable(id));
    }

    void everyLinkLeadsSomewhere_data() { rowForEachFile(); }
    void everyLinkLeadsSomewhere()
    {
        QFETCH(QString, id);
        const QString file = Manual::folder() + id;
        const Links links = linksOf(read(file));
        QVERIFY(id != u"index.md" || links.targets.size() > 10);
        for (const QString& link : links.targets)
            QVERIFY2(faultOf(link, file).isEmpty(), qPrintable(link + u": "_s + faultOf(link, file)));
        for (const QString& picture : links.pictures) {
            const QString path = QDir::cleanPath(QFileInfo(file).path() + u'/' + picture);
            QVERIFY2(!QImage(path).isNull(), qPrintable(path));
            QVERIFY2(QFileInfo(path).size() < 300'000, qPrintable(path));
        }
    }

    /// The same links on a hosting site and in an installed folder: they lead to the files of the source
    /// there.
    void theOtherDocumentsLeadSomewhere_data()
    {
        QTest::addColumn<QString>("file");
        const QString source = test::sourcePath();
        for (const QString& name : {u"README.md"_s, u"ARCHITECTURE.md"_s, u"CONTRIBUTING.md"_s})
            test::row(qPrintable(name), source + name);
        for (const QString& id : files())
            test::row(qPrintable(id), source + u"resources/help/"_s + id);
    }
    void theOtherDocumentsLeadSomewhere()
    {
        QFETCH(QString, file);
        const QString markdown = read(file);
        QVERIFY2(!markdown.isEmpty(), qPrintable(file));
        const Links links = linksOf(markdown);
        for (const QString& link : links.targets + links.pictures)
            QVERIFY2(faultOf(link, file).isEmpty(), qPrintable(link + u": "_s + faultOf(link, file)));
    }

    void aLinkToNowhereIsFound()
    {
        const QString file = Manual::folder() + u"index.md"_s;
        QVERIFY(faultOf(u"blocking.md#the-drawing"_s, file).isEmpty());
        QVERIFY(!faultOf(u"blocking.md#the-painting"_s, file).isEmpty());
        QVERIFY(!faultOf(u"nothing.md"_s, file).isEmpty());
    }

    /// One title, and headings that can each be linked to; no markup that was not understood.
    void eachPageIsSoundMarkdown_data() { rowForEachFile(); }
    void eachPageIsSoundMarkdown()
    {
        QFETCH(QString, id);
        const Manual manual;
        const Manual::Chapter* page = manual.page(id);
        QVERIFY(page);
        QCOMPARE(page->sections.front().level, 1);
        QSet<QString> titles;
        for (const Manual::Section& section : page->sections) {
            QVERIFY2(&section == &page->sections.front() || section.level > 1, qPrintable(section.title));
            QVERIFY2(!titles.contains(section.title), qPrintable(section.title));
            titles.insert(section.title);
            for (const QString& sign : {u"]("_s, u"<!--"_s, u"**"_s, u"|--"_s})
                QVERIFY2(!section.text.contains(sign), qPrintable(section.title + u": "_s + sign));
        }
    }

    void searchingFindsSections()
    {
        const Manual manual;
        const QList<Manual::Hit> hits = manual.search(u"  drawing  "_s);
        QVERIFY(!hits.isEmpty());
        QCOMPARE(hits.first().target, u"blocking.md#the-drawing"_s); // in its title: before those in the text
        QCOMPARE(hits.first().title, u"Blocking › The drawing"_s);
        // All of the words, in any order and case; the page's title counts, too.
        const QList<Manual::Hit> both = manual.search(u"PGBOUNCER transaction"_s);
        QVERIFY(!both.isEmpty());
        for (const Manual::Hit& hit : both) {
            const Manual::Chapter* page = manual.page(hit.target.section(u'#', 0, 0));
            QVERIFY(page);
        }
        QVERIFY(both.first().excerpt.contains(u"transaction"_s, Qt::CaseInsensitive));
        QVERIFY(manual.search(u"zebra crossing"_s).isEmpty());
        QVERIFY(manual.search(u" "_s).isEmpty());
    }

    void pagedComesFirst()
    {
        const Manual manual;
        QCOMPARE(manual.pages().at(0).id, u"index.md"_s);
        QCOMPARE(manual.pages().at(1).id, u"paged.md"_s);
    }

    /// A user in a hurry types the first word that comes to mind.
    void otherWordsFindTheTerm_data()
    {
        test::addColumns<QString, QString>("word", "term");
        QTest::addColumn<QString>("page"); // among those found
        test::row("kill", "kill", "end session", "freeing.md");
        test::row("terminate", "Terminate", "end session", "freeing.md");
        test::row("unlock", "unlock", "release", "freeing.md");
        test::row("stuck", "stuck", "waits for", "paged.md");
        test::row("hang", "hang", "blocked by", "paged.md");
        test::row("blocked", "blocked", "waits for", "blocking.md");
        test::row("blocker", "blocker", "head blocker", "blocking.md");
        test::row("spid", "spid", "Sessions", "sessions.md");
        test::row("sp_who2", "sp_who2", "Sessions", "sessions.md");
        test::row("pg_stat_activity", "pg_stat_activity", "Sessions", "sessions.md");
        test::row("pg_blocking_pids", "pg_blocking_pids", "blocked by", "blocking.md");
        test::row("pg_locks", "pg_locks", "Locks", "locks.md");
        test::row("advisory", "advisory", "application lock", "frameworks.md");
        test::row("sp_getapplock", "sp_getapplock", "application lock", "frameworks.md");
        test::row("lock_timeout", "lock_timeout", "lock timeout", "paged.md");
        test::row("1205", "1205", "deadlock", "deadlocks.md");
    }
    void otherWordsFindTheTerm()
    {
        FETCH(QString, word, QString, term, QString, page);
        const Manual manual;
        QVERIFY(manual.withTerms({word}).contains(term));
        QStringList pages;
        for (const Manual::Hit& hit : manual.search(word))
            pages << hit.target.section(u'#', 0, 0);
        QVERIFY2(pages.contains(page), qPrintable(pages.join(u", "_s)));
        QVERIFY(!pages.contains(u"words.md"_s)); // it has them all
        COMPARE_TEXTS(manual.withTerms({u"zebra"_s}), "zebra");
    }

    void wordsOfOtherServersFindThePageForThoseInAHurry()
    {
        const Manual manual;
        for (const QString& text :
            {u"lock wait timeout"_s, u"kill spid"_s, u"sp_who2 blkby"_s, u"hung query"_s}) {
            const QStringList found = test::textsOf(manual.search(text), &Manual::Hit::target);
            QVERIFY2(!found.filter(u"paged.md"_s).empty(), qPrintable(text + u": "_s + found.join(u", "_s)));
        }
    }

    /// Each row of the table says what the operator sees, what it is, and where the action is explained.
    void eachSymptomHasAMeaningAndAnAct()
    {
        const QString page = read(Manual::folder() + u"paged.md"_s);
        const QString index = page.section(u"## Symptoms\n"_s, 1).section(u"\n## "_s, 0, 0);
        const QStringList rows = index.split(u'\n', Qt::SkipEmptyParts);
        QVERIFY(rows.size() > 12);
        QCOMPARE(rows.first(), u"| You see | It is | Do |"_s);
        for (const QString& row : rows.mid(2)) {
            const QStringList cells = row.split(u'|');
            QVERIFY2(cells.size() == 5 && cells[1].size() > 2 && cells[2].size() > 2, qPrintable(row));
            QVERIFY2(row.contains(u"]("_s) || row.contains(u"own time"_s), qPrintable(row));
        }
    }

    /// The manual's table and the help list the same statuses.
    void exitStatusesAreThoseOfLockctl()
    {
        const auto statuses = [](const QString& text, const QString& form) {
            const QRegularExpression status(form, QRegularExpression::MultilineOption);
            QStringList all;
            for (auto found = status.globalMatch(text); found.hasNext();)
                all << found.next().captured(1);
            return all;
        };
        const QString chapter = read(Manual::folder() + u"lockctl.md"_s).section(u"\n## Exit status\n"_s, 1);
        const QStringList inHelp = statuses(helpOf({}), u"^  ([0-9]+(?:\\+n)?) {2,}"_s);
        QCOMPARE(inHelp.size(), 10);
        QCOMPARE(statuses(chapter, u"^\\| ([0-9]+(?:\\+n)?) \\|"_s), inHelp);
    }

    /// The man page may say more of an option than the help, but begins with the same words.
    void theManPageExplainsOptionsAsTheHelp()
    {
        static const QRegularExpression inHelp(
            u"^  (?:-\\w, )?--([a-z-]+)(?: \\S+)*?(?:  +|(?:\\n      \\S+)?\\n {24})(\\S.*(?:\\n {24}.*)*)"_s,
            QRegularExpression::MultilineOption);
        static const QRegularExpression inPage(
            u"^\\.It Fl .*?-([a-z][a-z-]+).*\\n((?:(?!\\.It |\\.El).*\\n)*)"_s,
            QRegularExpression::MultilineOption);
        static const QRegularExpression notInPage(u" Default: .*$|[$`]"_s);
        QMultiHash<QString, QString> meanings;
        for (const QString& name : commandsInHelp()) {
            const QString help = helpOf({name});
            for (auto found = inHelp.globalMatch(help); found.hasNext();) {
                const auto match = found.next();
                meanings.insert(match.captured(1), match.captured(2).simplified().remove(notInPage));
            }
        }
        const QString page = read(test::sourcePath(u"packaging/man/lockctl.1"_s))
                                 .section(u"\nOptions of all commands"_s, 1)
                                 .section(u"\n.Sh "_s, 0, 0);
        int options = 0;
        for (auto found = inPage.globalMatch(page); found.hasNext(); ++options) {
            const auto match = found.next();
            const QString text = plainRoff(match.captured(2));
            QVERIFY2(std::ranges::any_of(meanings.values(match.captured(1)),
                         [&text](const QString& meaning) { return text.startsWith(meaning); }),
                qPrintable(match.captured(1) + u": "_s + text));
        }
        QVERIFY(options >= 28);
    }

    /// tst_ManualCommands runs those that stand there as a whole.
    void eachCommandIsInItsChapter()
    {
        const QStringList commands = commandsInHelp();
        const QString chapter = read(Manual::folder() + u"lockctl.md"_s);
        for (const QString& name : commands)
            QVERIFY2(
                chapter.contains(QRegularExpression(u"`(lockctl )?%1\\b"_s.arg(name))), qPrintable(name));
        QVERIFY(commands.size() >= 13);
    }
};

LOCKSCOPE_TEST(tst_Manual)

} // namespace tst_Manual
#include "tst_Manual.moc"
