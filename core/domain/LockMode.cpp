// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockMode.h"

#include "core/domain/Engine.h"

#include <QList>

#include <array>
#include <vector>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

struct ModeText {
    QStringView name;
    QStringView title;
    QStringView meaning;
};

struct ModeTable {
    QStringView exclusive; ///< the modes of an exclusive and of a shared lock
    QStringView shared;
    std::span<const ModeText> texts; ///< weakest first: the position is the code of the mode
    std::vector<quint32> conflicts; ///< bit n: conflicts with mode n
};

// Weakest first, as seen by an operator: first what hardly disturbs anybody, at the end what stops everybody.
constexpr std::array<ModeText, 22> sqlServerTexts{{
    {u"NL", u"None", u"A placeholder: it reserves a place and stops nobody."},
    {u"Sch-S", u"Schema stability",
        u"The table's definition may not change meanwhile; reading and writing go on. Taken while a statement is compiled or runs."},
    {u"IS", u"Intent shared",
        u"Something further down, a page or a row, is being read; others may read and write other parts. Taken on tables and pages before a row is read."},
    {u"IU", u"Intent update",
        u"Something further down is being read in order to change it; nobody else may take the whole for update. Taken on pages."},
    {u"IX", u"Intent exclusive",
        u"Something further down is being changed; others may read and write other parts, but nobody may lock the whole. Taken on tables and pages by INSERT, UPDATE and DELETE."},
    {u"S", u"Shared", u"It is being read; others may read it too, nobody may change it. Taken by SELECT."},
    {u"SIU", u"Shared with intent update",
        u"The whole is being read and a part of it is about to be changed; others may only read. Arises when one transaction takes S and IU."},
    {u"U", u"Update",
        u"It is being read by somebody who is going to change it; others may read it, but only one may hold this. Taken by the search part of UPDATE and by UPDLOCK."},
    {u"SIX", u"Shared with intent exclusive",
        u"The whole is being read and a part of it is being changed; others may only read other parts. Arises when one transaction takes S and IX."},
    {u"UIX", u"Update with intent exclusive",
        u"The whole is reserved for an update and a part of it is being changed; others may only read other parts. Arises when one transaction takes U and IX."},
    {u"BU", u"Bulk update",
        u"Rows are being bulk-loaded; other bulk loads may run beside it, everything else waits. Taken by bulk loads with TABLOCK."},
    {u"X", u"Exclusive",
        u"It is being changed; nobody else may read it (but for row versions and NOLOCK) or change it. Taken by INSERT, UPDATE, DELETE and XLOCK."},
    {u"RangeI-N", u"Insert into range",
        u"Tests whether a new key may be put into the gap before this key; other inserts may do so too, no serializable reader may hold the gap. Taken just before INSERT."},
    {u"RangeS-S", u"Shared range, shared key",
        u"This key and the gap before it are being read: others may read, nobody may insert there or change the key. Taken by reads under SERIALIZABLE."},
    {u"RangeS-U", u"Shared range, update key",
        u"The gap before this key is being read and the key is about to be changed: others may read, nobody may insert there. Taken by updates under SERIALIZABLE."},
    {u"RangeI-S", u"Insert into range, shared key",
        u"A key is being put into the gap while the key itself is being read. Arises when one transaction takes RangeI-N and S."},
    {u"RangeI-U", u"Insert into range, update key",
        u"A key is being put into the gap while the key itself is about to be changed. Arises when one transaction takes RangeI-N and U."},
    {u"RangeI-X", u"Insert into range, exclusive key",
        u"A key is being put into the gap while the key itself is being changed. Arises when one transaction takes RangeI-N and X."},
    {u"RangeX-S", u"Exclusive range, shared key",
        u"The gap before this key is nobody else's, the key may be read by others. Arises when one transaction takes RangeI-N and RangeS-S."},
    {u"RangeX-U", u"Exclusive range, update key",
        u"The gap before this key is nobody else's, the key may be read by others and is about to be changed. Arises when one transaction takes RangeI-N and RangeS-U."},
    {u"RangeX-X", u"Exclusive range, exclusive key",
        u"This key and the gap before it are being changed; nobody else may read or insert there. Taken when a key in a range is changed under SERIALIZABLE."},
    {u"Sch-M", u"Schema modification",
        u"The table's definition is being changed; nobody else may use the table at all, not even with NOLOCK. Taken by ALTER, DROP and TRUNCATE."},
}};

