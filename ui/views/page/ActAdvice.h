// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"

#include <QString>

class QSettings;

namespace lockscope::ui {

/// The answer to "can I do this?" before the click: for the banner and for the dialog.
struct ActAdvice {
    AgeLevel level = AgeLevel::Normal;
    QString text; ///< the answer in a sentence; empty: nothing is known
    QString detail{}; ///< another way that works, or the place where it is recorded
    QString grant{}; ///< a statement for an administrator; may be empty
    bool isPossible = true; ///< as far as is known: the server checks again
    bool needsConsent = false; ///< it would be possible with a record in a local file
    bool offersStatement = true; ///< a statement for other programs is safe to give away

    bool operator==(const ActAdvice&) const = default;
};

/// AttachedRow: of a table that is not ours, attached or a framework's.
enum class ActOn { Session, Entry, AttachedRow };

/// False while somebody is blocked, and for a login that lacks rights for monitoring: nobody installs a
/// schema in an emergency.
bool offersInstallation(const Snapshot& snapshot);

/// Returns the advice while the server is being asked.
ActAdvice askingAdvice();
/// `localAudit`: the file for records, empty unless the user allows acts that only it records.
/// `hasStatement`: there is a statement that does the same elsewhere.
ActAdvice adviceOn(
    const Result<admin::ActRights>& rights, ActOn what, const QString& localAudit, bool hasStatement);

/// The setting for servers of which nothing else was said (AppContext::allowsLocalAudit): whether acts on
/// databases without an audit table are done and recorded in a local file. Off until the user says so: a file
/// in the hands of the one who acts is no evidence for others, so that an act without the server's audit is a
/// decision that somebody takes knowingly.
bool allowsLocalAudit(const QSettings& settings);
void allowLocalAudit(QSettings& settings, bool allowed);

} // namespace lockscope::ui
