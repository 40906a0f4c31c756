// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"

#include <QMap>

#include <functional>
#include <optional>
#include <vector>

namespace lockscope::test::tds {

/// A table in which locks are kept as rows, as the catalogue tells it, and what reading it gives.
struct LockRows {
    struct Column {
        QString name;
        QString type; ///< as sys.types names it
        bool isComputed = false;
    };
    QString schema = QStringLiteral("dbo");
    QString table;
    std::vector<Column> columns;
    /// For each row the texts of the columns that are read, then the microseconds of its times. The condition
    /// and the limit are the test's to keep.
    std::vector<Values> rows;
    /// The text that a column holds, and the microseconds of a time.
    struct Stored {
        QString text; ///< a null string for NULL
        std::optional<qint64> us;
    };
    /// Rows by column, instead of `rows`: the statement says which of them it wants, and in which order.
    std::vector<QMap<QString, Stored>> stored;
    QString owner = QStringLiteral("dbo");
    bool isReadable = true;
    bool isTrusted = true;
    int changes = 0; ///< counted up when somebody alters it, or puts another in its place
    int error = 0; ///< what reading it gives instead of rows

    QString quotedName() const; ///< "[dbo].[Odd ]]Locks]"
};

/// Answers the statements that look for tables and read them, and compares, for each statement that does,
/// what they were when they were judged. `tables` is asked on the server's thread, and `ownPrint` for what
/// frameworks/print gives of a table of Lockscope's.
void answerFrameworks(TdsServer& server, const std::function<std::vector<LockRows>()>& tables,
    const std::function<QString(const QString& table)>& ownPrint = {});

} // namespace lockscope::test::tds
