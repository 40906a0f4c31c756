// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/postgres/PostgresSavepoint.h"

#include "core/locks/LockTimeout.h"

namespace lockscope::locks {

namespace {

db::BatchItem item(const char* path, std::vector<db::Param> params = {})
{
    return {&db::Statement::get(path), std::move(params), {}};
}

Result<void> rollBack(db::Connection& connection)
{
    const std::array undo{
        item("postgres/session/savepoint_rollback"), item("postgres/session/savepoint_release")};
    for (const Result<qint64>& undone : connection.executeBatch(undo))
        if (!undone)
            return Failure(undone.error());
    return {};
}

} // namespace

Result<std::vector<qint64>> runInSavepoint(db::Connection& connection, std::span<const db::BatchItem> items,
    std::optional<milliseconds> limit, const std::stop_token& stop)
{
    std::vector<db::BatchItem> batch{item("postgres/session/savepoint")};
    if (limit)
        batch.push_back(item("postgres/session/wait_limit", {postgresLockTimeout(*limit)}));
    const std::size_t first = batch.size();
    batch.insert(batch.end(), items.begin(), items.end());
    if (limit)
        batch.push_back(item("postgres/session/wait_limit_end"));
    // Who may cancel keeps the savepoint until it is known whether the lock stays.
    const bool mayBeCancelled = stop.stop_possible();
    if (!mayBeCancelled)
        batch.push_back(item("postgres/session/savepoint_release"));

    auto results = connection.executeBatch(batch, stop);
    if (!results.front())
        return Failure(results.front().error());
    // The first failure tells why; the ones after it only say that the transaction waits for its rollback.
    const auto failed =
        std::find_if(results.begin(), results.end(), [](const auto& result) { return !result; });
    if (failed != results.end() || stop.stop_requested()) {
        Error error;
        error.kind = ErrorKind::Cancelled;
        if (failed != results.end())
            error = failed->error();
        if (connection.isOpen())
            if (auto undone = rollBack(connection); !undone)
                return Failure(undone.error());
        return Failure(std::move(error));
    }
    if (mayBeCancelled)
        if (auto kept = connection.execute(db::Statement::get("postgres/session/savepoint_release")); !kept)
            return Failure(kept.error());
    std::vector<qint64> rows;
    for (std::size_t i = first; i < first + items.size(); ++i)
        rows.push_back(*results[i]);
    return rows;
}

} // namespace lockscope::locks
