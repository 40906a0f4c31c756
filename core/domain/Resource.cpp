// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Resource.h"

#include "core/base/EnumTable.h"

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// Returns where the part begins in "public.orders row (0,7)" or "dbo.orders rows": before the last such
/// word, as the table may have one in its own name. Not positive: nowhere.
qsizetype partBegin(const QString& name)
{
    for (const QStringView all : {u" rows", u" keys", u" pages"})
        if (name.endsWith(all))
            return name.size() - all.size();
    return std::max({name.lastIndexOf(u" row "), name.lastIndexOf(u" key "), name.lastIndexOf(u" page ")});
}

TablePart partOfTable(const QString& name)
{
    const qsizetype begin = partBegin(name);
    return begin > 0 ? TablePart{name.left(begin), name.mid(begin + 1)} : TablePart();
}

/// SQL Server's transactions name what they have locked: "dbo.orders key (…) and 2 more (transaction 1:2)".
TablePart partOfTransaction(const QString& name)
{
    const qsizetype end = name.lastIndexOf(u" (transaction ");
    if (end < 0)
        return {};
    const QString locked = name.left(end);
    const qsizetype others = locked.endsWith(u" more") ? locked.lastIndexOf(u" and ") : -1;
    return partOfTable(others < 0 ? locked : locked.left(others));
}

} // namespace

QString TablePart::name() const
{
    return table.isEmpty() || part.isEmpty() ? table + part : table + u' ' + part;
}

TablePart TablePart::of(ResourceKind kind, const QString& name)
{
    switch (kind) {
    case ResourceKind::Relation:
        return {name, {}};
    case ResourceKind::Row:
    case ResourceKind::Page:
        return partOfTable(name);
    case ResourceKind::TransactionId:
        return partOfTransaction(name);
    default:
        return {};
    }
}

QString resourceKindName(ResourceKind kind)
{
    static constexpr EnumTable<ResourceKind> names(
        {u"unknown", u"database", u"table", u"file extension", u"page", u"row", u"transaction",
            u"virtual transaction", u"speculative insert", u"object", u"user lock", u"application lock",
            u"lock-table name", u"metadata", u"file", u"allocation unit", u"safe snapshot"});
    return names[kind].toString();
}

size_t qHash(const ResourceKey& key, size_t seed) noexcept
{
    const quint64 place = static_cast<quint64>(key.database) << 8 | static_cast<quint8>(key.kind);
    const size_t hash = qHashMulti(seed, place, key.entity, key.part);
    return key.text.isEmpty() ? hash : qHash(key.text, hash); // hardly any has a text
}

} // namespace lockscope
