// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"
#include "tests/support/tds/ViewTables.h"

#include <functional>
#include <vector>

namespace lockscope::test::tds {

/// A table in which locks are kept as rows, and its description in the catalogue.
struct LockRows : tsql::UserTable {
    using UserTable::UserTable;
    QString owner = QStringLiteral("dbo");
    QStringList computed; ///< columns
    bool isReadable = true;
    bool isTrusted = true;
    int changes = 0; ///< counted up when somebody alters it, or puts another in its place
    int error = 0; ///< what reading it gives instead of rows

    /// The numbers of the table at this place of the list, and of its B-tree: locks name it by these.
    static constexpr qint64 objectId(size_t place) { return 1'001 + static_cast<qint64>(place); }
    static constexpr qint64 treeId(size_t place)
    {
        return 72'057'594'000'000'001 + static_cast<qint64>(place);
    }
};

/// Answers the statements that search for tables, and compares them, for each statement that does, with their
/// state when they were judged. `tables` is called on the server's thread, and `ownPrint` for the result of
/// frameworks/print for a table of Lockscope's.
void answerFrameworks(TdsServer& server, const std::function<std::vector<LockRows>()>& tables,
    const std::function<QString(const QString& table)>& ownPrint = {});

} // namespace lockscope::test::tds
