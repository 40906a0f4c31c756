// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/OwnPages.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/FrameworkText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QSqlDatabase>
#include <QSysInfo>
#include <QUrl>
#include <QWidget>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Escapes a bar, which parts cells in a table, and a backslash, a star …, which would be markup.
QString manualCell(const QString& text)
{
    QString safe;
    for (const QChar c : text) {
        if (u"\\|*_`<[#+-"_s.contains(c))
            safe += u'\\';
        safe += c;
    }
    return safe;
}

void collect(const QObject& place, QList<KeyGroup>& groups)
{
    for (const QAction* action : place.findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (action->shortcuts().isEmpty())
            continue;
        QString what = action->text();
        const KeyRow row{QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                             .replace(u"; "_s, u", "_s),
            what.remove(u'&')};
        const QString name = keyGroupOf(*action);
        auto group = std::ranges::find(groups, name, &KeyGroup::name);
        if (group == groups.end())
            group = groups.insert(groups.end(), {name, {}});
        if (!group->rows.contains(row))
            group->rows.append(row);
    }
    for (const QObject* child : place.children())
        collect(*child, groups);
}

} // namespace

QList<KeyGroup> keysOf(const QList<const QWidget*>& windows)
{
    QList<KeyGroup> groups;
    for (const QWidget* window : windows)
        collect(*window, groups);
    return groups;
}

QString keysPage(const QList<KeyGroup>& groups)
{
    QString page = u"# Keys\n\n"_s;
    for (const KeyGroup& group : groups) {
        page += u"## %1\n\n| Keys | What they do |\n|---|---|\n"_s.arg(group.name);
        for (const KeyRow& row : group.rows)
            page += u"| **%1** | %2 |\n"_s.arg(manualCell(row.keys), manualCell(row.what));
        page += u'\n';
    }
    return page;
}

QString aboutPage()
{
    return u"# About Lockscope\n\n"
           "Lockscope %1 shows who holds which database lock, who waits, since when, and who blocks whom; and lets the right person free a stuck one.\n\n"
           "## What runs here\n\n"
           "| What | Which |\n|---|---|\n"
           "| Lockscope | %1 |\n| Qt | %2, built with %3 |\n| Qt's database drivers | %4 |\n"
           "| System | %5, %6 |\n\n"
           "## Licences\n\n"
           "Copyright 2026 The Lockscope authors. The window is free software under the GNU General Public License, version 3 or later, without any warranty; the library that programs take locks with, its SQL and this manual are under the MIT licence. The texts of both are in the folder LICENSES of the source, "
           "and come with the package.\n\n"
           "It is built with Qt and Qt Charts (GPL 3), QtKeychain (BSD), libpq (PostgreSQL licence), SQLite (public domain), unixODBC (LGPL) and tl::expected (CC0).\n"_s
               .arg(QStringLiteral(LOCKSCOPE_VERSION), QLatin1String(qVersion()),
                   QStringLiteral(QT_VERSION_STR), manualCell(QSqlDatabase::drivers().join(u", "_s)),
                   manualCell(QSysInfo::prettyProductName()), manualCell(QSysInfo::currentCpuArchitecture()));
}

namespace {

/// A paragraph that says what it is about; nothing for nothing.
QString paragraph(const QString& about, const QString& text)
{
    return text.isEmpty() ? QString() : u"**%1** %2\n\n"_s.arg(about, text);
}

/// Links addresses that a browser may be given; others are shown only.
QString linksText(const QString& about, const QStringList& addresses)
{
    if (addresses.isEmpty())
        return {};
    QString text = u"%1:\n\n"_s.arg(about);
    for (const QString& address : addresses) {
        const QUrl url(address, QUrl::StrictMode);
        const QString encoded = QString::fromLatin1(url.toEncoded());
        const bool isLink = url.isValid() && url.scheme() == u"https"_s && url.userInfo().isEmpty()
            && !encoded.contains(u'<') && !encoded.contains(u'>');
        text += isLink ? u"* <%1>\n"_s.arg(encoded) : u"* %1\n"_s.arg(plainMarkdown(address));
    }
    return text + u'\n';
}

QString freeingText(const FrameworkLock& lock)
{
    if (lock.kind == FrameworkLockKind::Row) {
        if (!lock.row.mayBeFreed)
            return u"Not from here: the row must not be touched."_s;
        return sentences(
            {u"*Release…* on the page [Lock table](lock-table.md)"_s, plainMarkdown(changeText(lock.row)),
                u"Only if these columns still say what was shown: %1"_s.arg(
                    plainMarkdown(lock.row.compare.join(u", "_s)))});
    }
    return lock.inTransaction
        ? u"It ends with its transaction. *End session…* on the page [Locks](locks.md) ends exactly that session; what it has not committed is rolled back, and its other locks are free, too."_s
        : u"*End session…* on the page [Locks](locks.md) ends exactly the session that holds it; its other locks are free then, too."_s;
}

/// "migrate"; "migrate (PostgreSQL)" where the framework has another lock of that name on other servers only,
/// else by its kind, and if that does not tell them apart, by what the file calls it.
QString headingOf(const FrameworkLock& lock, const Framework& framework)
{
    bool isAlone = true;
    bool isOfOtherEngines = true;
    bool isOfOtherKind = true;
    for (const FrameworkLock& other : framework.locks) {
        if (&other == &lock || other.name != lock.name)
            continue;
        isAlone = false;
        isOfOtherKind = isOfOtherKind && other.kind != lock.kind;
        for (const Engine engine : lock.engines)
            isOfOtherEngines = isOfOtherEngines && !other.engines.contains(engine);
    }
    if (isAlone)
        return lock.name;
    return u"%1 (%2)"_s.arg(lock.name,
        isOfOtherEngines    ? enginesText(lock.engines)
            : isOfOtherKind ? frameworkLockKindName(lock.kind)
                            : lock.id);
}

QString lockText(const FrameworkLock& lock, const Framework& framework)
{
    QString text = u"## %1\n\n"_s.arg(plainMarkdown(headingOf(lock, framework)));
    text += u"%1; %2.\n\n"_s.arg(kindText(lock.kind), plainMarkdown(enginesText(lock.engines)));
    text += paragraph(u"Purpose."_s, plainMarkdown(lock.purpose));
    text += paragraph(u"When it ends."_s, plainMarkdown(lock.ends));
    text += paragraph(u"How it is recognised."_s, plainMarkdown(recognitionText(lock)));
    if (lock.kind == FrameworkLockKind::Row)
        text += paragraph(u"Columns of the row."_s, plainMarkdown(rowText(lock.row)));
    text += paragraph(u"Danger."_s, plainMarkdown(lock.danger));
    text += paragraph(u"How to free it."_s, freeingText(lock));
    if (!lock.vendorCommand.isEmpty())
        text += paragraph(u"Its own way."_s,
            sentences({plainMarkdown(lock.vendorCommand), plainMarkdown(lock.vendorNote)}));
    return text;
}

} // namespace

