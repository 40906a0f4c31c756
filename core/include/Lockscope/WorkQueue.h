// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/QueueReader.h"

#include <Lockscope/Server.h>

namespace lockscope {

/// A table that several programs read as a queue: `WorkQueue::open(server, table)`, then take() and done(). A
/// row that was taken and not done in QueueTable::redeliverAfter goes to another reader. One thread for each
/// WorkQueue. PostgreSQL and SQL Server; Unsupported elsewhere.
using WorkQueue = locks::QueueReader;
using locks::QueueRow;
using locks::QueueTable;

} // namespace lockscope
