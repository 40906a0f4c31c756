// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/CheckStep.h"
#include "core/db/Connection.h"

namespace lockscope::db {

/// Checks which version of Lockscope's schema there is, whether it is to be trusted, and who owns it. Blocks
/// for a few round trips. Failed only if nothing can be found out.
CheckStep checkSchema(Connection& connection);

} // namespace lockscope::db