QString frameworkChapter(const QString& id)
{
    QString name;
    for (const QChar c : id) {
        const bool isPlain = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'-';
        name += isPlain ? QString(c) : u"_%1"_s.arg(c.unicode(), 0, 16);
    }
    return u"framework-%1.md"_s.arg(name);
}

QString frameworkChapter(const FrameworkMatch& match)
{
    return match.isAttached() ? u"languages.md#a-lock-table-that-was-there-before"_s
                              : frameworkChapter(match.framework);
}

QString frameworkPage(const Framework& framework)
{
    QString page = u"# %1\n\n"_s.arg(plainMarkdown(framework.name));
    page += plainMarkdown(framework.about) + u"\n\n"_s;
    if (!framework.isBuiltIn)
        page +=
            u"This comes from a file of your own, %1.\n\n"_s.arg(plainMarkdown(framework.id + u".json"_s));
    page += paragraph(u"Versions."_s, plainMarkdown(framework.versions));
    for (const FrameworkLock& lock : framework.locks)
        page += lockText(lock, framework);
    if (!framework.notes.isEmpty() || !framework.sources.isEmpty() || !framework.issues.isEmpty()) {
        page += u"## More about %1\n\n"_s.arg(plainMarkdown(framework.name));
        if (!framework.notes.isEmpty())
            page += plainMarkdown(framework.notes) + u"\n\n"_s;
        page += linksText(u"Where this was read"_s, framework.sources);
        page += linksText(u"Reports of users"_s, framework.issues);
    }
    page +=
        u"How locks are recognised, and how far that can be trusted: [Locks of frameworks](frameworks.md). [All frameworks whose locks are known](known-frameworks.md).\n"_s;
    return page;
}

QString frameworkIndexPage(const frameworks::Catalogue& catalogue, const QString& folder)
{
    QString page = u"# Frameworks whose locks are known\n\n"_s;
    page +=
        u"How their locks are recognised, what is certain and what is not, and how they are freed: [Locks of frameworks](frameworks.md). The search above finds them by name, table and column.\n\n"_s;
    if (!catalogue.errors.isEmpty()) {
        page +=
            u"## Files that can't be read\n\nThe others count. These don't, until they are put right and Lockscope is started again:\n\n"_s;
        for (const frameworks::FileError& error : catalogue.errors)
            for (const QString& fault : error.text.split(u'\n'))
                page += u"* %1\n"_s.arg(
                    plainMarkdown(fault.contains(error.file) ? fault : u"%1: %2"_s.arg(error.file, fault)));
        page += u'\n';
    }
    page += u"## By name\n\n| Framework | Its locks | What it is |\n|---|---|---|\n"_s;
    for (const FrameworkPtr& framework : catalogue.frameworks) {
        QStringList locks;
        for (const FrameworkLock& lock : framework->locks)
            if (const QString name = plainMarkdown(lock.name); !locks.contains(name))
                locks << name;
        page += u"| [%1](%2) | %3 | %4 |\n"_s.arg(plainMarkdown(framework->name),
            frameworkChapter(framework->id), locks.join(u", "_s), plainMarkdown(framework->about));
    }
    page +=
        u"\n## Files of your own\n\nThey go to the folder %1; what must stand in them says [the format](../frameworks/framework.schema.json). They are read when Lockscope starts.\n"_s
            .arg(plainMarkdown(folder));
    return page;
}

QString frameworkFaults(const frameworks::Catalogue& catalogue)
{
    if (catalogue.errors.isEmpty())
        return {};
    const QString first = inOneLine(catalogue.errors.first().text);
    return catalogue.errors.size() == 1
        ? u"A framework file can't be read: %1"_s.arg(first)
        : u"%1 framework files can't be read. The first: %2"_s.arg(catalogue.errors.size()).arg(first);
}

} // namespace lockscope::ui
