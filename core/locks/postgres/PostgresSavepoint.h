// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::locks {

/// Runs `items` inside of a savepoint of the open transaction, so that a wait that ends in an error leaves
/// the transaction alive and nothing locked. `limit` is the lock_timeout meanwhile (−1 ms = none); without it
/// the session's own stays. One round trip if all goes well and nobody can cancel it. Returns the rows of
/// each item.
Result<std::vector<qint64>> runInSavepoint(db::Connection& connection, std::span<const db::BatchItem> items,
    std::optional<milliseconds> limit = {}, const std::stop_token& stop = {});

} // namespace lockscope::locks
