// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ByHand.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"
#include "core/frameworks/AsJudged.h"

#include <QRegularExpression>
#include <QUuid>

#include <algorithm>
#include <functional>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

QString inQuotes(QString text)
{
    return u'\'' + text.replace(u'\'', u"''"_s) + u'\'';
}

QString postgresLiteral(const QString& text)
{
    const bool isPlain =
        std::ranges::none_of(text, [](QChar character) { return character == u'\\' || steers(character); });
    if (isPlain)
        return inQuotes(text);
    QString escaped; // as E'…', whatever standard_conforming_strings says
    for (const QChar character : text) {
        if (character == u'\\')
            escaped += u"\\\\"_s;
        else if (steers(character))
            escaped += u"\\u%1"_s.arg(uint(character.unicode()), 4, 16, QChar(u'0'));
        else
            escaped += character;
    }
    return u'E' + inQuotes(escaped);
}

/// Pieces in quotes, and between them what must not stand in the text as it is.
QString inPieces(const QString& text, const QString& open, const QString& code, const QString& joined,
    const std::function<bool(qsizetype)>& isCut)
{
    QStringList pieces;
    QString piece;
    const auto end = [&] {
        if (!piece.isEmpty())
            pieces << open + inQuotes(piece);
        piece.clear();
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (steers(text[i])) {
            end();
            pieces << code.arg(text[i].unicode());
        } else {
            piece += text[i];
            if (isCut(i))
                end();
        }
    }
    end();
    if (pieces.isEmpty())
        return open + u"''"_s;
    return pieces.size() == 1 ? pieces.first() : u'(' + pieces.join(joined) + u')';
}

QString sqlServerLiteral(const QString& text)
{
    // sqlcmd fills in $(name), also within quotes.
    return inPieces(text, u"N"_s, u"NCHAR(%1)"_s, u" + "_s,
        [&text](qsizetype i) { return text[i] == u'$' && text.mid(i + 1, 1) == u"("; });
}

QString sqliteLiteral(const QString& text)
{
    return inPieces(text, {}, u"char(%1)"_s, u" || "_s, [](qsizetype) { return false; });
}

QString number(qint64 value)
{
    return QString::number(value);
}

QString entryByHand(const db::ServerProfile& profile, const LockTableEntry& shown, const char* ours)
{
    const Engine engine = profile.url.engine;
    if (shown.framework)
        return rowActByHand(db::Dialect::of(engine), shown);
    return statementByHand(
        engine, ours, {{u"entry"_s, textLiteral(engine, shown.name)}, {u"fencing"_s, number(shown.fencing)}});
}

} // namespace

QString statementByHand(Engine engine, const char* name, const StatementParts& parts)
{
    static const QRegularExpression place(u"\\{(\\w+)\\}"_s);
    const QString sql = QString::fromUtf8(db::schemaStatement(db::Dialect::of(engine), name).sql());
    QString text;
    qsizetype done = 0;
    for (auto found = place.globalMatch(sql); found.hasNext();) {
        const auto match = found.next();
        Q_ASSERT_X(parts.contains(match.captured(1)), name, qPrintable(match.captured()));
        text += QStringView(sql).mid(done, match.capturedStart() - done);
        text += parts.value(match.captured(1));
        done = match.capturedEnd();
    }
    text += QStringView(sql).mid(done);
    // sqlcmd sends what it was given when it reads GO.
    static constexpr PerEngine<const char16_t*> ends{.postgres = u";", .sqlServer = u";\nGO", .sqlite = u";"};
    return text + QString::fromUtf16(ends[engine]);
}

QString textLiteral(Engine engine, const QString& text)
{
    static constexpr PerEngine<QString (*)(const QString&)> literals{
        .postgres = postgresLiteral, .sqlServer = sqlServerLiteral, .sqlite = sqliteLiteral};
    return literals[engine](text);
}

QString endByHand(Engine engine, const Session& shown)
{
    if (shown.system || !db::Dialect::of(engine).can(db::Capability::EndSession))
        return {};
    if (const QUuid unit(shown.unitOfWork); !unit.isNull())
        return statementByHand(Engine::SqlServer, "by_hand/end_unit_of_work",
            {{u"unit"_s, unit.toString(QUuid::WithoutBraces).toUpper()}});
    if (shown.id.value <= 0 || !shown.started.isValid())
        return {};
    return statementByHand(engine, "by_hand/end_session",
        {{u"id"_s, number(shown.id.value)}, {u"started"_s, number(shown.started.us)}});
}

