// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotJson.h"

#include "core/base/EnumTable.h"
#include "core/domain/Engine.h"
#include "core/domain/HolderLife.h"

#include <QJsonDocument>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

QString word(RequestState state)
{
    static constexpr EnumTable<RequestState> words({u"granted", u"waiting", u"converting"});
    return words[state].toString();
}

QString word(LockOwner owner)
{
    static constexpr EnumTable<LockOwner> words({u"transaction", u"session", u"other"});
    return words[owner].toString();
}

QJsonValue number(SessionId session)
{
    return session.isValid() ? QJsonValue(session.value) : QJsonValue();
}

QJsonValue time(ServerTime time)
{
    return time.isValid() ? QJsonValue(time.toIsoString()) : QJsonValue();
}

QJsonValue count(std::optional<qint64> value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

QJsonValue length(std::optional<milliseconds> value)
{
    return value ? QJsonValue(qint64(value->count())) : QJsonValue();
}

QJsonObject workJson(const SessionWork& work)
{
    return {{u"cpu_ms"_s, length(work.cpu)}, {u"logical_reads"_s, count(work.logicalReads)},
        {u"reads"_s, count(work.reads)}, {u"writes"_s, count(work.writes)}};
}

QJsonValue reason(const QString& badRow)
{
    return badRow.isEmpty() ? QJsonValue() : QJsonValue(badRow);
}

QJsonValue frameworkJson(const FrameworkMatchPtr& match)
{
    if (!match)
        return {};
    return QJsonObject{{u"id"_s, match->framework}, {u"lock"_s, match->lock},
        {u"framework"_s, match->frameworkName}, {u"name"_s, match->name}, {u"certain"_s, match->certain},
        {u"evidence"_s, match->evidence}};
}

QJsonObject lifeJson(const HolderLife& life)
{
    return {{u"verdict"_s, verdictName(life.verdict)},
        {u"evidence"_s, QJsonArray::fromStringList(life.evidence)}, {u"overturned_by"_s, life.overturnedBy}};
}

QJsonArray storedJson(const QStringList& values)
{
    QJsonArray array;
    for (const QString& value : values)
        array.append(value.isNull() ? QJsonValue() : QJsonValue(value));
    return array;
}

QJsonObject partyJson(const LockOwnerInfo& party)
{
    return {{u"owner"_s, party.owner}, {u"host"_s, party.host}, {u"program"_s, party.program},
        {u"process_id"_s, party.processId}, {u"session"_s, number(party.session)}};
}

QJsonObject costJson(const PollCost& cost)
{
    return {{u"round_trip_us"_s, qint64(cost.roundTrip.count())},
        {u"server_us"_s, qint64(cost.server.count())}, {u"client_us"_s, qint64(cost.client.count())},
        {u"round_trips"_s, cost.roundTrips}, {u"rows"_s, cost.rows}};
}

QJsonObject keyJson(const ResourceKey& key)
{
    return {{u"database"_s, QString::number(key.database)}, {u"entity"_s, QString::number(key.entity)},
        {u"part"_s, QString::number(key.part)}, {u"text"_s, key.text}};
}

QJsonObject lockJson(const Snapshot& snapshot, const LockRequest& request, const QJsonArray& blockedBy)
{
    const Resource& resource = snapshot.resourceOf(request);
    const auto age = snapshot.ageOf(request);
    const Session* session = snapshot.session(request.session);
    return {
        {u"session"_s, number(request.session)},
        {u"session_started"_s, time(session ? session->loggedIn() : request.sessionStarted)},
        {u"kind"_s, resourceKindName(resource.key.kind)},
        {u"resource"_s, resource.name},
        {u"database"_s, resource.database},
        {u"key"_s, keyJson(resource.key)},
        {u"mode"_s, request.mode.name()},
        {u"state"_s, word(request.state)},
        {u"granted"_s, !request.isWaiting()},
        {u"owner"_s, word(request.owner)},
        {u"count"_s, qint64(request.count)},
        {u"ordinal"_s, qint64(request.ordinal)},
        {u"since"_s, toJson(request.since)},
        {u"since_exact"_s, request.sinceExact},
        {u"age_ms"_s, age ? QJsonValue(qint64(age->value.count())) : QJsonValue()},
        {u"blocked_by"_s, blockedBy},
        {u"framework"_s, frameworkJson(resource.framework)},
    };
}

/// Takes the fields of a snapshot, name by name.
class Fields {
public:
    virtual void value(const QString& name, const QJsonValue& value) = 0;
    virtual void array(
        const QString& name, size_t count, const std::function<QJsonObject(size_t)>& element) = 0;

protected:
    ~Fields() = default;
};

void tellLocks(const Snapshot& snapshot, Fields& fields)
{
    if (!snapshot.locksRead)
        return; // an empty list would say that there are none
    using Wait = std::pair<qint64, quint32>; // session, resource
    QHash<Wait, QJsonArray> blockers;
    for (const WaitEdge& edge : snapshot.waits)
        blockers[{edge.waiter.value, edge.resource}].append(edge.blocker.value);
    fields.array(u"locks"_s, snapshot.requests.size(), [&](size_t i) {
        const LockRequest& request = snapshot.requests[i];
        // Waits are those of the leader of a parallel group.
        const SessionId waiter = snapshot.leaderOf(request.session);
        return lockJson(snapshot, request,
            request.isWaiting() ? blockers.value({waiter.value, request.resource}) : QJsonArray());
    });
}

QJsonObject waitJson(const Snapshot& snapshot, const WaitEdge& edge)
{
    return {{u"waiter"_s, edge.waiter.value}, {u"blocker"_s, edge.blocker.value},
        {u"resource"_s, snapshot.resources[edge.resource].name},
        {u"kind"_s, edge.kind == WaitEdge::Kind::Holder ? u"holder"_s : u"queue"_s}};
}

QJsonObject waiterJson(const LockTableWaiter& waiter, ServerTime now)
{
    return {{u"table"_s, waiter.table}, {u"name"_s, waiter.name}, {u"ticket"_s, waiter.ticket},
        {u"registered_at"_s, time(waiter.registeredAt)}, {u"expires_at"_s, time(waiter.expiresAt)},
        {u"expired"_s, waiter.isExpired(now)}, {u"bad_row"_s, reason(waiter.badRow)},
        {u"waiter"_s, partyJson(waiter.party)}};
}

QJsonObject limitationJson(const Limitation& limitation)
{
    return {{u"kind"_s, limitationKindName(limitation.kind)}, {u"what"_s, limitation.what},
        {u"remedy"_s, limitation.remedy}, {u"shown"_s, limitation.shown}, {u"total"_s, limitation.total}};
}

QJsonObject unreadJson(const UnreadTable& table)
{
    return {{u"framework"_s, frameworkJson(table.framework)}, {u"schema"_s, table.schema},
        {u"table"_s, table.table}, {u"owner"_s, table.owner}, {u"reason"_s, table.reason},
        {u"can_be_approved"_s, table.canBeApproved}};
}

template <class Row, class ToObject>
void tellRows(Fields& fields, const QString& name, const std::vector<Row>& rows, ToObject toObject)
{
    fields.array(name, rows.size(), [&](size_t i) { return QJsonObject(toObject(rows[i])); });
}

/// Writes the fields in the order in which QJsonObject keeps its names.
void tell(const Snapshot& snapshot, Fields& fields)
{
    const ServerTime now = snapshot.takenAt;
    fields.value(u"cost"_s, costJson(snapshot.cost));
    fields.value(u"engine"_s, engineKey(snapshot.engine));
    tellRows(fields, u"entries"_s, snapshot.entries,
        [now](const LockTableEntry& entry) { return toJson(entry, now); });
    tellRows(fields, u"entry_waiters"_s, snapshot.entryWaiters,
        [now](const LockTableWaiter& waiter) { return waiterJson(waiter, now); });
    fields.value(u"format"_s, snapshotJsonFormat);
    tellRows(fields, u"limitations"_s, snapshot.limitations, limitationJson);
    tellLocks(snapshot, fields);
    fields.value(u"number"_s, qint64(snapshot.number));
    fields.value(u"server"_s, snapshot.server);
    fields.value(u"server_version"_s, snapshot.serverVersion);
    tellRows(
        fields, u"sessions"_s, snapshot.sessions, [](const Session& session) { return toJson(session); });
    fields.value(u"taken_at"_s, time(now));
    tellRows(fields, u"unread_tables"_s, snapshot.unreadTables, unreadJson);
    tellRows(fields, u"waits"_s, snapshot.waits,
        [&snapshot](const WaitEdge& edge) { return waitJson(snapshot, edge); });
}

class AsObject final : public Fields {
public:
    void value(const QString& name, const QJsonValue& value) override { m_object[name] = value; }
    void array(const QString& name, size_t count, const std::function<QJsonObject(size_t)>& element) override
    {
        QJsonArray array;
        for (size_t i = 0; i < count; ++i)
            array.append(element(i));
        m_object[name] = array;
    }
    const QJsonObject& object() const { return m_object; }

private:
    QJsonObject m_object;
};

/// Never has more than one row in memory.
class AsText final : public Fields {
public:
    explicit AsText(const std::function<void(const QByteArray&)>& write)
        : m_write(write)
    {
        m_write("{");
    }
    void value(const QString& name, const QJsonValue& value) override
    {
        const QByteArray inBrackets = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
        begin(name);
        m_write(inBrackets.mid(1).chopped(1));
    }
    void array(const QString& name, size_t count, const std::function<QJsonObject(size_t)>& element) override
    {
        begin(name);
        m_write("[");
        for (size_t i = 0; i < count; ++i)
            m_write((i > 0 ? "," : "") + QJsonDocument(element(i)).toJson(QJsonDocument::Compact));
        m_write("]");
    }
    void end() { m_write("}"); }

private:
    void begin(const QString& name)
    {
        m_write((m_isFirst ? "\"" : ",\"") + name.toLatin1() + "\":");
        m_isFirst = false;
    }

    const std::function<void(const QByteArray&)>& m_write;
    bool m_isFirst = true;
};

} // namespace

