// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerLockRows.h"

#include "core/monitor/sqlserver/SqlServerResource.h"

#include <QCryptographicHash>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 firstOrphanId = 1'000;

namespace lockColumn {
enum {
    Type,
    Subtype,
    Database,
    Entity,
    Description,
    Partition,
    Mode,
    Status,
    OwnerType,
    Session,
    OwnerId,
    OwnerGuid,
    Address,
    References,
    Count,
    InDetail,
    Total,
};
}

/// A status that the documentation does not list counts as waiting: else a lock would be shown that may not
/// be held.
RequestState requestState(const QString& status)
{
    if (status == u"GRANT"_s || status == u"GRANTED"_s)
        return RequestState::Granted;
    return status.contains(u"CONVERT"_s) ? RequestState::Converting : RequestState::Waiting;
}

LockOwner ownerOf(const QString& type)
{
    if (type == u"TRANSACTION"_s)
        return LockOwner::Transaction;
    return type == u"SESSION"_s ? LockOwner::Session : LockOwner::Other;
}

/// The server gives zeros where no distributed transaction is involved.
bool isNone(QStringView unitOfWork)
{
    return std::all_of(unitOfWork.begin(), unitOfWork.end(), [](QChar c) { return c == u'0' || c == u'-'; });
}

quint32 countOf(qint64 count)
{
    return static_cast<quint32>(std::clamp<qint64>(count, 1, std::numeric_limits<quint32>::max()));
}

} // namespace

SessionId orphanId(const QString& unitOfWork)
{
    const QByteArray hash =
        QCryptographicHash::hash(unitOfWork.toUpper().toUtf8(), QCryptographicHash::Sha256).left(4);
    quint32 number = 0;
    for (const char byte : hash)
        number = number << 8 | static_cast<quint8>(byte);
    return SessionId{-(firstOrphanId + static_cast<qint64>(number & 0x3fffffff))};
}

void SqlServerLockRows::add(const db::Row& row)
{
    const ResourceColumns thing{.type = row.text(lockColumn::Type),
        .subtype = row.text(lockColumn::Subtype),
        .database = row.int64(lockColumn::Database),
        .entity = row.int64(lockColumn::Entity),
        .description = row.text(lockColumn::Description),
        .partition = row.int64(lockColumn::Partition)};
    const ResourceKey key = resourceKey(thing);
    if (const auto underlying = underlyingKey(thing))
        m_underlying[key].push_back(*underlying);
    const qint64 locks = std::max<qint64>(1, row.int64(lockColumn::Count));
    ResourceKey shown = key;
    if (!row.boolean(lockColumn::InDetail) && locks > 1) {
        // Many rows, pages or keys in one: what only one of them has does not name it.
        const bool isHeap = key.kind == ResourceKind::Row && row.text(lockColumn::Type) == u"RID"_s;
        shown.part = 0;
        shown.text = isHeap ? u"RID"_s : row.text(lockColumn::Subtype);
    }
    auto resource = m_index.constFind(shown);
    if (resource == m_index.cend()) {
        resource = m_index.insert(shown, static_cast<quint32>(m_resources.size()));
        m_resources.push_back(shown);
    }
    const QString modeText =
        row.isNull(lockColumn::Mode) ? u"NL"_s : row.text(lockColumn::Mode); // a placeholder without access
    auto mode = m_modes.constFind(modeText);
    if (mode == m_modes.cend())
        mode = m_modes.insert(modeText, LockMode::fromText(Engine::SqlServer, modeText));

    const QString status = row.text(lockColumn::Status);
    DecodedLock lock;
    lock.resource = *resource;
    lock.session = SessionId{row.int64(lockColumn::Session)};
    const QString unitOfWork = row.text(lockColumn::OwnerGuid);
    if (lock.session.value == orphanedSession && !isNone(unitOfWork)) {
        lock.session = orphanId(unitOfWork);
        m_unitsOfWork.insert(lock.session, unitOfWork);
    }
    lock.mode = *mode;
    lock.state = requestState(status);
    lock.lowPriority = status.startsWith(u"LOW_PRIORITY"_s);
    lock.owner = ownerOf(row.text(lockColumn::OwnerType));
    lock.transaction = lock.owner == LockOwner::Transaction ? row.int64(lockColumn::OwnerId) : 0;
    lock.address = row.int64(lockColumn::Address);
    lock.count = countOf(locks > 1 ? locks : row.int64(lockColumn::References));
    m_locks.push_back(lock);
    m_shown += locks;
    m_total = std::max(m_total, row.int64(lockColumn::Total));
}

} // namespace lockscope::monitor
