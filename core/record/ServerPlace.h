// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

namespace lockscope::record {

/// Returns the server's place, independent of its name in the profile and of the login:
/// "postgres://db1:5432/shop", "sqlite:/srv/locks.db", "sandbox:". By this a recording knows its server
/// again; two addresses of the same server count as two.
QString serverPlace(const db::ServerUrl& url);

} // namespace lockscope::record
