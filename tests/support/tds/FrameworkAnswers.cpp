// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/FrameworkAnswers.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using Tables = std::function<std::vector<LockRows>()>;

/// Compares as CHARINDEX does in the parameters: between line ends, in lower case.
bool isSelected(const LockRows& table, const Request& request)
{
    const auto isIn = [](const QString& name, const QString& lines) {
        return lines.contains(u'\n' + name.toLower() + u'\n');
    };
    return isIn(table.table, request.parameter(0).toText())
        || std::any_of(table.columns.begin(), table.columns.end(),
            [&](const QString& column) { return isIn(column, request.parameter(1).toText()); });
}

/// Calls `use` with each requested table and its place in the list.
template <typename Use> void forEachSelected(const Tables& tables, const Request& request, const Use& use)
{
    const std::vector<LockRows> all = tables();
    for (size_t place = 0; place < all.size(); ++place)
        if (isSelected(all[place], request))
            use(all[place], place);
}

QString printOf(const LockRows& table)
{
    return u"%1 U %2 %3"_s.arg(table.quotedName(), table.owner, QString::number(table.changes));
}

/// Compares as the statement does: of each pair of parameters the first is a table's name, the second its
/// print.
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
    forEachSelected(tables, request, [&rows](const LockRows& table, size_t place) {
        for (qsizetype i = 0; i < table.columns.size(); ++i)
            rows.push_back({table.schema, table.table, LockRows::objectId(place), table.owner,
                table.isTrusted ? 1 : 0, 1, qint64(table.rows.size()), table.columns[i], table.types[i],
                table.isReadable ? 1 : 0, table.computed.contains(table.columns[i]) ? 1 : 0, printOf(table)});
    });
    reply.table({{u"name"_s, nvarchar(128)}, {u"name"_s, nvarchar(128)}, {u"id"_s, bigint()},
                    {u"owner"_s, nvarchar(128)}, {u"trusted"_s, integer()}, {u"plain"_s, integer()},
                    {u"rows"_s, bigint()}, {u"name"_s, nvarchar(128)}, {u"name"_s, nvarchar(128)},
                    {u"right"_s, integer()}, {u"computed"_s, integer()}, {u"print"_s, nvarchar(400)}},
        rows);
}

} // namespace

void answerFrameworks(
    TdsServer& server, const Tables& tables, const std::function<QString(const QString&)>& ownPrint)
{
    server.guard("sqlserver/frameworks/as_judged",
        [tables, ownPrint](const Request& request) { return compare(tables, ownPrint, request); });
    server.answer("sqlserver/frameworks/tables",
        [tables](const Request& request, Reply& reply) { answerTables(tables, request, reply); });
    server.answer("sqlserver/frameworks/schemas", [](const Request&, Reply& reply) {
        reply.table({{u"name"_s, nvarchar(128)}, {u"database"_s, nvarchar(128)}, {u"copy"_s, integer()},
                        {u"zone"_s, nvarchar(1)}, {u"offset"_s, integer()}},
            {{u"dbo"_s, u"orders"_s, 0, u""_s, 0}});
    });
    server.answer("sqlserver/frameworks/parts", [tables](const Request& request, Reply& reply) {
        std::vector<Values> rows;
        forEachSelected(tables, request, [&rows](const LockRows&, size_t place) {
            rows.push_back({LockRows::objectId(place), LockRows::treeId(place)});
        });
        reply.table({{u"id"_s, bigint()}, {u"hobt_id"_s, bigint()}}, rows);
    });
}

} // namespace lockscope::test::tds
