// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/ValueFilters.h"

#include <QFontMetrics>
#include <QMenu>
#include <QModelIndex>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestValue = 260;

} // namespace

void addValueFilters(QMenu& menu, const QModelIndex& cell, const std::vector<ColumnInfo>& columns,
    const std::function<void(const QString& column, const QString& value, bool excluded)>& chosen)
{
    const auto add = [&](int column, bool excluded) {
        const ColumnInfo& info = columns[static_cast<size_t>(column)];
        const QString value = cell.siblingAtColumn(column).data().toString();
        // An age is another one in a second; line breaks can't be typed into the box.
        if (info.age || value.isEmpty() || value.contains(u'\n'))
            return;
        const QString shown =
            menu.fontMetrics().elidedText(value, Qt::ElideMiddle, widestValue).replace(u'&', u"&&"_s);
        const QString text = excluded ? u"Hide %1 “%2”"_s.arg(info.title.toLower(), shown)
                                      : u"Only %1 “%2”"_s.arg(info.title.toLower(), shown);
        QObject::connect(menu.addAction(text), &QAction::triggered, &menu,
            [chosen, id = info.id, value, excluded] { chosen(id, value, excluded); });
    };
    menu.addSeparator();
    add(cell.column(), false);
    QList<int> hidden{cell.column()};
    for (const QString& id : {u"database"_s, u"user"_s}) {
        if (const int column = columnOf(columns, id); column >= 0 && !hidden.contains(column))
            hidden << column;
    }
    for (const int column : hidden)
        add(column, true);
}

} // namespace lockscope::ui
