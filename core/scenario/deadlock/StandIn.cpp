// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/deadlock/StandIn.h"

#include "core/base/EnumTable.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxLabelLength = 80;

/// The way in which each engine locks a table so. "{schema}.thing1" is SQL Server's name of the stand-in.
struct TableLock {
    QLatin1StringView postgres; ///< LOCK TABLE … IN … MODE
    QLatin1StringView sqlServer; ///< a statement, %1 is the table
    QLatin1StringView mode; ///< for people
};
// SQL Server: "Table hints (Transact-SQL)". It has no statement that keeps an intent, update or schema lock
// of a whole table; what comes next to it is taken, and said.
constexpr auto readsRow = "SELECT count(*) FROM %1 WITH (REPEATABLEREAD, ROWLOCK) WHERE id = 0"_L1;
constexpr auto readsAlone = "SELECT count(*) FROM %1 WITH (TABLOCKX, HOLDLOCK)"_L1;
constexpr EnumTable<Strength, TableLock> tableLocks({
    {"ACCESS SHARE"_L1, readsRow, "for reading its form"_L1},
    {"ROW SHARE"_L1, readsRow, "to read rows"_L1},
    {"ROW EXCLUSIVE"_L1, "UPDATE %1 SET n = n WHERE id = 0"_L1, "to change rows"_L1},
    {"SHARE"_L1, "SELECT count(*) FROM %1 WITH (TABLOCK, HOLDLOCK)"_L1, "shared"_L1},
    {"SHARE UPDATE EXCLUSIVE"_L1, readsAlone, "for update"_L1},
    {"SHARE ROW EXCLUSIVE"_L1, readsAlone, "shared, to change rows"_L1},
    {"EXCLUSIVE"_L1, readsAlone, "exclusively"_L1},
    {"ACCESS EXCLUSIVE"_L1, readsAlone, "to change its form"_L1},
});

constexpr quint8 bits(std::initializer_list<Strength> strengths)
{
    unsigned all = 0;
    for (const Strength each : strengths)
        all |= 1U << unsigned(each);
    return quint8(all);
}
/// The strengths that each strength of a table's lock keeps out, in their order. PostgreSQL: "Table-Level
/// Locks"; SQL Server: "Lock compatibility". S and IX each keep something out that the other lets in.
constexpr EnumTable<Strength, quint8> conflicts({
    bits({Strength::SchemaChange}),
    bits({Strength::Exclusive, Strength::SchemaChange}),
    bits({Strength::Shared, Strength::SharedIntentExclusive, Strength::Exclusive, Strength::SchemaChange}),
    bits({Strength::IntentExclusive, Strength::Update, Strength::SharedIntentExclusive, Strength::Exclusive,
        Strength::SchemaChange}),
    bits({Strength::Shared, Strength::Update, Strength::SharedIntentExclusive, Strength::Exclusive,
        Strength::SchemaChange}),
    bits({Strength::IntentExclusive, Strength::Shared, Strength::Update, Strength::SharedIntentExclusive,
        Strength::Exclusive, Strength::SchemaChange}),
    bits({Strength::IntentShared, Strength::IntentExclusive, Strength::Shared, Strength::Update,
        Strength::SharedIntentExclusive, Strength::Exclusive, Strength::SchemaChange}),
    0xff,
});
bool meet(Strength one, Strength other)
{
    return (conflicts[one] >> unsigned(other) & 1U) != 0;
}
bool isWeaker(Strength one, Strength other)
{
    return std::popcount(conflicts[one]) < std::popcount(conflicts[other]);
}

/// Reduces the strength for a row, where only reading, reading to write, and writing differ.
Strength ofRow(Strength strength)
{
    switch (strength) {
    case Strength::SchemaStability:
    case Strength::IntentShared:
    case Strength::Shared:
        return Strength::Shared;
    case Strength::Update:
        return Strength::Update;
    default:
        return Strength::Exclusive;
    }
}

struct ModeName {
    QLatin1StringView name;
    Strength strength;
};
constexpr std::array sqlServerModes{ModeName{"SCH-S"_L1, Strength::SchemaStability},
    ModeName{"SCH-M"_L1, Strength::SchemaChange}, ModeName{"IS"_L1, Strength::IntentShared},
    ModeName{"IX"_L1, Strength::IntentExclusive}, ModeName{"IU"_L1, Strength::IntentExclusive},
    ModeName{"SIX"_L1, Strength::SharedIntentExclusive}, ModeName{"SIU"_L1, Strength::Shared},
    ModeName{"UIX"_L1, Strength::SharedIntentExclusive}, ModeName{"S"_L1, Strength::Shared},
    ModeName{"U"_L1, Strength::Update}, ModeName{"X"_L1, Strength::Exclusive},
    ModeName{"BU"_L1, Strength::SharedIntentExclusive}};
