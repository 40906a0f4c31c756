// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/admin/ServerAdmin.h"

namespace lockscope::admin {

/// The server's own words, where it had some.
inline QString reasonOf(const Error& error)
{
    return error.detail.isEmpty() ? error.what : error.detail;
}

/// An act that is about to be done, in the words of the audit.
struct ServerAdmin::AuditedAct {
    Act act;
    QString target;
    QString reason;
    QString shown; ///< the state that was shown, as JSON
    bool isLocal = false; ///< recorded in the local file, not on the server
};

} // namespace lockscope::admin
