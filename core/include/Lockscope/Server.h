// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"

#include <Lockscope/Result.h>

namespace lockscope {

/// A server and its passwords: `Server::parse(u"postgresql://ops@db/app"_s)`, which does not connect.
/// Passwords come from LOCKSCOPE_PASSWORD, else the desktop's keychain, else PostgreSQL's password file; to
/// give one, set `Server::passwords` to `fixedPassword(text)`. A program needs a QCoreApplication, through
/// which Qt finds its database drivers.
using db::fixedPassword;
using db::PasswordProvider;
using db::Server;

} // namespace lockscope
