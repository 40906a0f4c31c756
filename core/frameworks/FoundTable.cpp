// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/FoundTable.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

/// '*' stands for any text.
bool fits(const QString& pattern, QStringView text)
{
    if (!pattern.contains(u'*')) // as most are, of thousands of tables
        return text.compare(pattern, Qt::CaseInsensitive) == 0;
    const auto pieces = QStringView(pattern).split(u'*');
    if (!text.startsWith(pieces.first(), Qt::CaseInsensitive))
        return false;
    QStringView rest = text.mid(pieces.first().size());
    for (qsizetype i = 1; i + 1 < pieces.size(); ++i) {
        const qsizetype at = rest.indexOf(pieces[i], 0, Qt::CaseInsensitive);
        if (at < 0)
            return false;
        rest = rest.mid(at + pieces[i].size());
    }
    return rest.endsWith(pieces.last(), Qt::CaseInsensitive);
}

bool fitsAny(const QStringList& patterns, const QString& text)
{
    return patterns.isEmpty()
        || std::ranges::any_of(patterns, [&text](const QString& one) { return fits(one, text); });
}

} // namespace

bool isNamedLike(const FrameworkTable& tableRule, const QString& schema, const QString& table)
{
    return fitsAny(tableRule.names, table) && fitsAny(tableRule.schemas, schema);
}

bool isTable(const FrameworkTable& tableRule, const KnownTable& found)
{
    const auto has = [&found](const QString& column) {
        return found.columns.contains(column, Qt::CaseInsensitive);
    };
    return isNamedLike(tableRule, found.schema, found.table) && std::ranges::all_of(tableRule.columns, has)
        && std::ranges::none_of(tableRule.without, has);
}

namespace {

void addColumn(QStringList& columns, const QString& column)
{
    if (!column.isEmpty() && !columns.contains(column, Qt::CaseInsensitive))
        columns << column;
}

} // namespace

ColumnKind kindOf(Engine engine, const QString& type)
{
    static const QHash<QString, ColumnKind> postgres{{u"bool"_s, ColumnKind::Boolean},
        {u"int2"_s, ColumnKind::Number}, {u"int4"_s, ColumnKind::Number}, {u"int8"_s, ColumnKind::Number},
        {u"numeric"_s, ColumnKind::Number}, {u"float4"_s, ColumnKind::Number},
        {u"float8"_s, ColumnKind::Number}, {u"oid"_s, ColumnKind::Number}, {u"text"_s, ColumnKind::Text},
        {u"varchar"_s, ColumnKind::Text}, {u"bpchar"_s, ColumnKind::Text}, {u"citext"_s, ColumnKind::Text},
        {u"timestamp"_s, ColumnKind::Time}, {u"date"_s, ColumnKind::Time},
        {u"timestamptz"_s, ColumnKind::Zoned}};
    static const QHash<QString, ColumnKind> sqlServer{{u"bit"_s, ColumnKind::Boolean},
        {u"tinyint"_s, ColumnKind::Number}, {u"smallint"_s, ColumnKind::Number},
        {u"int"_s, ColumnKind::Number}, {u"bigint"_s, ColumnKind::Number}, {u"decimal"_s, ColumnKind::Number},
        {u"numeric"_s, ColumnKind::Number}, {u"float"_s, ColumnKind::Number}, {u"real"_s, ColumnKind::Number},
        {u"char"_s, ColumnKind::Text}, {u"varchar"_s, ColumnKind::Text}, {u"nchar"_s, ColumnKind::Text},
        {u"nvarchar"_s, ColumnKind::Text}, {u"datetime"_s, ColumnKind::Time},
        {u"datetime2"_s, ColumnKind::Time}, {u"smalldatetime"_s, ColumnKind::Time},
        {u"date"_s, ColumnKind::Time}, {u"datetimeoffset"_s, ColumnKind::Zoned}};
    if (engine == Engine::Postgres)
        return postgres.value(type);
    return engine == Engine::SqlServer ? sqlServer.value(type.toLower()) : ColumnKind::Other;
}

DatabaseTable::Right DatabaseTable::rightTo(const QStringList& requested) const
{
    for (qsizetype i = 0; i < names->columns.size(); ++i) {
        const Right right = columns[static_cast<size_t>(i)].right;
        if (right != Right::Select && requested.contains(names->columns[i].name, Qt::CaseInsensitive))
            return right;
    }
    return Right::Select;
}

bool DatabaseTable::isComputedAny(const QStringList& requested) const
{
    for (qsizetype i = 0; i < names->columns.size(); ++i)
        if (columns[static_cast<size_t>(i)].isComputed
            && requested.contains(names->columns[i].name, Qt::CaseInsensitive))
            return true;
    return false;
}

KnownTable DatabaseTable::known() const
{
    KnownTable known;
    known.schema = names->schema;
    known.table = names->table;
    known.id = id;
    known.parts = parts;
    for (const LockRowTable::Column& column : names->columns)
        known.columns << column.name;
    return known;
}

FrameworkMatchPtr matchOf(const FoundTable& found)
{
    auto match = std::make_shared<FrameworkMatch>();
    match->framework = found.framework->id;
    match->lock = found.lock->id;
    match->frameworkName = found.framework->name;
    match->name = found.lock->name;
    match->evidence = u"a row of %1"_s.arg(found.shown);
    match->definition = found.framework;
    match->lockDefinition = found.lock;
    return match;
}

QStringList columnsRead(const FrameworkRow& row)
{
    static const QRegularExpression place(u"\\{([^}]+)\\}"_s);
    QStringList columns;
    for (const QString& column : row.compare)
        addColumn(columns, column);
    for (auto match = place.globalMatch(row.name); match.hasNext();)
        addColumn(columns, match.next().captured(1));
    addColumn(columns, row.holder);
    for (const auto* time : {&row.since, &row.expires, &row.heartbeat})
        if (*time)
            addColumn(columns, (*time)->column);
    for (const FrameworkCondition& condition : row.held)
        addColumn(columns, condition.column);
    if (row.process)
        addColumn(columns, row.process->from);
    return columns;
}

QStringList columnsRead(const FrameworkProcessTable& process)
{
    QStringList columns{process.key, process.host, process.processId};
    if (process.heartbeat)
        columns << process.heartbeat->column;
    return columns;
}

bool isApproved(const db::ServerProfile& profile, const DatabaseTable& table)
{
    return std::ranges::any_of(profile.approvedTables, [&table](const db::ApprovedTable& one) {
        // For one command a person names the table alone.
        return one.schema == table.names->schema && one.table == table.names->table
            && (one.owner.isEmpty() || one.owner == table.owner);
    });
}

} // namespace lockscope::frameworks
