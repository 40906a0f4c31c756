// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordedLock.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

QString Sightings::toString() const
{
    return polls == 0 ? QString() : u"%1 of %2"_s.arg(seen).arg(polls);
}

Sightings sightingsOf(qint64 polls, qint64 doubt)
{
    return {polls - doubt / 2, polls, (doubt & 1) == 0};
}

qint64 doubtOf(const Sightings& sightings)
{
    return (sightings.polls - sightings.seen) * 2 + (sightings.proven ? 0 : 1);
}

bool RecordedLock::isLockTableName() const
{
    return kind == resourceKindName(ResourceKind::LockTableName);
}

bool RecordedLock::isTransaction() const
{
    return kind == resourceKindName(ResourceKind::TransactionId)
        || kind == resourceKindName(ResourceKind::VirtualTransaction);
}

bool RecordedLock::isPartOfTable() const
{
    return kind == resourceKindName(ResourceKind::Row) || kind == resourceKindName(ResourceKind::Page);
}

RecordedLock RecordedLock::group() const
{
    if (!isTransaction() && !isPartOfTable())
        return *this;
    // On SQL Server a transaction stands for the rows that it has locked.
    const QString of = table();
    const QString summedUp = isTransaction() && !of.isEmpty() ? resourceKindName(ResourceKind::Row) : kind;
    const QString all = isTransaction() && of.isEmpty() ? u"transactions"_s : summedUp + u's';
    return {.kind = summedUp, .database = database, .name = TablePart{of, all}.name()};
}

QString RecordedLock::table() const
{
    for (const ResourceKind each :
        {ResourceKind::Relation, ResourceKind::Row, ResourceKind::Page, ResourceKind::TransactionId}) {
        if (kind == resourceKindName(each))
            return TablePart::of(each, name).table;
    }
    return {};
}

QString RecordedLock::key() const
{
    const QStringList parts{
        kind, database, identity, isLockTableName() || identity.isEmpty() ? name : QString()};
    return parts.join(QChar(0x1f));
}

RecordedLock recordedLock(const Resource& resource)
{
    const ResourceKey& key = resource.key;
    QString identity = u"%1:%2:%3"_s.arg(key.database).arg(key.entity).arg(key.part);
    if (!key.text.isEmpty())
        identity += u':' + key.text;
    return {.kind = resourceKindName(key.kind),
        .database = u""_s + resource.database,
        .identity = identity,
        .name = u""_s + resource.name};
}

RecordedLock recordedLock(const LockTableKey& key)
{
    return {.kind = resourceKindName(ResourceKind::LockTableName),
        .database = u""_s,
        .identity = u""_s + key.table,
        .name = u""_s + key.name};
}

bool excludes(Engine engine, const QString& held, const QString& requested)
{
    if (held.isEmpty() || requested.isEmpty())
        return true;
    return !LockMode::fromText(engine, held).compatibleWith(LockMode::fromText(engine, requested));
}

QString RecordedParty::title() const
{
    QStringList parts;
    if (session.isValid())
        parts << QString::number(session.value);
    if (const QString& who = program.isEmpty() ? user : program; !who.isEmpty())
        parts << who;
    return parts.isEmpty() ? u"somebody"_s : parts.join(u' ');
}

} // namespace lockscope::record