QJsonValue toJson(std::optional<ServerTime> at)
{
    return at ? time(*at) : QJsonValue();
}

QJsonObject toJson(const LockTableEntry& entry, ServerTime now)
{
    // For an attached table the name and the time are compared, in this order.
    const bool isAttached = entry.framework && entry.framework->isAttached();
    QJsonObject json{{u"table"_s, entry.table}, {u"name"_s, entry.name}, {u"token"_s, entry.token},
        {u"fencing"_s, entry.fencing}, {u"acquired_at"_s, time(entry.acquiredAt)},
        {u"expires_at"_s, toJson(entry.expiresAt)}, {u"stale"_s, entry.isStale(now)},
        {u"attached"_s, isAttached}, {u"raw_time"_s, isAttached ? entry.stored.value(1) : QString()},
        {u"bad_row"_s, reason(entry.badRow)}, {u"holder"_s, partyJson(entry.party)},
        {u"framework"_s, frameworkJson(entry.framework)}};
    if (entry.isJudged())
        json[u"holder_life"] = lifeJson(entry.holderLife);
    if (!entry.framework)
        return json;
    json[u"stored"] = storedJson(entry.stored);
    json[u"holder_text"] = entry.holderText;
    json[u"heartbeat"] = toJson(entry.heartbeat);
    json[u"depends_on_zone"] = entry.dependsOnZone;
    return json;
}

