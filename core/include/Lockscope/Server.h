// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <Lockscope/Result.h>

namespace lockscope {

/// A server, its passwords and the way to it: `Server::parse(u"postgresql://ops@db/app"_s)`. Passwords come
/// from the environment, PostgreSQL's password file or the desktop's keychain; `fixedPassword` gives another
/// one. A program needs a QCoreApplication: Qt finds its database drivers through it.
using db::fixedPassword;
using db::PasswordProvider;
using db::Server;

} // namespace lockscope
