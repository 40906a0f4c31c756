// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Resource.h"

namespace lockscope {

using namespace Qt::StringLiterals;

QString resourceKindName(ResourceKind kind)
{
    switch (kind) {
    case ResourceKind::Unknown:
        break;
    case ResourceKind::Database:
        return u"database"_s;
    case ResourceKind::Relation:
        return u"table"_s;
    case ResourceKind::Extend:
        return u"file extension"_s;
    case ResourceKind::Page:
        return u"page"_s;
    case ResourceKind::Row:
        return u"row"_s;
    case ResourceKind::TransactionId:
        return u"transaction"_s;
    case ResourceKind::VirtualTransaction:
        return u"virtual transaction"_s;
    case ResourceKind::SpeculativeToken:
        return u"speculative insert"_s;
    case ResourceKind::Object:
        return u"object"_s;
    case ResourceKind::UserLock:
        return u"user lock"_s;
    case ResourceKind::ApplicationLock:
        return u"application lock"_s;
    case ResourceKind::LockTableName:
        return u"lock-table name"_s;
    case ResourceKind::Metadata:
        return u"metadata"_s;
    case ResourceKind::File:
        return u"file"_s;
    case ResourceKind::AllocationUnit:
        return u"allocation unit"_s;
    case ResourceKind::SafeSnapshot:
        return u"safe snapshot"_s;
    }
    return u"unknown"_s;
}

size_t qHash(const ResourceKey& key, size_t seed) noexcept
{
    return qHashMulti(seed, static_cast<quint8>(key.kind), key.database, key.entity, key.part, key.text);
}

} // namespace lockscope
