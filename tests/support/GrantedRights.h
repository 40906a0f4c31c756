// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

#include <QStringList>

namespace lockscope::test {

/// Every right in a schema of ours that somebody else than the object's owner has, from the server's
/// catalogue: "lock_entry|lockscope_reader|SELECT (name)". A right that may be passed on ends with an
/// asterisk.
QStringList rightsIn(db::Connection& connection, const QString& schema);

/// The same by the manual, from the table on this schema in the chapter "Security". Surrogate tables and days
/// of a history are those that exist.
QStringList rightsOfTheManual(db::Connection& connection, const QString& schema);

} // namespace lockscope::test