constexpr std::array postgresModes{ModeName{"ACCESSSHARELOCK"_L1, Strength::SchemaStability},
    ModeName{"ROWSHARELOCK"_L1, Strength::IntentShared},
    ModeName{"ROWEXCLUSIVELOCK"_L1, Strength::IntentExclusive},
    ModeName{"SHAREUPDATEEXCLUSIVELOCK"_L1, Strength::Update}, ModeName{"SHARELOCK"_L1, Strength::Shared},
    ModeName{"SHAREROWEXCLUSIVELOCK"_L1, Strength::SharedIntentExclusive},
    ModeName{"EXCLUSIVELOCK"_L1, Strength::Exclusive},
    ModeName{"ACCESSEXCLUSIVELOCK"_L1, Strength::SchemaChange}};

template <size_t Count>
std::optional<Strength> strengthIn(const std::array<ModeName, Count>& modes, const QString& text)
{
    const auto found =
        std::ranges::find_if(modes, [&text](const ModeName& mode) { return text == mode.name; });
    return found == modes.end() ? std::nullopt : std::optional(found->strength);
}

QString nameOfTable(int number)
{
    return u"thing%1"_s.arg(number);
}

/// The same statement for both engines but for the table's name and the hints.
QJsonObject lockingStep(
    const QString& label, const QString& postgres, const QString& sqlServer, const QStringList& touches)
{
    return {{u"sql"_s, QJsonObject{{u"postgres"_s, postgres}, {u"sqlserver"_s, sqlServer}}},
        {u"label"_s, label}, {u"takes_lock"_s, true}, {u"touches"_s, QJsonArray::fromStringList(touches)}};
}

} // namespace

QString plain(const QString& name)
{
    QString text = name.simplified();
    text.removeIf([](QChar c) { return !c.isPrint(); });
    return text.size() > maxLabelLength ? text.left(maxLabelLength - 1) + u'…' : text;
}

StandIns::StandIns(const deadlock::Deadlock& deadlock)
    : m_deadlock(deadlock)
{
}

void StandIns::leaveOut(const QString& sentence)
{
    if (!m_leftOut.contains(sentence))
        m_leftOut << sentence;
}

StandIns::Kind StandIns::kindOf(const deadlock::LockedThing& resource)
{
    switch (resource.kind) {
    case ResourceKind::ApplicationLock:
    case ResourceKind::UserLock:
        return Kind::ApplicationLock;
    case ResourceKind::Row:
    case ResourceKind::TransactionId:
        return Kind::Row;
    case ResourceKind::Relation:
        return Kind::Table;
    case ResourceKind::Page:
        leaveOut(u"Locks of pages are shown as locks of one row."_s);
        return Kind::Row;
    default:
        if (resource.isTransaction)
            return Kind::Row;
        leaveOut(u"Other things than rows, tables and application locks are shown as application locks."_s);
        return Kind::ApplicationLock;
    }
}

Strength StandIns::strengthOf(const deadlock::LockedThing& resource, const QString& mode)
{
    if (resource.isTransaction)
        return Strength::Exclusive; // the maker says what else it may be
    QString text = mode.toUpper();
    if (text.startsWith("RANGE"_L1)) {
        leaveOut(u"Locks of ranges are shown as locks of one row."_s);
        text = text.section(u'-', 1);
        if (text == "N"_L1)
            text = u"X"_s;
    }
    const auto known = m_deadlock.report->engine == Engine::Postgres ? strengthIn(postgresModes, text)
                                                                     : strengthIn(sqlServerModes, text);
    if (m_deadlock.report->engine == Engine::SqlServer) {
        if (text == "U"_L1)
            leaveOut(
                u"PostgreSQL has no lock like U, which lets shared locks in: the nearest stronger one is taken there."_s);
        else if (text == "BU"_L1 || text == "SIU"_L1 || text == "UIX"_L1)
            leaveOut(u"PostgreSQL has no lock like %1: the nearest stronger one is taken there."_s.arg(text));
    }
    if (!known)
        leaveOut(mode.isEmpty() ? u"Where the report names no mode, the lock is taken exclusively."_s
                                : u"A mode that is not known is taken exclusively: %1."_s.arg(plain(mode)));
    return known.value_or(Strength::Exclusive);
}

int StandIns::tableNumber(const QString& name)
{
    const qsizetype known = m_tables.indexOf(name);
    if (known >= 0)
        return int(known) + 1;
    m_tables << name;
    return int(m_tables.size());
}

