// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"

#include <QList>
#include <QMetaType>
#include <QString>

#include <variant>

namespace lockscope::ui {

/// A page's request to act. Each carries exactly the row that the user saw, so that the server can compare
/// before it acts. The receiver shows the danger dialog first (ActRunner).
struct ReleaseEntryAction {
    LockTableEntry entry;
};
struct PurgeStaleAction { };
struct CancelStatementAction {
    Session session;
};
/// Several at once: one dialog, one reason, an audit record for each.
struct CancelStatementsAction {
    QList<Session> sessions;
};
struct EndSessionAction {
    Session session;
};
struct AcquireAction {
    QString name; ///< proposed; may be empty
};
/// Creates Lockscope's own tables on the server on view.
struct InstallSchemaAction { };

using Action = std::variant<ReleaseEntryAction, PurgeStaleAction, CancelStatementAction,
    CancelStatementsAction, EndSessionAction, AcquireAction, InstallSchemaAction>;

/// The subject of the detail pane: keys, not rows, so that it follows the same thing through the snapshots.
/// monostate = nothing is selected.
using DetailSubject =
    std::variant<std::monostate, SessionKey, LockRequestKey, LockTableKey, admin::AuditRecord>;

} // namespace lockscope::ui

Q_DECLARE_METATYPE(lockscope::ui::Action)
Q_DECLARE_METATYPE(lockscope::ui::DetailSubject)
