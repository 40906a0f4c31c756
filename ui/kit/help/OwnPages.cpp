// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/OwnPages.h"

#include "ui/kit/widgets/KeyAction.h"

#include <QSqlDatabase>
#include <QSysInfo>
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

} // namespace lockscope::ui
