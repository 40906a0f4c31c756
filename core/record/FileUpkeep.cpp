// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FileUpkeep.h"

#include "core/record/Changes.h"

#include <chrono>

namespace lockscope::record {

namespace {

constexpr int leftoversEvery = 60; // prunings: rows that nothing names any more are searched in whole tables
constexpr std::chrono::milliseconds slice{10};

} // namespace

Result<void> FileUpkeep::prune(
    const Retention& retention, const SnapshotPtr& last, ServerTime lastNoted, ServerTime now)
{
    ServerTime taken = last ? last->takenAt : now;
    if (now.isValid() && !last) {
        const auto read = m_database.run("recording/recording/latest", {}, [&](const Database::Row& row) {
            taken = ServerTime{row.number(0)} + (now - ServerTime{row.number(1)});
        });
        if (!read)
            return read;
    }
    m_pruning.reset();
    Pruning pruning(m_database, m_numbers);
    pruning.begin(retention, taken, now.isValid() ? now : lastNoted,
        now.isValid() || m_prunings++ % leftoversEvery == 0);
    Result<void> pruned;
    while (pruned && !pruning.isDone())
        pruned = pruning.goOn();
    return pruned;
}

Result<bool> FileUpkeep::checkpoint()
{
    if (!m_database.isCheckpointDue())
        return false;
    const auto done = m_database.checkpoint();
    return done ? Result<bool>(true) : Failure(done.error());
}

Result<bool> FileUpkeep::pruneSome(const Retention& retention, ServerTime lastTaken, ServerTime lastNoted)
{
    if (!m_pruning) {
        m_pruning.emplace(m_database, m_numbers);
        m_pruning->begin(retention, lastTaken, lastNoted, m_prunings++ % leftoversEvery == 0);
    }
    const auto began = std::chrono::steady_clock::now();
    while (!m_pruning->isDone() && std::chrono::steady_clock::now() - began < slice) {
        if (auto done = m_pruning->goOn(); !done) {
            m_pruning.reset();
            return Failure(done.error());
        }
    }
    const bool hasMore = !m_pruning->isDone();
    if (!hasMore)
        m_pruning.reset();
    return hasMore;
}

Result<void> FileUpkeep::measure(Span& span, qint64& bytes)
{
    return Steps(m_database)
        .run("recording/recording/span", {},
            [&span](const Database::Row& row) {
                span = {{row.number(0)}, {row.number(1)}, row.number(2)};
            })
        .number("recording/recording/used_bytes", bytes)
        .result();
}

Result<Pruned> FileUpkeep::tryPrune(
    const Retention& retention, const SnapshotPtr& last, ServerTime lastNoted, ServerTime now)
{
    const Changes takenBack(m_database);
    if (!takenBack.begun())
        return Failure(takenBack.begun().error());
    Pruned pruned;
    Result<void> done = measure(pruned.before, pruned.bytesBefore);
    if (done)
        done = prune(retention, last, lastNoted, now);
    if (done)
        done = measure(pruned.after, pruned.bytesAfter);
    return ifDone(done, pruned);
}

Result<void> FileUpkeep::compact()
{
    for (const char* step : {"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
        if (auto done = m_database.script(step); !done)
            return done;
    }
    return {};
}

} // namespace lockscope::record
