// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Session.h"

namespace lockscope::ui {

/// A script for a person to see how PostgreSQL would plan the statement of another session. We don't run it:
/// to plan a statement the server may call functions in it, with the rights of the session that asks, and
/// unqualified names depend on that session's search_path, which no other session can see.
struct ExplainByHand {
    QString text; ///< for psql; empty if there is none
    QString reasonAgainst; ///< why
};
ExplainByHand explainByHand(const Session& session);

} // namespace lockscope::ui
