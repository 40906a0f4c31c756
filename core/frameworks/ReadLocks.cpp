// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ReadLocks.h"

#include "core/frameworks/RowLocks.h"
#include "core/frameworks/TableSearch.h"

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

Result<QList<LockTableEntry>> readLocks(
    db::Connection& connection, const db::ServerProfile& profile, const CataloguePtr& catalogue)
{
    QList<LockTableEntry> entries;
    TableSearch search(connection.dialect(), catalogue, profile);
    for (const Result<qint64>& looked : connection.executeBatch(search.items())) {
        if (!looked)
            return Failure(looked.error());
    }
    if (const auto missing = search.missing(); !missing.isEmpty())
        return failure(ErrorKind::MissingObject,
            u"The attached table %1 is not there, or lacks a column."_s.arg(missing.first().display()),
            u"Check the names of schema, table and columns in the server's settings."_s);
    std::vector<RowLocks> readings;
    for (const FoundTablePtr& table : search.found())
        if (table->isAttached || table->access == FoundTable::Access::Readable)
            readings.emplace_back(connection.dialect(), table, matchOf(*table));
    std::vector<db::BatchItem> items;
    items.reserve(readings.size());
    for (const RowLocks& reading : readings)
        items.push_back({&reading.statement(), reading.params(),
            [&entries, &reading](const db::Row& row) { entries.append(reading.read(row).entry); }});
    for (const Result<qint64>& read : connection.executeBatch(items)) {
        if (!read)
            return Failure(read.error());
    }
    return entries;
}

} // namespace lockscope::frameworks
