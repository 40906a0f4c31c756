// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/AttachedAsFile.h"

#include "core/domain/Engine.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FoundTable.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// As the format writes it, which knows one unit at a time.
QString durationWord(milliseconds duration)
{
    const qint64 seconds = duration.count() / 1'000;
    if (duration.count() % 1'000 != 0)
        return u"%1ms"_s.arg(duration.count());
    return seconds % 60 == 0 ? u"%1min"_s.arg(seconds / 60) : u"%1s"_s.arg(seconds);
}

/// "true" and numbers as such: a column of texts that holds them is rare, and its owner can put it right.
QJsonValue valueOf(const QString& text)
{
    if (text.compare(u"true"_s, Qt::CaseInsensitive) == 0
        || text.compare(u"false"_s, Qt::CaseInsensitive) == 0)
        return text.compare(u"true"_s, Qt::CaseInsensitive) == 0;
    bool isNumber = false;
    const qlonglong number = text.toLongLong(&isNumber);
    return isNumber ? QJsonValue(number) : QJsonValue(text);
}

QString slug(QString text)
{
    static const QRegularExpression others(u"[^a-z0-9]+"_s);
    text = text.toLower().replace(others, u"-"_s);
    while (text.startsWith(u'-'))
        text.remove(0, 1);
    while (text.endsWith(u'-'))
        text.chop(1);
    return text.isEmpty() ? u"lock-table"_s : text;
}

/// Those that the table's rows are known by, each once.
QJsonArray columnsOf(const db::AttachedTable& table)
{
    QJsonArray columns{table.nameColumn, table.timeColumn};
    for (const QString& column : {table.holderColumn, table.expiresColumn, table.heldColumn})
        if (!column.isEmpty() && !columns.contains(column))
            columns.append(column);
    return columns;
}

QJsonObject rowOf(const db::AttachedTable& table)
{
    const QString clock = table.utc ? u"utc"_s : u"server"_s;
    const QJsonObject since{{u"column"_s, table.timeColumn}, {u"clock"_s, clock}};
    QJsonObject expires = since;
    if (table.expiresColumn.isEmpty())
        expires[u"after"_s] = durationWord(table.staleAge);
    else
        expires[u"column"_s] = table.expiresColumn;
    QJsonObject row{
        {u"name"_s, QString(u'{' + table.nameColumn + u'}')}, {u"since"_s, since}, {u"expires"_s, expires}};
    row[u"compare"_s] = columnsOf(table);
    if (!table.holderColumn.isEmpty())
        row[u"holder"_s] = QJsonObject{{u"column"_s, table.holderColumn}};
    if (table.heldColumn.isEmpty()) {
        row[u"delete"_s] = true;
        return row;
    }
    const QJsonValue held = valueOf(table.heldValue);
    row[u"held"_s] = QJsonArray{QJsonObject{{u"column"_s, table.heldColumn}, {u"is"_s, held}}};
    if (held == QJsonValue(true))
        row[u"update"_s] = QJsonObject{{table.heldColumn, false}};
    else if (held == QJsonValue(1))
        row[u"update"_s] = QJsonObject{{table.heldColumn, 0}};
    else
        row[u"never"_s] = true;
    return row;
}

} // namespace

QByteArray attachedAsFile(const db::AttachedTable& table, Engine engine)
{
    const QJsonObject row = rowOf(table);
    const QString danger = row.contains(u"never"_s)
        ? u"It is not known here what frees it: write “update” in place of “never” into this file."_s
        : u"Its holder is not asked. If it still works, somebody else may now work on the same."_s;
    const QJsonObject lock{
        {u"id"_s, u"row"_s},
        {u"name"_s, u"lock"_s},
        {u"kind"_s, u"row"_s},
        {u"engines"_s, QJsonArray{engineKey(engine)}},
        {u"purpose"_s, u"Write here what is done under it."_s},
        {u"ends"_s, u"Write here when it ends by itself, and how long others wait for it."_s},
        {u"danger"_s, danger},
        {u"table"_s, QJsonObject{{u"names"_s, QJsonArray{table.table}}, {u"columns"_s, columnsOf(table)}}},
        {u"row"_s, row},
    };
    const QJsonObject file{
        {u"$schema"_s, u"framework.schema.json"_s},
        {u"format"_s, 1},
        {u"name"_s, table.table.left(60)}, // as long as a title may be
        {u"about"_s, u"Write here what it is, in a sentence."_s},
        {u"locks"_s, QJsonArray{lock}},
    };
    return QJsonDocument(file).toJson();
}

QString attachedFileName(const db::AttachedTable& table)
{
    return slug(table.table) + u".json"_s;
}

FrameworkPtr frameworkOf(
    const QString& schema, const QString& table, const QStringList& columns, Engine engine)
{
    const auto catalogue = frameworks::catalogue();
    const frameworks::KnownTable found{.schema = schema, .table = table, .columns = columns};
    const auto isLockTable = [&](const FrameworkPtr& framework) {
        return std::any_of(framework->locks.begin(), framework->locks.end(), [&](const FrameworkLock& lock) {
            return lock.kind == FrameworkLockKind::Row && lock.engines.contains(engine) && lock.table
                && frameworks::isTable(*lock.table, found);
        });
    };
    const auto known = std::find_if(catalogue->frameworks.begin(), catalogue->frameworks.end(), isLockTable);
    return known == catalogue->frameworks.end() ? nullptr : *known;
}

} // namespace lockscope::ui
