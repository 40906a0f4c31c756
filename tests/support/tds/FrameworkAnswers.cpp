// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/FrameworkAnswers.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using Tables = std::function<std::vector<LockRows>()>;

QString quoted(QString name)
{
    return u'[' + name.replace(u']', u"]]"_s) + u']';
}

/// As CHARINDEX finds them in the parameters: between line ends, in lower case.
bool isWanted(const LockRows& table, const Request& request)
{
    const auto isIn = [](const QString& name, const QString& lines) {
        return lines.contains(u'\n' + name.toLower() + u'\n');
    };
    return isIn(table.table, request.parameter(0).toText())
        || std::any_of(table.columns.begin(), table.columns.end(),
            [&](const LockRows::Column& column) { return isIn(column.name, request.parameter(1).toText()); });
}

QString printOf(const LockRows& table)
{
    return u"%1 U %2 %3"_s.arg(table.quotedName(), table.owner, QString::number(table.changes));
}

/// As the statement compares: of each pair of parameters the first is a table's name, the second its print.
std::optional<ServerMessage> compare(
    const Tables& tables, const std::function<QString(const QString&)>& ownPrint, const Request& request)
{
    static const QRegularExpression pair(u"\\((@P\\d+), (@P\\d+)\\)"_s);
    for (auto judged = pair.globalMatch(request.filledIn.front()); judged.hasNext();) {
        const auto match = judged.next();
        const QString name = request.parameter(match.captured(1)).toText();
        QString print;
        for (const LockRows& table : tables())
            if (table.quotedName() == name)
                print = printOf(table);
        const QString own = u"[lockscope].["_s;
        if (name.startsWith(own) && !ownPrint)
            continue;
        if (name.startsWith(own))
            print = ownPrint(name.mid(own.size()).chopped(1));
        if (print.isNull() || print != request.parameter(match.captured(2)).toText())
            return ServerMessage{.number = 50'000, .text = u"lockscope: not as judged"_s};
    }
    return std::nullopt;
}

void answerTables(const Tables& tables, const Request& request, Reply& reply)
{
    std::vector<Values> rows;
    qint64 id = 1'000;
    for (const LockRows& table : tables()) {
        ++id;
        if (!isWanted(table, request))
            continue;
        for (const LockRows::Column& column : table.columns)
            rows.push_back({table.schema, table.table, id, table.owner, table.isTrusted ? 1 : 0, 1,
                qint64(table.rows.size() + table.stored.size()), column.name, column.type,
                table.isReadable ? 1 : 0, column.isComputed ? 1 : 0, printOf(table)});
    }
    reply.table({{u"name"_s, nvarchar(128)}, {u"name"_s, nvarchar(128)}, {u"id"_s, bigint()},
                    {u"owner"_s, nvarchar(128)}, {u"trusted"_s, integer()}, {u"plain"_s, integer()},
                    {u"rows"_s, bigint()}, {u"name"_s, nvarchar(128)}, {u"name"_s, nvarchar(128)},
                    {u"right"_s, integer()}, {u"computed"_s, integer()}, {u"print"_s, nvarchar(400)}},
        rows);
}

/// Each expression of a list.
QStringList partsOf(const QString& list)
{
    QStringList parts(1);
    int depth = 0;
    for (const QChar c : list) {
        depth += c == u'(' ? 1 : c == u')' ? -1 : 0;
        if (c == u',' && depth == 0)
            parts << QString();
        else
            parts.last() += c;
    }
    return parts;
}

/// Evaluates expressions over one column each: they give its text or, of a time, microseconds.
std::vector<Values> rowsOf(const LockRows& table, const QString& list)
{
    static const QRegularExpression column(u"\\[([^\\]]+)\\]"_s);
    const QStringList parts = partsOf(list);
    std::vector<Values> rows;
    for (const auto& stored : table.stored) {
        Values& row = rows.emplace_back();
        for (const QString& part : parts) {
            const LockRows::Stored value = stored.value(column.match(part).captured(1));
            row.push_back(part.contains(u"DATEDIFF_BIG"_s) ? Value(value.us) : Value(value.text));
        }
    }
    return rows;
}

/// filledIn: most, parts, table, held.
void answerRows(const Tables& tables, const Request& request, Reply& reply)
{
    constexpr int tablePlace = 2;
    for (const LockRows& table : tables()) {
        if (table.quotedName() != request.filledIn.value(tablePlace))
            continue;
        if (table.error != 0)
            return reply.error(table.error, u"Reading %1 failed."_s.arg(table.table), 16);
        std::vector<Values> rows = table.stored.empty() ? table.rows : rowsOf(table, request.filledIn[1]);
        const size_t width = rows.empty() ? 0 : rows.front().size();
        std::vector<Column> columns;
        for (size_t i = 0; i < width; ++i) {
            // Texts come first; times are numbers.
            const bool isNumber =
                std::any_of(rows.begin(), rows.end(), [i](const Values& row) { return row[i].is<qint64>(); });
            columns.push_back({u"c%1"_s.arg(i), isNumber ? bigint() : nvarchar(4'000)});
        }
        columns.push_back({u"rows"_s, bigint()});
        const auto count = qint64(rows.size());
        for (Values& row : rows)
            row.push_back(count);
        return reply.table(columns, rows);
    }
    reply.error(208, u"Invalid object name '%1'."_s.arg(request.filledIn.value(tablePlace)));
}

} // namespace

QString LockRows::quotedName() const
{
    return quoted(schema) + u'.' + quoted(table);
}

void answerFrameworks(
    TdsServer& server, const Tables& tables, const std::function<QString(const QString&)>& ownPrint)
{
    server.guard("sqlserver/frameworks/as_judged",
        [tables, ownPrint](const Request& request) { return compare(tables, ownPrint, request); });
    server.answer("sqlserver/frameworks/tables",
        [tables](const Request& request, Reply& reply) { answerTables(tables, request, reply); });
    server.answer("sqlserver/frameworks/schemas", [](const Request&, Reply& reply) {
        reply.table({{u"name"_s, nvarchar(128)}, {u"database"_s, nvarchar(128)}, {u"copy"_s, integer()}},
            {{u"dbo"_s, u"orders"_s, 0}});
    });
    server.answer("sqlserver/frameworks/parts", [](const Request&, Reply& reply) {
        reply.table({{u"id"_s, bigint()}, {u"hobt_id"_s, bigint()}}, {});
    });
    server.answer("sqlserver/frameworks/rows",
        [tables](const Request& request, Reply& reply) { answerRows(tables, request, reply); });
}

} // namespace lockscope::test::tds
