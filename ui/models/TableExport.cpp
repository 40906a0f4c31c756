// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/TableExport.h"

#include "ui/models/TableModel.h"

#include <QCoreApplication>
#include <QSaveFile>

namespace lockscope::ui {

namespace {

template <class Cell>
QString joined(const QList<int>& columns, QChar separator, const QString& end, Cell cell)
{
    QString line;
    for (qsizetype i = 0; i < columns.size(); ++i) {
        if (i > 0)
            line += separator;
        line += cell(columns[i]);
    }
    return line + end;
}

QString csvCell(QString text)
{
    const bool special =
        std::any_of(text.cbegin(), text.cend(), [](QChar c) { return QStringView(u",\"\r\n").contains(c); });
    if (!special)
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

} // namespace

QString rowsAsText(const TableModel& model, const QList<int>& rows, const QList<int>& columns)
{
    QString result;
    for (const int row : rows) {
        result += joined(columns, QLatin1Char('\t'), QStringLiteral("\n"), [&](int column) {
            QString text = model.index(row, column).data().toString();
            for (const QChar c : {QLatin1Char('\t'), QLatin1Char('\n'), QLatin1Char('\r')})
                text.replace(c, QLatin1Char(' '));
            return text;
        });
    }
    return result;
}

QString rowsAsCsv(const TableModel& model, const QList<int>& rows, const QList<int>& columns)
{
    const QString end = QStringLiteral("\r\n");
    QString result = joined(columns, QLatin1Char(','), end,
        [&](int column) { return csvCell(model.headerData(column, Qt::Horizontal).toString()); });
    for (const int row : rows) {
        result += joined(columns, QLatin1Char(','), end,
            [&](int column) { return csvCell(model.index(row, column).data().toString()); });
    }
    return result;
}

Result<void> writeTextFile(const QString& path, const QString& text)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0 && file.commit())
        return {};
    return failure(ErrorKind::BadInput,
        QCoreApplication::translate("TableExport", "Can't write %1: %2").arg(path, file.errorString()),
        QCoreApplication::translate("TableExport", "Choose another folder or free some space."));
}

} // namespace lockscope::ui
