// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/domain/LockRequest.h"
#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QMetaType>

#include <variant>

namespace lockscope::ui {

/// The subject of the detail pane: keys, not rows, so that it follows the same thing through the snapshots.
/// monostate = nothing is selected.
using DetailSubject =
    std::variant<std::monostate, SessionKey, LockRequestKey, LockTableKey, admin::AuditRecord>;

} // namespace lockscope::ui

Q_DECLARE_METATYPE(lockscope::ui::DetailSubject)
