// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Numbers.h"
#include "core/record/Recording.h"

#include <functional>
#include <vector>

namespace lockscope::record {

/// Drops from a recording what is not kept any longer: whole key frames with what follows them. What is
/// pinned stays, unless pins alone are more than is kept: then the oldest go. So does the last one. One
/// thread, that of the database.
class Pruning {
public:
    Pruning(Database& database, Numbers& numbers)
        : m_database(database)
        , m_numbers(numbers)
    {
    }
    /// Old is what is old by both clocks, the server's and the machine's that recorded: one that is set
    /// forward must not make all old at once. `leftovers`: also looks in whole tables for what nothing names
    /// any more.
    Result<void> run(const Retention& retention, ServerTime taken, ServerTime noted, bool leftovers);

private:
    struct Group { // a key frame with what follows it
        qint64 first;
        ServerTime from;
        ServerTime noted;
    };
    Result<std::vector<Group>> groups();
    Result<qint64> dropUntil(ServerTime before, ServerTime notedBefore);
    Result<qint64> dropBefore(qint64 keyFrame);
    Result<qint64> drop(ServerTime before, const std::function<bool(const Group&)>& isOld);
    Result<void> releasePins(qint64 bytes, ServerTime before, ServerTime now);
    Result<qint64> usedBytes();
    Result<void> dropLeftovers();

    Database& m_database;
    Numbers& m_numbers;
};

} // namespace lockscope::record