constexpr std::array<ModeText, 8> postgresTexts{{
    {u"AccessShareLock", u"Access share",
        u"The table is being read; everything may go on beside it but changes that need the table alone. Taken by SELECT."},
    {u"RowShareLock", u"Row share",
        u"Rows of the table are being locked; reading and writing of other rows go on. Taken by SELECT … FOR UPDATE and FOR SHARE."},
    {u"RowExclusiveLock", u"Row exclusive",
        u"Rows of the table are being changed; others may read it and change other rows, nobody may freeze the table. Taken by INSERT, UPDATE, DELETE and MERGE."},
    {u"ShareUpdateExclusiveLock", u"Share update exclusive",
        u"Maintenance that only one session at a time may do; reading and writing go on. Taken by VACUUM, ANALYZE, CREATE INDEX CONCURRENTLY and some forms of ALTER TABLE."},
    {u"ShareLock", u"Share",
        u"Nobody may change it, several may hold this at once. Taken by CREATE INDEX, by shared advisory locks, and by sessions that wait for another transaction to end."},
    {u"ShareRowExclusiveLock", u"Share row exclusive",
        u"Nobody else may change the table and only one session may hold this; reading goes on. Taken by CREATE TRIGGER and some forms of ALTER TABLE."},
    {u"ExclusiveLock", u"Exclusive",
        u"Only plain reading may go on beside it. Taken by REFRESH MATERIALIZED VIEW CONCURRENTLY, by exclusive advisory locks, and by every transaction on its own id."},
    {u"AccessExclusiveLock", u"Access exclusive",
        u"Nobody else may use the table in any way, not even read it. Taken by DROP TABLE, TRUNCATE, VACUUM FULL, most forms of ALTER TABLE, and plain LOCK TABLE."},
}};

constexpr std::array<ModeText, 1> sqliteTexts{{
    {u"Exclusive", u"Exclusive", u"The row is the lock: its writer has the name alone until it is deleted."},
}};

// "Lock compatibility" in SQL Server's "Transaction locking and row versioning guide", the table of all
// modes, in its own order and letters: N no conflict, C conflict, I never met on one resource (key-range
// modes live on index keys only, intent and schema modes never do).
constexpr QStringView sqlServerOrder[] = {u"NL", u"Sch-S", u"Sch-M", u"S", u"U", u"X", u"IS", u"IU", u"IX",
    u"SIU", u"SIX", u"UIX", u"BU", u"RangeS-S", u"RangeS-U", u"RangeI-N", u"RangeI-S", u"RangeI-U",
    u"RangeI-X", u"RangeX-S", u"RangeX-U", u"RangeX-X"};
constexpr const char* sqlServerMatrix[] = {
    "NNNNNNNNNNNNNNNNNNNNNN", // NL
    "NNCNNNNNNNNNNIIIIIIIII", // Sch-S
    "NCCCCCCCCCCCCIIIIIIIII", // Sch-M
    "NNCNNCNNCNCCCNNNNNCNNC", // S
    "NNCNCCNCCCCCCNCNNCCNCC", // U
    "NNCCCCCCCCCCCCCNCCCCCC", // X
    "NNCNNCNNNNNNCIIIIIIIII", // IS
    "NNCNCCNNNNNCCIIIIIIIII", // IU
    "NNCCCCNNNCCCCIIIIIIIII", // IX
    "NNCNCCNNCNCCCIIIIIIIII", // SIU
    "NNCCCCNNCCCCCIIIIIIIII", // SIX
    "NNCCCCNCCCCCCIIIIIIIII", // UIX
    "NNCCCCCCCCCCNIIIIIIIII", // BU
    "NIINNCIIIIIIINNCCCCCCC", // RangeS-S
    "NIINCCIIIIIIINCCCCCCCC", // RangeS-U
    "NIINNNIIIIIIICCNNNNCCC", // RangeI-N
    "NIINNCIIIIIIICCNNNCCCC", // RangeI-S
    "NIINCCIIIIIIICCNNCCCCC", // RangeI-U
    "NIICCCIIIIIIICCNCCCCCC", // RangeI-X
    "NIINNCIIIIIIICCCCCCCCC", // RangeX-S
    "NIINCCIIIIIIICCCCCCCCC", // RangeX-U
    "NIICCCIIIIIIICCCCCCCCC", // RangeX-X
};

// Table 13.2, "Conflicting Lock Modes", in PostgreSQL's chapter "Explicit Locking": X = conflict.
constexpr const char* postgresMatrix[] = {
    ".......X", // AccessShareLock
    "......XX", // RowShareLock
    "....XXXX", // RowExclusiveLock
    "...XXXXX", // ShareUpdateExclusiveLock
    "..XX.XXX", // ShareLock
    "..XXXXXX", // ShareRowExclusiveLock
    ".XXXXXXX", // ExclusiveLock
    "XXXXXXXX", // AccessExclusiveLock
};

quint8 codeOf(std::span<const ModeText> texts, QStringView name)
{
    for (size_t code = 0; code < texts.size(); ++code)
        if (name.compare(texts[code].name, Qt::CaseInsensitive) == 0)
            return static_cast<quint8>(code);
    return 255;
}

ModeTable sqlServerTable()
{
    ModeTable table{u"X", u"S", sqlServerTexts, std::vector<quint32>(sqlServerTexts.size(), 0)};
    for (size_t row = 0; row < std::size(sqlServerOrder); ++row) {
        const quint8 code = codeOf(sqlServerTexts, sqlServerOrder[row]);
        for (size_t column = 0; column < std::size(sqlServerOrder); ++column)
            if (sqlServerMatrix[row][column] == 'C')
                table.conflicts[code] |= 1U << codeOf(sqlServerTexts, sqlServerOrder[column]);
    }
    return table;
}

