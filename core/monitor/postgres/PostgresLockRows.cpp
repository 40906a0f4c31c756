// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresLockRows.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

namespace heldColumn {
enum {
    LockType,
    Database,
    Relation,
    Page,
    Tuple,
    VirtualXid,
    TransactionId,
    ClassId,
    ObjectId,
    ObjectSubId,
    VirtualTransaction,
    Pid,
    Mode,
    Granted,
    WaitStart,
};
}

/// A type that came after us: all that it says about itself, so that equal things stay equal.
QString unknownText(const db::Row& row)
{
    static constexpr std::pair<int, const char16_t*> columns[] = {{heldColumn::Relation, u"relation"},
        {heldColumn::Page, u"page"}, {heldColumn::Tuple, u"tuple"},
        {heldColumn::VirtualXid, u"virtual transaction"}, {heldColumn::TransactionId, u"transaction"},
        {heldColumn::ClassId, u"class"}, {heldColumn::ObjectId, u"object"},
        {heldColumn::ObjectSubId, u"part"}};
    QStringList parts{row.text(heldColumn::LockType)};
    for (const auto& [column, label] : columns) {
        if (!row.isNull(column))
            parts << QString::fromUtf16(label) + u' ' + row.text(column);
    }
    return parts.join(u' ');
}

/// "3/45": backend and its local transaction, as one number; 0 outside of a transaction.
quint64 transactionNumber(std::string_view text)
{
    quint64 backend = 0;
    quint64 local = 0;
    quint64* number = &backend;
    for (const char c : text) {
        if (c == '/')
            number = &local;
        else if (c != '-')
            *number = *number * 10 + static_cast<quint64>(c - '0');
    }
    // A prepared transaction has the backend -1.
    return local == 0 ? 0 : (text.starts_with('-') ? ~backend : backend) << 32 | local;
}

} // namespace

ResourceKind resourceKindOf(std::string_view lockType)
{
    // Nearly all rows are of the first few.
    static constexpr std::pair<std::string_view, ResourceKind> kinds[] = {
        {"relation", ResourceKind::Relation}, {"advisory", ResourceKind::ApplicationLock},
        {"transactionid", ResourceKind::TransactionId}, {"virtualxid", ResourceKind::VirtualTransaction},
        {"tuple", ResourceKind::Row}, {"object", ResourceKind::Object}, {"page", ResourceKind::Page},
        {"extend", ResourceKind::Extend}, {"spectoken", ResourceKind::SpeculativeToken},
        {"userlock", ResourceKind::UserLock}, {"frozenid", ResourceKind::Metadata}};
    const auto known = std::find_if(
        std::begin(kinds), std::end(kinds), [&](const auto& kind) { return lockType == kind.first; });
    return known != std::end(kinds) ? known->second : ResourceKind::Unknown;
}

ResourceKey PostgresLockRows::resourceOf(const db::Row& row)
{
    ResourceKey key;
    key.kind = resourceKindOf(utf8(row, heldColumn::LockType));
    key.database = static_cast<quint32>(row.int64(heldColumn::Database));
    const auto number = [&row](int column) { return static_cast<quint64>(row.int64(column)); };
    switch (key.kind) {
    case ResourceKind::Relation:
    case ResourceKind::Extend:
        key.entity = number(heldColumn::Relation);
        break;
    case ResourceKind::Page:
        key.entity = number(heldColumn::Relation);
        key.part = number(heldColumn::Page);
        break;
    case ResourceKind::Row:
        key.entity = number(heldColumn::Relation);
        key.part = number(heldColumn::Page) << 16 | number(heldColumn::Tuple);
        break;
    case ResourceKind::TransactionId:
        key.entity = number(heldColumn::TransactionId);
        break;
    case ResourceKind::VirtualTransaction:
        key.text = row.text(heldColumn::VirtualXid);
        break;
    case ResourceKind::SpeculativeToken:
        key.entity = number(heldColumn::TransactionId);
        key.part = number(heldColumn::ObjectId);
        break;
    case ResourceKind::Object:
        key.entity = number(heldColumn::ClassId);
        key.part = number(heldColumn::ObjectId) << 16 | number(heldColumn::ObjectSubId);
        break;
    case ResourceKind::UserLock:
    case ResourceKind::ApplicationLock:
        key.entity = number(heldColumn::ClassId) << 32 | number(heldColumn::ObjectId);
        key.part = number(heldColumn::ObjectSubId); // 1: one 64-bit key, 2: two of 32 bits
        break;
    case ResourceKind::Metadata:
        key.text = row.text(heldColumn::LockType);
        break;
    default:
        key.text = unknownText(row);
    }
    return key;
}

/// Valid until the next call. Names and numbers, hardly any twice in a row, as texts would cost more than all
/// the rest of a row.
std::string_view PostgresLockRows::utf8(const db::Row& row, int column)
{
    if (const auto at = row.utf8(column))
        return *at;
    m_utf8 = row.text(column).toUtf8();
    return {m_utf8.constData(), static_cast<size_t>(m_utf8.size())};
}

const LockMode& PostgresLockRows::modeOf(std::string_view name)
{
    const auto known =
        std::find_if(m_modes.begin(), m_modes.end(), [&](const auto& mode) { return name == mode.first; });
    if (known != m_modes.end())
        return known->second;
    const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    return m_modes.emplace_back(name, LockMode::fromText(Engine::Postgres, text)).second;
}

void PostgresLockRows::expect(size_t rows)
{
    m_locks.reserve(rows);
    m_index.reserve(static_cast<qsizetype>(rows));
}

void PostgresLockRows::add(const db::Row& row)
{
    const ResourceKey key = resourceOf(row);
    auto resource = m_index.constFind(key);
    if (resource == m_index.cend()) {
        resource = m_index.insert(key, static_cast<quint32>(m_resources.size()));
        m_resources.push_back(key);
    }
    m_locks.push_back({.resource = *resource,
        .session = SessionId{row.int64(heldColumn::Pid)},
        .mode = modeOf(utf8(row, heldColumn::Mode)),
        .transaction = transactionNumber(utf8(row, heldColumn::VirtualTransaction)),
        .waitStart = row.optionalTime(heldColumn::WaitStart),
        .granted = row.boolean(heldColumn::Granted)});
}

void PostgresLockRows::attributePrepared()
{
    QHash<quint64, SessionId> owners;
    for (const DecodedLock& lock : m_locks) {
        const ResourceKey& key = m_resources[lock.resource];
        if (!lock.session.isValid() && lock.granted && key.kind == ResourceKind::TransactionId)
            owners.insert(lock.transaction, SessionId{-static_cast<qint64>(key.entity)});
    }
    for (DecodedLock& lock : m_locks) {
        if (!lock.session.isValid())
            lock.session = owners.value(lock.transaction);
    }
}

} // namespace lockscope::monitor
