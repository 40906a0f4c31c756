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
    const quint64 place = static_cast<quint64>(key.database) << 8 | static_cast<quint8>(key.kind);
    const size_t hash = qHashMulti(seed, place, key.entity, key.part);
    return key.text.isEmpty() ? hash : qHash(key.text, hash); // hardly any has a text
}

} // namespace lockscope