ModeTable postgresTable()
{
    ModeTable table{
        u"ExclusiveLock", u"ShareLock", postgresTexts, std::vector<quint32>(postgresTexts.size(), 0)};
    for (size_t row = 0; row < postgresTexts.size(); ++row)
        for (size_t column = 0; column < postgresTexts.size(); ++column)
            if (postgresMatrix[row][column] == 'X')
                table.conflicts[row] |= 1U << column;
    return table;
}

const ModeTable& tableOf(Engine engine)
{
    static const PerEngine<ModeTable> tables{.postgres = postgresTable(),
        .sqlServer = sqlServerTable(),
        .sqlite = {u"Exclusive", u"Shared", sqliteTexts, {1U}}};
    return tables[engine];
}

// Older views and tools write RS-S, RangeS_S, RangeIn-Null, Sch_M or NULL for the same modes.
QString sqlServerSpelling(QStringView text)
{
    QString name = text.toString().toUpper().replace(u'_', u'-');
    if (name == u"NULL"_s)
        return u"NL"_s;
    name.replace(u"RANGEIN-"_s, u"RANGEI-"_s);
    if (name.endsWith(u"-NULL"_s))
        name.chop(3);
    if (name.size() == 4 && name.at(0) == u'R' && name.at(2) == u'-')
        name = u"RANGE"_s + name.mid(1);
    return name;
}

// The SQL spelling, "ACCESS EXCLUSIVE", means the same as the one of pg_locks, "AccessExclusiveLock".
QString postgresSpelling(QStringView text)
{
    QString name = text.toString();
    name.remove(u' ').remove(u'_');
    return name.endsWith(u"lock"_s, Qt::CaseInsensitive) ? name : name + u"Lock"_s;
}

QString spelling(Engine engine, QStringView text)
{
    static constexpr PerEngine<QString (*)(QStringView)> spellings{.postgres = postgresSpelling,
        .sqlServer = sqlServerSpelling,
        .sqlite = [](QStringView name) { return name.toString(); }};
    return spellings[engine](text);
}

} // namespace

LockMode LockMode::fromText(Engine engine, QStringView text)
{
    const auto texts = tableOf(engine).texts;
    quint8 code = codeOf(texts, text);
    if (code == unknownCode)
        code = codeOf(texts, spelling(engine, text.trimmed()));
    LockMode mode(engine, code);
    if (code == unknownCode)
        mode.m_unknown = text.toString();
    return mode;
}

std::span<const LockMode> LockMode::all(Engine engine)
{
    const auto make = [](Engine of) {
        std::vector<LockMode> modes;
        for (size_t code = 0; code < tableOf(of).texts.size(); ++code)
            modes.push_back(LockMode(of, static_cast<quint8>(code)));
        return modes;
    };
    static const PerEngine<std::vector<LockMode>> all{.postgres = make(Engine::Postgres),
        .sqlServer = make(Engine::SqlServer),
        .sqlite = make(Engine::Sqlite)};
    return all[engine];
}

LockMode LockMode::exclusive(Engine engine)
{
    return fromText(engine, tableOf(engine).exclusive);
}

LockMode LockMode::shared(Engine engine)
{
    return fromText(engine, tableOf(engine).shared);
}

QString LockMode::name() const
{
    return isKnown() ? tableOf(m_engine).texts[m_code].name.toString() : m_unknown;
}

QString LockMode::title() const
{
    return isKnown() ? tableOf(m_engine).texts[m_code].title.toString() : m_unknown;
}

QString LockMode::meaning() const
{
    if (isKnown())
        return tableOf(m_engine).texts[m_code].meaning.toString();
    return u"A mode that this program does not know; it can't say what it conflicts with."_s;
}

bool LockMode::compatibleWith(const LockMode& requested) const
{
    if (m_engine != requested.m_engine || !isKnown() || !requested.isKnown())
        return true;
    return (tableOf(m_engine).conflicts[m_code] >> requested.m_code & 1U) == 0;
}

QList<LockMode> LockMode::conflicts() const
{
    QList<LockMode> found;
    for (const LockMode& other : all(m_engine))
        if (!compatibleWith(other))
            found.append(other);
    return found;
}

QString engineName(Engine engine)
{
    static constexpr PerEngine<QStringView> names{
        .postgres = u"PostgreSQL", .sqlServer = u"SQL Server", .sqlite = u"SQLite"};
    return names[engine].toString();
}

QString engineKey(Engine engine)
{
    static constexpr PerEngine<QStringView> keys{
        .postgres = u"postgres", .sqlServer = u"sqlserver", .sqlite = u"sqlite"};
    return keys[engine].toString();
}

std::optional<Engine> engineOfKey(QStringView key)
{
    for (const Engine engine : allEngines)
        if (engineKey(engine) == key)
            return engine;
    return std::nullopt;
}

} // namespace lockscope