Need StandIns::need(int resource, const QString& mode)
{
    const deadlock::LockedThing& thing = m_deadlock.resource(resource);
    const auto known =
        std::ranges::find_if(m_things, [resource](const Thing& each) { return each.resource == resource; });
    const auto place = int(known - m_things.begin());
    if (known == m_things.end()) {
        Thing made;
        made.resource = resource;
        made.kind = kindOf(thing);
        // Tables that only have a number, or not even that, are different ones.
        if (made.kind != Kind::ApplicationLock)
            made.table = tableNumber(thing.table.isEmpty() ? u"resource "_s + thing.key : thing.table);
        made.row = place + 1;
        made.label = plain(thing.name);
        m_things.push_back(made);
    }
    const Kind kind = m_things[size_t(place)].kind;
    Strength strength = strengthOf(thing, mode);
    if (kind == Kind::Row)
        return {place, ofRow(strength), mode.startsWith("RANGE"_L1, Qt::CaseInsensitive)};
    if (kind == Kind::ApplicationLock)
        return {place, ofRow(strength) == Strength::Shared ? Strength::Shared : Strength::Exclusive};
    // SQL Server's U of a table keeps intents to change out, PostgreSQL's lock of that strength lets them in.
    if (strength == Strength::Update && m_deadlock.report->engine == Engine::SqlServer)
        strength = Strength::SharedIntentExclusive;
    const bool isNextTo = strength == Strength::SchemaStability || strength == Strength::Update
        || strength == Strength::SharedIntentExclusive || strength == Strength::SchemaChange;
    if (isNextTo && m_deadlock.report->engine == Engine::SqlServer)
        leaveOut(
            u"On SQL Server no statement keeps a table locked in every mode; the nearest stronger one is taken there."_s);
    return {place, strength};
}

int StandIns::commonRow()
{
    const auto known = std::ranges::find_if(m_things, [](const Thing& each) { return each.resource < 0; });
    if (known != m_things.end())
        return int(known - m_things.begin());
    const auto place = int(m_things.size());
    m_things.push_back({.resource = -1,
        .kind = Kind::Row,
        .table = tableNumber(u"common row"_s),
        .row = place + 1,
        .label = u"the row that all lock"_s});
    return place;
}

std::vector<Strength> StandIns::heldThatFit(int resource, const QString& requested, bool isShared)
{
    std::vector<Strength> fit;
    const Need need = this->need(resource, requested);
    if (m_things[size_t(need.place)].kind != Kind::Table)
        return fit;
    for (const Strength each : enumerators<Strength>)
        if (meet(each, need.strength) && !(isShared && meet(each, each)))
            fit.push_back(each);
    std::ranges::stable_sort(fit, isWeaker);
    return fit;
}

Strength StandIns::joined(int place, Strength one, Strength other) const
{
    if (m_things[size_t(place)].kind != Kind::Table)
        return std::max(one, other);
    const quint8 all = conflicts[one] | conflicts[other];
    Strength joined = Strength::SchemaChange;
    for (const Strength each : enumerators<Strength>)
        if ((conflicts[each] & all) == all && isWeaker(each, joined))
            joined = each;
    return joined;
}

int StandIns::meeting(const Need& one, const Need& other) const
{
    if (one.place != other.place)
        return 0;
    if (m_things[size_t(one.place)].kind == Kind::Table)
        return meet(one.strength, other.strength) ? 1 : 0;
    constexpr int strengths = 8;
    return 1 + int(one.strength) * strengths + int(other.strength);
}

QString StandIns::modeText(Strength strength)
{
    return tableLocks[strength].mode;
}

/// Names what a statement on it can meet: its row, or its table with all rows.
QStringList StandIns::reachOf(int place) const
{
    const Thing& thing = m_things[size_t(place)];
    const QString table = nameOfTable(thing.table);
    const auto nameOf = [&table](const Thing& row) { return u"%1 row %2"_s.arg(table).arg(row.row); };
    if (thing.kind == Kind::Row)
        return {nameOf(thing)};
    QStringList names{table};
    for (const Thing& other : m_things)
        if (other.kind == Kind::Row && other.table == thing.table)
            names << nameOf(other);
    return names;
}

bool StandIns::isSameTable(int a, int b) const
{
    const Thing& first = m_things[size_t(a)];
    const Thing& second = m_things[size_t(b)];
    return first.kind == Kind::Row && second.kind == Kind::Row && first.table == second.table;
}

