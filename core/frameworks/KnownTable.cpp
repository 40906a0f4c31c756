// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/KnownTable.h"

#include <algorithm>

namespace lockscope::frameworks {

namespace {

/// '*' stands for any text.
bool fits(const QString& wanted, QStringView text)
{
    if (!wanted.contains(u'*')) // as most are, of thousands of tables
        return text.compare(wanted, Qt::CaseInsensitive) == 0;
    const auto pieces = QStringView(wanted).split(u'*');
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

bool fitsAny(const QStringList& wanted, const QString& text)
{
    return wanted.isEmpty()
        || std::any_of(wanted.begin(), wanted.end(), [&text](const QString& one) { return fits(one, text); });
}

} // namespace

QString KnownTable::fullName() const
{
    return schema.isEmpty() ? table : schema + u'.' + table;
}

bool isNamedLike(const FrameworkTable& wanted, const QString& schema, const QString& table)
{
    return fitsAny(wanted.names, table) && fitsAny(wanted.schemas, schema);
}

bool isTable(const FrameworkTable& wanted, const KnownTable& found)
{
    const auto has = [&found](const QString& column) {
        return found.columns.contains(column, Qt::CaseInsensitive);
    };
    return isNamedLike(wanted, found.schema, found.table)
        && std::all_of(wanted.columns.begin(), wanted.columns.end(), has)
        && std::none_of(wanted.without.begin(), wanted.without.end(), has);
}

} // namespace lockscope::frameworks
