// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Connection.h"

#include <stop_token>

// Steps of a check that are the same on engines whose driver says itself what is wrong on the way.

namespace lockscope::db {

/// Checks which version of Lockscope's schema there is, whether it is to be trusted, and who owns it. Blocks
/// for a few round trips. Failed only if nothing can be found out.
CheckStep checkSchema(Connection& connection);
/// Reports the version, or why there is no connection. Returns false if there is no going on.
bool reportOpened(const Result<std::unique_ptr<Connection>>& connection, const CheckSink& tell,
    const std::stop_token& stop);
/// Reports the schema's owner and everybody's rights in it. Returns false if it can't be used.
bool reportSchema(Connection& connection, const CheckSink& tell, const std::stop_token& stop);
void reportUnread(const QString& key, const QString& name, const Error& error, const CheckSink& tell);

} // namespace lockscope::db
