// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Resource.h"

namespace lockscope {

QString resourceKindName(ResourceKind kind)
{
    static constexpr QStringView names[] = {u"unknown", u"database", u"table", u"file extension", u"page",
        u"row", u"transaction", u"virtual transaction", u"speculative insert", u"object", u"user lock",
        u"application lock", u"lock-table name", u"metadata", u"file", u"allocation unit", u"safe snapshot"};
    static_assert(std::size(names) == size_t(ResourceKind::SafeSnapshot) + 1);
    return names[size_t(kind)].toString();
}

size_t qHash(const ResourceKey& key, size_t seed) noexcept
{
    return qHashMulti(seed, static_cast<quint8>(key.kind), key.database, key.entity, key.part, key.text);
}

} // namespace lockscope