QString cancelByHand(Engine engine, const Session& shown)
{
    if (!db::Dialect::of(engine).can(db::Capability::CancelStatement) || shown.system || shown.id.value <= 0
        || !shown.started.isValid())
        return {};
    return statementByHand(engine, "by_hand/cancel_session",
        {{u"id"_s, number(shown.id.value)}, {u"started"_s, number(shown.started.us)},
            {u"statement"_s, number(shown.statementStarted ? shown.statementStarted->us : 0)}});
}

QString releaseByHand(const db::ServerProfile& profile, const LockTableEntry& shown)
{
    return entryByHand(profile, shown, "by_hand/release_entry");
}

QString purgeByHand(const db::ServerProfile& profile, const QList<LockTableEntry>& shown)
{
    QStringList statements = textOfEach(shown,
        [&](const LockTableEntry& entry) { return entryByHand(profile, entry, "by_hand/purge_entry"); });
    statements.removeAll(QString());
    return statements.join(u'\n');
}

namespace {

constexpr qsizetype maxValueLength = 60;
constexpr qsizetype maxFields = 50; ///< SQLite's functions take a hundred arguments

Failure unknown(const LockTableEntry& shown, const QString& why)
{
    return failure(ErrorKind::BadInput, u"%1 can't be freed from here: %2"_s.arg(rowTitle(shown), why),
        u"Free it with the framework's own command."_s);
}

QString markerOf(const db::Dialect& dialect, std::size_t number)
{
    const QString marker = dialect.parameterMarker(static_cast<qsizetype>(number));
    return dialect.engine() == Engine::Postgres ? u'(' + marker + u"::pg_catalog.text)"_s : marker;
}

/// `valueOf` makes of a stored text what stands for it in the statement.
template <class ValueOf>
QString conditionOf(const db::Dialect& dialect, const LockTableEntry& shown, const QStringList& columns,
    const ValueOf& valueOf)
{
    const QStringList& compared = shown.framework->lockDefinition->row.compare;
    QStringList conditions;
    for (qsizetype i = 0; i < compared.size(); ++i) {
        if (!columns.contains(compared[i], Qt::CaseInsensitive))
            continue;
        const QString& stored = shown.stored[i];
        const QString value = stored.isNull() ? QString() : valueOf(stored);
        conditions << frameworks::isAsStored(dialect, *shown.source->column(compared[i]), value);
    }
    return conditions.join(u"\n    AND "_s);
}

RowAct::Comparison comparisonOf(
    const db::Dialect& dialect, const LockTableEntry& shown, const QStringList& columns)
{
    RowAct::Comparison comparison;
    comparison.condition = conditionOf(dialect, shown, columns, [&](const QString& stored) {
        comparison.params.emplace_back(stored);
        return markerOf(dialect, comparison.params.size());
    });
    return comparison;
}

/// Returns the columns that identify the lock: those in its name, else the first that is compared.
QStringList keyOf(const FrameworkRow& row)
{
    QStringList keys;
    for (const QString& column : row.compare)
        if (row.name.contains(u'{' + column + u'}', Qt::CaseInsensitive))
            keys << column;
    return keys.isEmpty() ? row.compare.first(1) : keys;
}

bool isTruth(Engine engine, const LockRowTable::Column& column)
{
    return engine == Engine::Postgres && column.type.compare(u"bool"_s, Qt::CaseInsensitive) == 0;
}

/// A new value as it stands in the statement; nothing if it names a column that there is not.
std::optional<QString> newValue(const db::Dialect& dialect, const LockRowTable& table,
    const LockRowTable::Column& column, const FrameworkValue& value)
{
    static const QRegularExpression copied(u"^\\{([^{}]+)\\}(\\+1)?$"_s);
    if (std::holds_alternative<std::monostate>(value))
        return u"NULL"_s;
    const bool* const truth = std::get_if<bool>(&value);
    if (const qint64* const number = std::get_if<qint64>(&value); truth || number) {
        const qint64 as = truth ? (*truth ? 1 : 0) : *number;
        if (isTruth(dialect.engine(), column))
            return as != 0 ? u"TRUE"_s : u"FALSE"_s;
        return QString::number(as);
    }
    const QString text = std::get<QString>(value);
    const auto match = copied.match(text);
    if (!match.hasMatch())
        return textLiteral(dialect.engine(), text);
    const LockRowTable::Column* const other = table.column(match.captured(1));
    if (!other)
        return std::nullopt;
    static constexpr PerEngine<const char16_t*> plus{
        .postgres = u"OPERATOR(pg_catalog.+)", .sqlServer = u"+", .sqlite = u"+"};
    const QString name = dialect.quoted(other->name);
    return match.captured(2).isEmpty() ? name
                                       : u"%1 %2 1"_s.arg(name, QString::fromUtf16(plus[dialect.engine()]));
}

bool isBinary(const LockRowTable::Column& column)
{
    static const QStringList types{u"binary"_s, u"varbinary"_s, u"timestamp"_s, u"rowversion"_s, u"image"_s};
    return types.contains(column.type, Qt::CaseInsensitive);
}

/// Types that the server can't write as JSON.
bool canBeJson(const LockRowTable::Column& column)
{
    static const QStringList not_{u"geometry"_s, u"geography"_s, u"hierarchyid"_s};
    return !not_.contains(column.type, Qt::CaseInsensitive);
}

QString fieldsOf(const db::Dialect& dialect, const LockRowTable& table)
{
    using Field = QString (*)(const LockRowTable::Column& column, const QString& quoted);
    static constexpr PerEngine<Field> fields{.postgres = nullptr,
        .sqlServer =
            [](const LockRowTable::Column& column, const QString& quoted) {
                return isBinary(column) ? u"CONVERT(nvarchar(max), t.%1, 1) AS %1"_s.arg(quoted)
                                        : u"t."_s + quoted;
            },
        .sqlite =
            [](const LockRowTable::Column& column, const QString& quoted) {
                return u"%1, CASE typeof(%2) WHEN 'blob' THEN quote(%2) ELSE %2 END"_s.arg(
                    textLiteral(Engine::Sqlite, column.name), quoted);
            }};
    const Field field = fields[dialect.engine()];
    QStringList texts;
    for (const LockRowTable::Column& column : table.columns)
        if (field && canBeJson(column) && texts.size() < maxFields)
            texts << field(column, dialect.quoted(column.name));
    return texts.join(u", "_s);
}

/// Names have no escapes: what steers a terminal, or is a variable of sqlcmd, can't be written in them.
bool isQuotable(Engine engine, const QStringList& names)
{
    static constexpr PerEngine<bool> hasVariables{.postgres = false, .sqlServer = true, .sqlite = false};
    const QString all = names.join(u'.');
    return std::ranges::none_of(all, steers) && !(hasVariables[engine] && all.contains(u"$("));
}

QString shownValue(const QString& value)
{
    if (value.isNull())
        return u"NULL"_s;
    const QString text = inOneLine(value);
    return u'\'' + (text.size() > maxValueLength ? text.left(maxValueLength - 1) + u'…' : text) + u'\'';
}

} // namespace

