// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockJson.h"

#include "core/deadlock/Family.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/Words.h"
#include "core/domain/PerEngine.h"

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

template <class Number> QJsonValue numberOrNull(const std::optional<Number>& number)
{
    return number ? QJsonValue(qint64(*number)) : QJsonValue();
}

template <class List, class Make> QJsonArray arrayOf(const List& list, Make make)
{
    QJsonArray array;
    for (const auto& each : list)
        array.append(make(each));
    return array;
}

QJsonObject participantJson(const Participant& one)
{
    return {{u"key"_s, one.key},
        {u"session"_s, one.session.isValid() ? QJsonValue(one.session.value) : QJsonValue()},
        {u"thread"_s, numberOrNull(one.thread)}, {u"user"_s, one.user}, {u"program"_s, one.program},
        {u"host"_s, one.host}, {u"database"_s, one.database}, {u"isolation"_s, one.isolation},
        {u"state"_s, one.state}, {u"log_used_bytes"_s, numberOrNull(one.logUsed)},
        {u"priority"_s, numberOrNull(one.priority)},
        {u"waited_ms"_s, one.waited ? QJsonValue(qint64(one.waited->count())) : QJsonValue()},
        {u"wait_resource"_s, one.waitResource}, {u"transaction"_s, one.transaction},
        {u"transaction_started"_s, one.transactionStarted.told}, {u"batch_started"_s, one.batchStarted.told},
        {u"open_transactions"_s, numberOrNull(one.openTransactions)}, {u"statement"_s, one.statement},
        {u"input_buffer"_s, one.inputBuffer},
        {u"frames"_s,
            arrayOf(one.frames,
                [](const Frame& frame) {
                    return QJsonObject{{u"procedure"_s, frame.procedure}, {u"line"_s, frame.line},
                        {u"statement"_s, frame.statement}, {u"native"_s, frame.isNative}};
                })},
        {u"listed"_s, one.isListed}};
}

QJsonObject thingJson(const LockedThing& thing)
{
    return {{u"element"_s, thing.element}, {u"kind"_s, resourceKindName(thing.kind)}, {u"name"_s, thing.name},
        {u"database"_s, thing.database}, {u"table"_s, thing.table}, {u"index"_s, thing.index},
        {u"part"_s, thing.part}, {u"mode"_s, thing.mode}, {u"is_lock"_s, thing.isLock}};
}

QJsonObject edgeJson(const Edge& edge)
{
    return {{u"participant"_s, edge.participant}, {u"resource"_s, edge.resource},
        {u"kind"_s, edge.kind == Edge::Kind::Holds ? u"holds"_s : u"awaits"_s}, {u"mode"_s, edge.mode},
        {u"converts"_s, edge.converts}, {u"among_owners"_s, edge.isAmongOwners},
        {u"implied"_s, edge.isImplied}};
}

QJsonObject linkJson(const Link& link)
{
    return {{u"waiter"_s, link.waiter}, {u"blocker"_s, link.blocker}, {u"resource"_s, link.resource},
        {u"awaited"_s, link.awaited}, {u"held"_s, link.held}, {u"converts"_s, link.converts},
        {u"queue"_s, link.isQueue}};
}

QJsonObject deadlockJson(const Deadlock& deadlock)
{
    return {{u"family"_s, familyOf(deadlock)}, {u"title"_s, familyTitle(deadlock)},
        {u"summary"_s, summaryOf(deadlock)}, {u"links"_s, arrayOf(deadlock.cycle().links, linkJson)},
        {u"victims"_s, arrayOf(deadlock.cycle().victims, [](int victim) { return victim; })},
        {u"tables"_s, QJsonArray::fromStringList(deadlock.tables())},
        {u"sequence"_s, QJsonArray::fromStringList(sequenceOf(deadlock))},
        {u"findings"_s, arrayOf(findingsOf(deadlock), [](const Finding& finding) {
             return QJsonObject{{u"id"_s, finding.id}, {u"certainty"_s, certaintyName(finding.certainty)},
                 {u"says"_s, finding.says}, {u"rests_on"_s, finding.restsOn},
                 {u"would_prove"_s, finding.wouldProve}, {u"hedge"_s, finding.hedge}};
         })}};
}

} // namespace

QJsonObject toJson(const ReportPtr& report)
{
    static const PerEngine<QString> engines{u"postgres"_s, u"sqlserver"_s, u"sqlite"_s};
    const QString kind = report->kind == ReportKind::Blocked ? u"blocked"_s
        : report->kind == ReportKind::Live                   ? u"live"_s
                                                             : u"deadlock"_s;
    return {{u"format"_s, deadlockJsonFormat}, {u"kind"_s, kind}, {u"engine"_s, engines[report->engine]},
        {u"source"_s,
            QJsonObject{{u"place"_s, report->source.place},
                {u"form"_s, sourceFormatName(report->source.format)}, {u"line"_s, report->source.position},
                {u"event"_s, report->source.eventKey}}},
        {u"time"_s, report->time.at ? QJsonValue(report->time.at->toIsoString()) : QJsonValue()},
        {u"time_zone_known"_s, report->time.isZoneKnown},
        {u"participants"_s, arrayOf(report->participants, participantJson)},
        {u"resources"_s, arrayOf(report->resources, thingJson)},
        {u"edges"_s, arrayOf(report->edges, edgeJson)},
        {u"deadlocks"_s, arrayOf(deadlocksOf(report), deadlockJson)},
        {u"victims"_s, arrayOf(report->victims, [](int victim) { return victim; })},
        {u"complaints"_s, QJsonArray::fromStringList(report->complaints)}, {u"raw"_s, report->raw}};
}

} // namespace lockscope::deadlock
