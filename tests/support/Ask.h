// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::test {

/// The first column of the last row, as text; or what went wrong.
QString ask(db::Connection& connection, const QString& sql, std::initializer_list<db::Param> params = {});

/// Returns the options with which the monitor connects.
db::ConnectOptions monitorOptions(
    milliseconds statementTimeout, milliseconds connectTimeout = milliseconds(5'000));

} // namespace lockscope::test