db::Statement RowAct::rows(const db::Dialect& dialect) const
{
    const QByteArray path = db::schemaPath(dialect, "frameworks_admin/rows");
    // Of a row that is to be deleted the right to update it need not be there.
    if (dialect.engine() == Engine::Postgres)
        return db::Statement::filled(path.constData(),
            {{"table"_L1, table}, {"compare"_L1, asShown.condition},
                {"lock"_L1, changes.isEmpty() ? QString() : u"FOR UPDATE"_s}});
    return db::Statement::filled(
        path.constData(), {{"table"_L1, table}, {"compare"_L1, asShown.condition}, {"fields"_L1, fields}});
}

db::Statement RowAct::act(const db::Dialect& dialect) const
{
    if (changes.isEmpty())
        return db::Statement::filled(db::schemaPath(dialect, "frameworks_admin/delete_row").constData(),
            {{"table"_L1, table}, {"compare"_L1, asShown.condition}});
    return db::Statement::filled(db::schemaPath(dialect, "frameworks_admin/update_row").constData(),
        {{"table"_L1, table}, {"changes"_L1, changes}, {"compare"_L1, asShown.condition}});
}

db::Statement RowAct::rowNow(const db::Dialect& dialect) const
{
    return db::Statement::filled(db::schemaPath(dialect, "frameworks_admin/row_now").constData(),
        {{"table"_L1, table}, {"values"_L1, values.join(u", "_s)}, {"compare"_L1, sameKey.condition}});
}

