// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/LockedRow.h"

/// PostgreSQL's part of LockedRow.h: a lock gives the row's place, and one row is read by it.
namespace lockscope::monitor::postgres {

bool hasLockedRow(const Resource& resource);
Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop);
Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop);

} // namespace lockscope::monitor::postgres
