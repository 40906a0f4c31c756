// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ReadLocks.h"

#include "core/frameworks/TableReads.h"
#include "core/frameworks/TableSearch.h"

#include <deque>

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
    if (const auto judged = search.judgeReferring(connection); !judged)
        return Failure(judged.error());
    if (const auto missing = search.missing(); !missing.isEmpty())
        return failure(ErrorKind::MissingObject,
            u"The attached table %1 is not there, or lacks a column."_s.arg(missing.first().display()),
            u"Check the names of schema, table and columns in the server's settings."_s);
    std::deque<TableRead> readings;
    std::vector<TableRead*> reads;
    for (const FoundTablePtr& table : search.found()) {
        if (table->access == FoundTable::Access::Readable || (table->isAttached && table->whyNot.isNull()))
            reads.push_back(&readings.emplace_back(connection.dialect(), table));
        else if (table->isAttached)
            return failure(ErrorKind::Permission, u"The attached table %1 can't be read."_s.arg(table->shown),
                table->whyNot);
    }
    TableReads reading(connection);
    std::vector<db::BatchItem> items;
    reading.addTo(items, reads);
    std::ignore = reading.judge(connection.executeBatch(items),
        [&connection](std::span<const db::BatchItem> more) { return connection.executeBatch(more); });
    for (TableRead& read : readings) {
        if (read.outcome != TableRead::Outcome::Read)
            return Failure(read.error.value_or(Error()));
        for (RowLock& row : read.read) {
            row.take(
                ProgramSettings::of(profile.frameworkSettings, read.table->framework->id), read.table->row());
            entries.append(row.entry);
        }
    }
    return entries;
}

} // namespace lockscope::frameworks