Result<RowAct> rowAct(const db::Dialect& dialect, const LockTableEntry& shown)
{
    const FrameworkLock* const lock = shown.framework ? shown.framework->lockDefinition : nullptr;
    if (!lock || lock->kind != FrameworkLockKind::Row || !shown.source)
        return unknown(shown, u"no file here says how."_s);
    const FrameworkRow& row = lock->row;
    if (!row.mayBeFreed)
        return failure(
            ErrorKind::BadInput, u"%1 is never freed from here."_s.arg(rowTitle(shown)), lock->danger);
    if (row.compare.isEmpty() || row.compare.size() != shown.stored.size())
        return unknown(shown, u"it was not read as a whole."_s);

    const LockRowTable& table = *shown.source;
    RowAct act;
    act.table = dialect.quoted(table.schema, table.table);
    for (const QString& name : row.compare) {
        const LockRowTable::Column* const column = table.column(name);
        if (!column)
            return unknown(shown, u"its table has no column %1."_s.arg(name));
        act.values << frameworks::storedText(dialect, *column);
    }
    act.asShown = comparisonOf(dialect, shown, row.compare);
    act.sameKey = comparisonOf(dialect, shown, keyOf(row));
    QStringList changes;
    for (const auto& [name, value] : row.update) {
        const LockRowTable::Column* const column = table.column(name);
        const auto text = column ? newValue(dialect, table, *column, value) : std::nullopt;
        if (!text)
            return unknown(shown, u"its table lacks a column that would be changed (%1)."_s.arg(name));
        changes << dialect.quoted(column->name) + u" = "_s + *text;
    }
    act.changes = changes.join(u", "_s);
    act.fields = fieldsOf(dialect, table);
    return act;
}

QString rowActByHand(const db::Dialect& dialect, const LockTableEntry& shown)
{
    const auto act = rowAct(dialect, shown);
    if (!act)
        return {};
    const FrameworkRow& row = shown.framework->lockDefinition->row;
    QStringList names{shown.source->schema, shown.source->table};
    QStringList compared;
    for (const LockRowTable::Column& column : shown.source->columns) {
        if (row.compare.contains(column.name, Qt::CaseInsensitive))
            compared << dialect.quoted(column.name);
        names << column.name; // of those that are not named, too: it costs nobody anything
    }
    if (!isQuotable(dialect.engine(), names))
        return {};
    const QString condition = conditionOf(dialect, shown, row.compare,
        [&dialect](const QString& stored) { return textLiteral(dialect.engine(), stored); });
    StatementParts parts{
        {u"table"_s, act->table}, {u"compare"_s, condition}, {u"values"_s, compared.join(u", "_s)}};
    if (act->changes.isEmpty())
        return statementByHand(dialect.engine(), "by_hand/delete_row", parts);
    parts.insert(u"changes"_s, act->changes);
    return statementByHand(dialect.engine(), "by_hand/update_row", parts);
}

QString rowTitle(const LockTableEntry& entry)
{
    const QString framework = entry.framework ? entry.framework->badge() : QString();
    const QString name = inOneLine(entry.name);
    return u"%1 lock '%2' of %3"_s.arg(
        framework.isEmpty() ? u"The"_s : framework, name, inOneLine(entry.table));
}

QString differences(const LockTableEntry& shown, const QStringList& now)
{
    const QStringList& columns = shown.framework->lockDefinition->row.compare;
    QStringList texts;
    for (qsizetype i = 0; i < std::min(columns.size(), now.size()); ++i)
        if (now[i] != shown.stored[i] || now[i].isNull() != shown.stored[i].isNull())
            texts << u"%1 is %2 (was %3)"_s.arg(columns[i], shownValue(now[i]), shownValue(shown.stored[i]));
    return texts.join(u", "_s);
}

} // namespace lockscope::admin
