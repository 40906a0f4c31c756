// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/RowLocks.h"

#include <QList>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace lockscope::frameworks {

/// A table whose rows are read with others, and what came of it.
struct TableRead {
    enum class Outcome : quint8 {
        Read,
        Failed,
        Locked, ///< somebody has it exclusively, or stands in the queue for that: it was not waited for
        Changed, ///< it is not what was judged: nothing of it was read
    };

    TableRead(const db::Dialect& dialect, const FoundTablePtr& table);

    const RowLocks& inUse() const; ///< made when first asked for: most tables of a crowd are never read
    const FrameworkMatchPtr& match() const { return m_match; }

    FoundTablePtr table;
    std::optional<Error> badValue; ///< why it is read without times
    bool isAlone = false; ///< a statement for several tables has failed: it has its own
    Outcome outcome = Outcome::Read;
    std::optional<Error> error; ///< of any other outcome
    std::vector<RowLock> read;

private:
    const db::Dialect* m_dialect;
    FrameworkMatchPtr m_match;
    mutable std::optional<RowLocks> m_rows;
    mutable std::optional<RowLocks> m_withoutTimes;
};

/// Reads the rows of several tables as part of a batch, each as it was judged or not at all. A table is
/// judged minutes before it is read, and somebody may have put another one in its place or altered it: so
/// what the catalogue has is compared with what was judged right before. On PostgreSQL one transaction takes
/// the lock of all names, which runs nothing, compares, and ends there if something differs; then come the
/// rows, by one statement for all tables of one shape. On SQLite one transaction compares and reads, too: it
/// sees the file as it was at its beginning. On SQL Server each statement compares by itself (RowLocks).
/// Nothing waits for a lock. What fails is asked again without its cause. Tables of strangers are copied
/// (copyRows). One thread.
class TableReads {
public:
    using Ask = std::function<std::vector<Result<qint64>>(std::span<const db::BatchItem>)>;

    explicit TableReads(db::Connection& connection)
        : m_connection(connection)
    {
    }

    /// Adds this poll's statements. The reads must stay where they are until judge() has run.
    void addTo(std::vector<db::BatchItem>& items, const std::vector<TableRead*>& reads);
    qsizetype itemCount() const { return m_items; }

    struct Cost {
        int roundTrips = 0; ///< beside the batch
        qint64 rows = 0;
    };
    /// To call with the results of exactly those items: each read then has its outcome.
    Cost judge(std::span<const Result<qint64>> results, const Ask& ask, const std::stop_token& stop = {});

private:
    /// One statement: the rows of one table, or of several of one shape.
    struct Unit {
        std::vector<TableRead*> reads;
        std::optional<db::Statement> statement;
        std::vector<db::Param> params;
    };
    /// The reads of one transaction.
    struct Group {
        std::vector<Unit> units;
        bool isTransaction = false;
        std::optional<db::Statement> lock; ///< PostgreSQL
        std::vector<db::Param> judged;
        size_t unchangedAt = 0; ///< the place of the item that compares, if it is a transaction
        size_t unitsFrom = 0; ///< the place of their first item
        size_t items = 0;

        std::vector<TableRead*> reads(size_t fromUnit = 0) const;
    };
    using Groups = std::vector<std::unique_ptr<Group>>;

    bool isOn(Engine engine) const { return m_connection.engine() == engine; }
    void guard(Group& group, const std::vector<TableRead*>& reads) const;
    std::unique_ptr<Group> groupOf(const std::vector<TableRead*>& reads) const;
    void complete(Unit& unit) const;
    void addItems(std::vector<db::BatchItem>& items, Group& group) const;
    static void split(Group& group, Groups& again, const TableReads& by);
    void judge(Group& group, std::span<const Result<qint64>> results, Groups& again,
        std::vector<TableRead*>& locked);
    void judgeUnit(Group& group, size_t failed, const Error& error, Groups& again);
    void searchLocks(const std::vector<TableRead*>& locked, const Ask& ask, Groups& again);
    void readCopies(const Ask& ask, std::chrono::steady_clock::time_point end, const std::stop_token& stop);

    db::Connection& m_connection;
    Groups m_groups;
    std::vector<TableRead*> m_copied;
    qsizetype m_items = 0;
    int m_rounds = 0; ///< of asking again, in this poll
    Cost m_cost;
};

/// The locks in the rows of the tables that are attached, and of those of the catalogue that may be read, as
/// this connection sees them now, without the lives of their holders; for acts, and not for display. Two
/// round trips. A table that can't be read is an error.
Result<QList<LockTableEntry>> readLocks(
    db::Connection& connection, const db::ServerProfile& profile, const CataloguePtr& catalogue);

} // namespace lockscope::frameworks
