// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <QList>
#include <QString>

namespace lockscope::ui {

class TableModel;

/// `rows` are view rows, `columns` model columns in the order wanted.
/// One line a row, cells separated by tabs; breaks and tabs inside a cell become blanks.
QString rowsAsText(const TableModel& model, const QList<int>& rows, const QList<int>& columns);
/// As RFC 4180 has it: a header line, CRLF, quotes only where needed.
QString rowsAsCsv(const TableModel& model, const QList<int>& rows, const QList<int>& columns);
/// Writes UTF-8, whole or not at all.
Result<void> writeTextFile(const QString& path, const QString& text);

} // namespace lockscope::ui
