// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/Backoff.h"
#include "core/locks/Lock.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/page/ActAdvice.h"
#include "ui/views/page/Actions.h"
#include "ui/views/page/AppContext.h"

#include <QDialog>
#include <QObject>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QWidget;

namespace lockscope::ui {

/// Asks for a name to lock from this window, to test or to block others on purpose: by any kind of lock that
/// the engine has.
class AcquireDialog : public QDialog {
    Q_OBJECT

public:
    AcquireDialog(const QString& name, Engine engine, QWidget* parent = nullptr);

    locks::LockOptions lock() const;

Q_SIGNALS:
    void lockRequested(const lockscope::locks::LockOptions& lock);

private:
    void offer(Engine engine);
    locks::LockKind kind() const;
    void showWhatMatters();
    void updateButton();

    QLineEdit* m_name;
    QComboBox* m_kind;
    QComboBox* m_mode;
    QComboBox* m_owner;
    QCheckBox* m_wait;
    QLabel* m_complaint;
    QFormLayout* m_form;
    QPushButton* m_acquire = nullptr;
};

/// Turns what a page asks for into the danger dialog and the call: connect every Page::requestAct to `run`.
/// Returns at once; the dialog is not modal to the event loop and the server is asked on another thread.
class ActRunner : public QObject {
    Q_OBJECT

public:
    ActRunner(AppContext& context, QWidget* window);

    /// Opens the dialog for `action`; says by `refused` why not, if it is not possible here.
    void run(const lockscope::ui::Action& action);

Q_SIGNALS:
    /// Done: for the status line. `auditId` is 0 if there is no audit row to link to. Time for a poll. If
    /// another server is on view meanwhile, the message begins with the name of the one that is meant; so for
    /// `refused`.
    /// `released`: the rows that it freed, as they were.
    void done(const QString& message, qint64 auditId, const QList<lockscope::LockTableEntry>& released);
    void refused(const QString& reason);
    /// The act that was requested of `server`, on which sessions, and its result: also if another server is
    /// on view meanwhile.
    void acted(const lockscope::db::ServerProfile& server, const QString& what, qint64 auditId,
        const QList<lockscope::Session>& sessions);

private:
    using Call = std::function<Result<admin::Done>(admin::ServerAdmin&, const QString& reason)>;

    /// The rows or sessions to act on; the server is asked what may be done with them.
    struct Target {
        QList<Session> sessions;
        QList<LockTableEntry> rows;

        ActOn kind() const;
    };
    /// `ended`: the session is ended, to follow it until it is gone.
    void ask(const DangerText& text, const Call& call, const Target& target,
        const std::optional<Session>& ended = {});
    void tell(const db::ServerProfile& server, const Result<QString>& text, qint64 auditId,
        const QList<LockTableEntry>& released);
    using Failed = std::function<void(DangerDialog*, const Error&)>; ///< instead of showing the error
    void actOnConfirmation(DangerDialog* dialog, const Call& call, const QStringList& afterwards = {},
        const std::optional<Session>& ended = {}, const Failed& failed = {}, const Target& target = {});
    /// Says in the dialog what the user may do here, with that target, and what fires then.
    void askRights(DangerDialog* dialog, const Target& target, bool hasStatement);
    void follow(DangerDialog* dialog, const Session& session, const QStringList& afterwards,
        const std::shared_ptr<Backoff>& pauses);
    QString localAuditFile() const;
    void purge();
    void acquire(const QString& name);
    void install();
    void installOnConfirmation(DangerDialog* dialog, const QStringList& adopted);
    void offerRole(DangerDialog* dialog, const QStringList& adopted, const Error& error);
    DangerDialog* makeDialog();
    SnapshotPtr snapshot() const;

    AppContext& m_context;
    QWidget* m_window;
};

} // namespace lockscope::ui
