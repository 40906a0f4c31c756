// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/LockedRow.h"

/// SQL Server's part of LockedRow.h: a lock gives a hash, not a key, and to find the row the whole index has
/// to be read.
namespace lockscope::monitor::sqlserver {

bool hasLockedRow(const Resource& resource);
Result<LockedRowPlace> lockedRowPlace(
    db::Connection& connection, const Resource& resource, const std::stop_token& stop);
Result<QStringList> findLockedRow(
    db::Connection& connection, const LockedRowPlace& place, const std::stop_token& stop);

} // namespace lockscope::monitor::sqlserver
