// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Session.h"

namespace lockscope::ui {

/// What a person can run to see how PostgreSQL would plan the statement of another session. We don't run it:
/// to plan a statement the server may call functions in it, with the rights of whoever asks, and unqualified
/// names mean what that session's search_path says, which nobody else is told.
struct ExplainByHand {
    QString text; ///< for psql; empty if there is none
    QString reasonAgainst; ///< why
};
ExplainByHand explainByHand(const Session& session);

} // namespace lockscope::ui
