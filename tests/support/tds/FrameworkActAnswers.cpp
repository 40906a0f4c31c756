// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/FrameworkActAnswers.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using Row = QMap<QString, QString>;

/// "[Id] = CAST(@P1 AS int) AND [Holder] IS NULL": which column is compared with which parameter.
std::function<bool(const Row&)> conditionFrom(const QString& text, const Request& request)
{
    static const QRegularExpression column(u"\\[([^\\]]+)\\]"_s);
    static const QRegularExpression marker(u"@P(\\d+)"_s);
    Row wanted;
    for (const QString& part : text.split(u" AND "_s)) {
        const auto parameter = marker.match(part);
        const QString value = parameter.hasMatch()
            ? u""_s + request.parameter(parameter.captured(1).toULongLong() - 1).toText()
            : QString();
        wanted.insert(column.match(part).captured(1), value);
    }
    return [wanted](const Row& row) {
        for (auto each = wanted.cbegin(); each != wanted.cend(); ++each) {
            if (!row.contains(each.key()) || row[each.key()].isNull() != each->isNull()
                || row[each.key()] != *each)
                return false;
        }
        return true;
    };
}

/// "[Held] = 0, [Holder] = NULL, [Revision] = [Revision] + 1".
void change(Row& row, const QString& changes)
{
    static const QRegularExpression one(
        u"\\[([^\\]]+)\\] = (?:(NULL)|(\\d+)|\\[([^\\]]+)\\]( \\+ 1)?)(?:, |$)"_s);
    const Row before = row;
    for (auto each = one.globalMatch(changes); each.hasNext();) {
        const auto match = each.next();
        QString value = match.captured(3);
        if (match.hasCaptured(4) && !match.captured(4).isEmpty())
            value = match.captured(5).isEmpty() ? before[match.captured(4)]
                                                : QString::number(before[match.captured(4)].toLongLong() + 1);
        row[match.captured(1)] = match.captured(2).isEmpty() ? value : QString();
    }
}

QString json(const Row& row)
{
    QJsonObject object;
    for (auto each = row.cbegin(); each != row.cend(); ++each)
        object[each.key()] = each->isNull() ? QJsonValue() : QJsonValue(*each);
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

Value valueOf(const QString& text)
{
    return text.isNull() ? Value() : Value(text);
}

} // namespace

void answerFrameworkActs(TdsServer& server, const std::function<FrameworkTableDouble&()>& table)
{
    using Rows = std::vector<Row>;
    // Places in the order of the texts: {fields}, {table}, {compare}.
    server.answer("sqlserver/frameworks_admin/rows", [table](const Request& request, Reply& reply) {
        std::vector<Values> found;
        const auto isIt = conditionFrom(request.filledIn.value(2), request);
        for (const Row& row : table().rows)
            if (request.filledIn.value(1) == table().table && isIt(row))
                found.push_back({json(row)});
        reply.table({{u"row"_s, nvarchar()}}, found);
    });
    server.answer("sqlserver/frameworks_admin/update_row", [table](const Request& request, Reply& reply) {
        const auto isIt = conditionFrom(request.filledIn.value(2), request);
        qint64 changed = 0;
        for (Row& row : table().rows)
            if (isIt(row) && ++changed > 0)
                change(row, request.filledIn.value(1));
        reply.affected(changed);
    });
    server.answer("sqlserver/frameworks_admin/delete_row", [table](const Request& request, Reply& reply) {
        Rows& rows = table().rows;
        reply.affected(
            static_cast<qint64>(std::erase_if(rows, conditionFrom(request.filledIn.value(1), request))));
    });
    server.answer("sqlserver/frameworks_admin/row_now", [table](const Request& request, Reply& reply) {
        static const QRegularExpression column(u"\\[([^\\]]+)\\]"_s);
        std::vector<Column> columns;
        std::vector<Values> found;
        QStringList names;
        for (auto each = column.globalMatch(request.filledIn.value(0)); each.hasNext();) {
            names << each.next().captured(1);
            columns.push_back({names.last(), nvarchar()});
        }
        const auto isIt = conditionFrom(request.filledIn.value(2), request);
        for (const Row& row : table().rows) {
            if (!isIt(row))
                continue;
            Values values;
            for (const QString& name : names)
                values.push_back(valueOf(row.value(name)));
            found.push_back(values);
        }
        reply.table(columns, found);
    });
    server.answer("sqlserver/frameworks_admin/strangers", [table](const Request&, Reply& reply) {
        std::vector<Values> rows;
        for (const QString& trigger : table().strangersTriggers)
            rows.push_back({u"trigger "_s + trigger, u"mallory"_s, u"it would run with your rights"_s});
        reply.table({{u"object"_s, nvarchar()}, {u"owner"_s, nvarchar()}, {u"fault"_s, nvarchar()}}, rows);
    });
}

} // namespace lockscope::test::tds
