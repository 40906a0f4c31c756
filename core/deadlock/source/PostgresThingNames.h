// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/deadlock/Deadlock.h"

#include <stop_token>

namespace lockscope::db {
class Connection;
}

namespace lockscope::deadlock {

/// Names the tables, and the advisory locks taken by this library's names, that reports of a log have by
/// number only: those of the connection's database, as they are called now. One round trip, and none where
/// nothing is to be named. What the role may not read, or is gone, keeps its number; an error is about the
/// connection.
Result<void> nameThings(QList<ReportPtr>& reports, db::Connection& connection, const std::stop_token& stop);

} // namespace lockscope::deadlock
