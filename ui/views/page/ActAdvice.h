// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/Result.h"
#include "core/domain/Session.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <optional>

class QSettings;

namespace lockscope::ui {

class AppContext;

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

/// "Can I end this session?", asked of the server when another session is meant, and again after a while: the
/// right may have been granted meanwhile. After a refused login there is no further try from here. One
/// request at a time. GUI thread; never waits.
class ActAnswer : public QObject {
    Q_OBJECT

public:
    explicit ActAnswer(AppContext& context, QObject* parent = nullptr);

    /// Asks if nothing is known about that session, or not lately; nothing where acts are refused anyway.
    void askFor(const Session& session);
    /// Returns what is known about it; its text is empty while nothing is.
    ActAdvice adviceFor(const Session& session) const;

Q_SIGNALS:
    void changed();

private:
    bool isRefused() const;

    AppContext& m_context;
    std::optional<SessionKey> m_about;
    std::optional<Result<admin::ActRights>> m_rights;
    std::chrono::steady_clock::time_point m_askedAt;
    quint64 m_asked = 0; ///< the questions so far: an answer to an earlier one is dropped
    bool m_isAsking = false;
};

} // namespace lockscope::ui
