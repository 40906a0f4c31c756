// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/KnownTable.h"

#include <algorithm>

namespace lockscope::frameworks {

namespace {

/// '*' stands for any text.
bool fits(const QString& pattern, QStringView text)
{
    if (!pattern.contains(u'*')) // as most are, of thousands of tables
        return text.compare(pattern, Qt::CaseInsensitive) == 0;
    const auto pieces = QStringView(pattern).split(u'*');
    if (!text.startsWith(pieces.first(), Qt::CaseInsensitive))
        return false;
    QStringView rest = text.mid(pieces.first().size());
    for (qsizetype i = 1; i + 1 < pieces.size(); ++i) {
        const qsizetype at = rest.indexOf(pieces[i], 0, Qt::CaseInsensitive);
        if (at < 0)
            return false;
        rest = rest.mid(at + pieces[i].size());
    }
    return rest.endsWith(pieces.last(), Qt::CaseInsensitive);
}

bool fitsAny(const QStringList& patterns, const QString& text)
{
    return patterns.isEmpty() || std::any_of(patterns.begin(), patterns.end(), [&text](const QString& one) {
        return fits(one, text);
    });
}

} // namespace

QString KnownTable::fullName() const
{
    return schema.isEmpty() ? table : schema + u'.' + table;
}

bool isNamedLike(const FrameworkTable& tableRule, const QString& schema, const QString& table)
{
    return fitsAny(tableRule.names, table) && fitsAny(tableRule.schemas, schema);
}

bool isTable(const FrameworkTable& tableRule, const KnownTable& found)
{
    const auto has = [&found](const QString& column) {
        return found.columns.contains(column, Qt::CaseInsensitive);
    };
    return isNamedLike(tableRule, found.schema, found.table)
        && std::all_of(tableRule.columns.begin(), tableRule.columns.end(), has)
        && std::none_of(tableRule.without.begin(), tableRule.without.end(), has);
}

} // namespace lockscope::frameworks
