// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/db/Connection.h"
#include "core/db/ServerProfile.h"

namespace lockscope::ctl {

/// The server that the user meant, ready to connect to.
struct Target {
    db::ServerProfile profile;
    db::PasswordProvider passwords;

    /// From --server or $LOCKSCOPE_SERVER. Starts the sandbox if that is it: may take seconds.
    static Result<Target> from(const CommandLine& line);
    /// The same, for what changes something, as in "Can't `act`." Refused, before anything is asked or
    /// started, if the user wants to look only.
    static Result<Target> toChange(const CommandLine& line, const QString& act);
    Result<std::unique_ptr<db::Connection>> connect(db::Purpose purpose, bool createFile = false) const;

private:
    static Result<db::ServerUrl> urlFrom(const CommandLine& line);
    static Result<Target> at(const db::ServerUrl& url, const CommandLine& line);
};

} // namespace lockscope::ctl
