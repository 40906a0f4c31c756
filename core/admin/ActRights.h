// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/admin/FiredCode.h"

#include <QString>

#include <optional>

namespace lockscope::admin {

/// The rights for acts that this login has or lacks, found out before anything is done (ServerAdmin::rights).
struct ActRights {
    enum class Audit {
        Open, ///< the server records what we do
        Closed, ///< there is an audit, but not for this login: grantToRecord
        Missing, ///< the database has none
    };
    Audit audit = Audit::Missing;
    QString grantToRecord; ///< a statement for an administrator; empty where none helps
    /// True if the session that was asked for may be ended, or its statement cancelled, or the rows deleted;
    /// nothing: none was asked for, the server does not tell, or the session has gone.
    std::optional<bool> mayAct;
    QString grantToAct; ///< a statement for an administrator; empty where none helps
    QString whyNot; ///< the reason where no grant helps: a sentence
    bool hasGone = false; ///< the session is not there any more (PostgreSQL)
    FiredCode fired{}; ///< of rows: the code of the database that runs when they are freed
    /// the reason, where the audit is missing, against a local file; empty: it can be used
    QString whyNoFile{};

    bool operator==(const ActRights&) const = default;
};

} // namespace lockscope::admin