QJsonObject toJson(const Session& session)
{
    QJsonObject json{{u"id"_s, number(session.id)}, {u"started"_s, time(session.loggedIn())},
        {u"state"_s, sessionStateName(session.state)}, {u"user"_s, session.user},
        {u"database"_s, session.database}, {u"program"_s, session.program}, {u"host"_s, session.host},
        {u"statement"_s, session.statement}, {u"statement_visible"_s, session.statementVisible},
        {u"wait_event"_s, session.waitEvent}, {u"state_since"_s, toJson(session.stateSince)},
        {u"transaction_started"_s, toJson(session.transactionStarted)},
        {u"statement_started"_s, toJson(session.statementStarted)}, {u"leader"_s, number(session.leader)},
        {u"percent_done"_s, session.percentDone ? QJsonValue(*session.percentDone) : QJsonValue()},
        {u"time_left_ms"_s, length(session.timeLeft)}, {u"unit_of_work"_s, session.unitOfWork},
        {u"own"_s, session.own}, {u"system"_s, session.system}};
    json[u"address"] = session.address;
    json[u"isolation"] = session.isolation;
    json[u"open_transactions"] = count(session.openTransactions);
    json[u"transaction_id"] = count(session.transactionId);
    json[u"snapshot_age"] = count(session.snapshotAge);
    json[u"memory_grant_bytes"] = count(session.memoryGrant);
    json[u"log_bytes"] = count(session.logUsed);
    json[u"wait_resource"] = session.waitResource;
    json[u"input_buffer"] = session.inputBuffer;
    json[u"work_since_login"] = workJson(session.workSinceLogin);
    json[u"work_of_statement"] = workJson(session.workOfStatement);
    return json;
}

QJsonObject toJson(const Snapshot& snapshot)
{
    AsObject fields;
    tell(snapshot, fields);
    return fields.object();
}

void writeJson(const Snapshot& snapshot, const std::function<void(const QByteArray&)>& write)
{
    AsText fields(write);
    tell(snapshot, fields);
    fields.end();
}

} // namespace lockscope