QJsonObject StandIns::setup() const
{
    QJsonArray postgres;
    QJsonArray sqlServer;
    for (int number = 1; number <= m_tables.size(); ++number) {
        const QString name = nameOfTable(number);
        QStringList rows;
        for (const Thing& thing : m_things)
            if (thing.kind == Kind::Row && thing.table == number)
                rows << u"(%1, 0)"_s.arg(thing.row);
        const QString columns = u"(id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL)"_s;
        postgres << u"CREATE TABLE %1 %2"_s.arg(name, columns);
        sqlServer << u"CREATE TABLE {schema}.%1 %2"_s.arg(name, columns);
        if (!rows.isEmpty()) {
            postgres << u"INSERT INTO %1 VALUES %2"_s.arg(name, rows.join(u", "_s));
            sqlServer << u"INSERT INTO {schema}.%1 VALUES %2"_s.arg(name, rows.join(u", "_s));
        }
    }
    return {{u"postgres"_s, postgres}, {u"sqlserver"_s, sqlServer}};
}

QJsonObject StandIns::step(const Need& need) const
{
    const Thing& thing = m_things[size_t(need.place)];
    const QString table = nameOfTable(thing.table);
    if (thing.kind == Kind::ApplicationLock)
        return {{u"acquire"_s,
                    QJsonObject{{u"kind"_s, u"app"_s}, {u"name"_s, u"lock/%1"_s.arg(need.place + 1)},
                        {u"mode"_s, need.strength == Strength::Shared ? u"shared"_s : u"exclusive"_s},
                        {u"owner"_s, u"transaction"_s}, {u"as"_s, u"lock%1"_s.arg(need.place + 1)}}},
            {u"label"_s, u"lock %1"_s.arg(thing.label)}};
    if (thing.kind == Kind::Table) {
        const TableLock& lock = tableLocks[need.strength];
        return lockingStep(u"lock %1 %2"_s.arg(thing.label, lock.mode),
            u"LOCK TABLE %1 IN %2 MODE"_s.arg(table, lock.postgres),
            QString(lock.sqlServer).arg(u"{schema}."_s + table), reachOf(need.place));
    }
    switch (need.strength) {
    case Strength::Shared:
        return lockingStep(u"read %1, and keep it as it is"_s.arg(thing.label),
            u"SELECT n FROM %1 WHERE id = %2 FOR SHARE"_s.arg(table).arg(thing.row),
            u"SELECT n FROM {schema}.%1 WITH (REPEATABLEREAD, ROWLOCK) WHERE id = %2"_s.arg(table).arg(
                thing.row),
            reachOf(need.place));
    case Strength::Update:
        return lockingStep(u"read %1 to change it"_s.arg(thing.label),
            u"SELECT n FROM %1 WHERE id = %2 FOR NO KEY UPDATE"_s.arg(table).arg(thing.row),
            u"SELECT n FROM {schema}.%1 WITH (UPDLOCK, ROWLOCK) WHERE id = %2"_s.arg(table).arg(thing.row),
            reachOf(need.place));
    default:
        return lockingStep(u"change %1"_s.arg(thing.label),
            u"UPDATE %1 SET n = n + 1 WHERE id = %2"_s.arg(table).arg(thing.row),
            u"UPDATE {schema}.%1 WITH (ROWLOCK) SET n = n + 1 WHERE id = %2"_s.arg(table).arg(thing.row),
            reachOf(need.place));
    }
}

QJsonObject StandIns::oneStatement(const std::vector<Need>& needs) const
{
    const QString table = nameOfTable(m_things[size_t(needs.front().place)].table);
    QStringList rows;
    QStringList reach;
    for (const Need& need : needs) {
        rows << QString::number(m_things[size_t(need.place)].row);
        reach << reachOf(need.place);
    }
    const QString list = rows.join(u", "_s);
    // Each engine locks the rows in the order in which it finds them: here that of the key.
    return lockingStep(u"change all rows at once, in the order of the key"_s,
        u"WITH locked AS MATERIALIZED (SELECT id FROM %1 WHERE id IN (%2) ORDER BY id FOR UPDATE) UPDATE %1 AS t SET n = n + 1 FROM locked WHERE t.id = locked.id"_s
            .arg(table, list),
        u"UPDATE {schema}.%1 WITH (ROWLOCK) SET n = n + 1 WHERE id IN (%2)"_s.arg(table, list), reach);
}

QJsonObject StandIns::readWithoutLock(int place) const
{
    const Thing& thing = m_things[size_t(place)];
    return {{u"sql"_s,
                QJsonObject{{u"postgres"_s,
                    u"SELECT n FROM %1 WHERE id = %2"_s.arg(nameOfTable(thing.table)).arg(thing.row)}}},
        {u"label"_s, u"read %1 as it was last committed"_s.arg(thing.label)},
        {u"touches"_s, QJsonArray::fromStringList(reachOf(place))}};
}

} // namespace lockscope::scenario
