// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/AsJudged.h"

#include "core/db/Statement.h"
#include "core/frameworks/RowTimes.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

db::Statement withPrint(const db::Dialect& dialect, const char* path)
{
    return db::Statement::filled(db::schemaPath(dialect, path).constData(),
        {{"object_print"_L1, sqlPart(dialect, "frameworks/print", {})}});
}

db::Statement asJudged(const db::Dialect& dialect, const db::Statement& read, const QStringList& judged)
{
    return db::Statement::filled(db::schemaPath(dialect, "frameworks/as_judged").constData(),
        {{"judged"_L1, u'(' + judged.join("), ("_L1) + u')'},
            {"object_print"_L1, sqlPart(dialect, "frameworks/print", {})},
            {"read"_L1, QString::fromUtf8(read.sql())}});
}

db::Param judgedTables(const QMap<QString, QString>& prints)
{
    QJsonObject judged;
    for (auto print = prints.begin(); print != prints.end(); ++print)
        judged.insert(print.key(), print.value());
    return QString::fromUtf8(QJsonDocument(judged).toJson(QJsonDocument::Compact));
}

bool isNotAsJudged(const Error& error)
{
    return error.detail.contains("lockscope: not as judged"_L1)
        || error.detail.contains("integer overflow"_L1); // all that SQLite can say outside triggers
}

Error changedError(const Error& by)
{
    return {.kind = ErrorKind::Changed,
        .what = by.what,
        .server = by.server,
        .detail =
            u"it is another table than a moment ago, or has been altered: it is judged again before it is read"_s};
}

} // namespace lockscope::frameworks
