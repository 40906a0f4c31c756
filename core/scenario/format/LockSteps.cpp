// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The steps that take locks and packets of a queue: the other part of ProgramReader.

#include "core/domain/Engine.h"
#include "core/locks/LockStrategy.h"
#include "core/scenario/format/ProgramReader.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

AcquireStep ProgramReader::acquireStep(const JsonNode& node)
{
    AcquireStep act;
    if (!m_check.isObject(node,
            {u"kind"_s, u"name"_s, u"mode"_s, u"owner"_s, u"wait_ms"_s, u"lease_ms"_s, u"as"_s,
                u"fencing_into"_s, u"otherwise"_s}))
        return act;
    using locks::AcquireMode;
    using locks::LockKind;
    static const QMap<QString, LockKind> kinds{{u"table"_s, LockKind::Table},
        {u"app"_s, LockKind::Application}, {u"locked-table"_s, LockKind::LockedTable},
        {u"locked-key"_s, LockKind::LockedKey}};
    static const QMap<QString, AcquireMode> modes{{u"exclusive"_s, AcquireMode::Exclusive},
        {u"shared"_s, AcquireMode::Shared}, {u"update"_s, AcquireMode::Update},
        {u"intent-shared"_s, AcquireMode::IntentShared},
        {u"intent-exclusive"_s, AcquireMode::IntentExclusive}};
    if (const JsonNode* kind = m_check.need(node, u"kind"_s))
        act.kind = kinds.value(m_check.word(*kind, kinds.keys()));
    if (const JsonNode* mode = node.find(u"mode"))
        act.mode = modes.value(m_check.word(*mode, modes.keys()), AcquireMode::Exclusive);
    const bool isSurrogate = act.kind == LockKind::LockedTable || act.kind == LockKind::LockedKey;
    act.owner = isSurrogate ? LockOwner::Transaction : LockOwner::Session;
    if (const JsonNode* owner = node.find(u"owner")) {
        const bool byTransaction = m_check.word(*owner, {u"session"_s, u"transaction"_s}) == u"transaction";
        if (byTransaction != isSurrogate && act.kind != LockKind::Application)
            m_check.note(*owner, u"Such a lock can't belong to that."_s,
                isSurrogate ? u"transaction"_s : u"session"_s);
        act.owner = byTransaction ? LockOwner::Transaction : LockOwner::Session;
    }
    if (const JsonNode* name = m_check.need(node, u"name"_s)) {
        act.name = nameTemplate(*name);
        if (act.kind == LockKind::LockedTable && !act.name.isFixed())
            m_check.note(*name, u"Locked tables are made before the run; their names can't hold values."_s,
                u"a fixed name, or the kind locked-key"_s);
    }
    act.waitMs = checkedAmount(node, u"wait_ms"_s, -1, -1);
    act.leaseMs = checkedAmount(node, u"lease_ms"_s, 600'000, 1);
    act.as = m_check.optionalName(node, u"as"_s, u"lock"_s);
    act.fencingInto = m_check.optionalName(node, u"fencing_into"_s);
    checkAcquire(node, act);
    return act;
}

/// Refuses what the strategies would refuse.
void ProgramReader::checkAcquire(const JsonNode& node, const AcquireStep& act)
{
    using locks::LockKind;
    const auto at = [&node](QStringView key) -> const JsonNode& {
        const JsonNode* const found = node.find(key);
        return found ? *found : node;
    };
    const bool isTable = act.kind == LockKind::Table;
    const bool isPlain = act.mode == locks::AcquireMode::Exclusive || act.mode == locks::AcquireMode::Shared;
    for (const Engine engine : m_engines) {
        const db::Dialect& dialect = db::Dialect::of(engine);
        if (!dialect.can(locks::capabilityFor(act.kind)))
            m_check.note(at(u"kind"), u"%1 has no such locks."_s.arg(engineName(engine)),
                u"the kind table, or \"engines\" of the variant without %1"_s.arg(engineKey(engine)));
        else if (act.kind == LockKind::Application && !isPlain
            && !dialect.can(db::Capability::UpdateAndIntentModes))
            m_check.note(
                at(u"mode"), u"%1 has no such mode."_s.arg(engineName(engine)), u"exclusive or shared"_s);
    }
    if (act.kind != LockKind::Application && act.mode != locks::AcquireMode::Exclusive)
        m_check.note(at(u"mode"), u"Such a lock can't be shared."_s, u"exclusive, or the kind app"_s);
    if (!isTable && !act.fencingInto.isEmpty())
        m_check.note(
            at(u"fencing_into"), u"Only the lock table gives numbers for fencing."_s, u"the kind table"_s);
    if (isTable && m_isInTransaction)
        m_check.note(node, u"An entry of the lock table can't be taken in a transaction."_s,
            u"this step before \"begin\""_s);
    if (act.owner == LockOwner::Transaction && !m_isInTransaction)
        m_check.note(node, u"Such a lock belongs to a transaction, and none is open here."_s,
            u"\"begin\" before it"_s);
}

TakeStep ProgramReader::takeStep(const JsonNode& node)
{
    TakeStep act;
    if (!m_check.isObject(node,
            {u"table"_s, u"key"_s, u"order"_s, u"stamp"_s, u"clock"_s, u"packet"_s, u"redeliver_ms"_s,
                u"into"_s}))
        return act;
    act.queue.table = m_check.neededName(node, u"table"_s);
    act.queue.keyColumn = m_check.optionalName(node, u"key"_s, act.queue.keyColumn);
    act.queue.orderColumn = m_check.optionalName(node, u"order"_s);
    act.queue.stampColumn = m_check.neededName(node, u"stamp"_s);
    if (const JsonNode* clock = node.find(u"clock")) {
        const QString word = m_check.word(*clock, {u"utc"_s, u"zone"_s, u"local"_s});
        act.queue.clock = word == u"zone" ? locks::QueueTable::Clock::WithZone
            : word == u"local"            ? locks::QueueTable::Clock::Local
                                          : locks::QueueTable::Clock::Utc;
    }
    act.packet = checkedAmount(node, u"packet"_s, 10, 1);
    act.redeliverMs = checkedAmount(node, u"redeliver_ms"_s, 60'000, 1);
    act.into = m_check.neededName(node, u"into"_s);
    return act;
}

} // namespace lockscope::scenario
