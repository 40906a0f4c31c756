// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerUrl.h"
#include "core/db/credentials/Secrets.h"

#include <functional>

namespace lockscope::ui {

/// How to get to a server from another thread.
struct ServerReach {
    std::function<Result<db::ServerUrl>()> resolve; ///< may block, e.g. until the sandbox has started
    db::PasswordProvider passwords;
};

} // namespace lockscope::ui
