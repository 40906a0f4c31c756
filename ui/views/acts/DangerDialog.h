// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/Result.h"
#include "core/domain/DangerText.h"
#include "ui/views/page/ActAdvice.h"

#include <QDialog>

#include <optional>

class QComboBox;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSettings;

namespace lockscope::ui {

class NoticeBar;

/// The code of the database that runs when rows are freed, as what will follow; empty if none does.
QStringList describeFired(const admin::FiredCode& fired);
/// For a role of the server that an installation may use although somebody else seems to have made it: says
/// which members get which rights by that, and what will follow.
QString describeMembers(const QString& role, const QStringList& members);
QString describeAdopted(const QString& role, const QStringList& members);
/// `script` is the one that will be run: what it creates is read off it. `where`: server and database.
DangerText describeInstall(const QString& script, const QString& where, const QString& user);

/// Shows facts, consequences, the user's rights here, and a reason if one is due. Never acts by itself:
/// `confirmed` gives the reason; the caller that acts then shows how it went. No button is the default: Enter
/// behind the reason goes to the button of the act, and only a second press there acts; a key that is held
/// down does not.
class DangerDialog : public QDialog {
    Q_OBJECT

public:
    /// Remembers recent reasons in `settings`.
    explicit DangerDialog(QSettings& settings, QWidget* parent = nullptr);

    void setText(const DangerText& text);
    /// Shows whether it can be done, above the reason; the button of the act follows.
    void setAdvice(const ActAdvice& advice);
    /// Sets further consequences that became known since.
    void setMore(const QStringList& consequences);
    /// Asked the server; nothing can be pressed but Close.
    void setBusy(const QString& doing);
    /// It was done, but the server has more to do: how far it is. Closing changes nothing.
    void showProgress(const QString& text, std::optional<int> percent);
    /// It was done, but how far the server is can't be seen at present: why not. Until the next showProgress.
    void showProgressUnknown(const QString& text, const Error& error);
    /// Back to the question, with what failed and what to do about it. `remedy`: a button that does something
    /// about it (remedyChosen).
    void showFailure(const Error& error, const QString& remedy = {});
    void clearFailure();
    /// There is nothing to act on: says why; only Close is left.
    void showNothingToDo(const QString& why);

    QString reason() const;

Q_SIGNALS:
    void confirmed(const QString& reason);
    /// Acts may be recorded in a local file from now on.
    void localAuditAllowed();
    void remedyChosen();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void offerReasons();
    void arrange();
    void takeFocus();
    void updateButton();
    void showConsequences();
    void showReason(bool shown);

    QSettings& m_settings;
    QLabel* m_title;
    QGridLayout* m_facts;
    QLabel* m_consequences;
    QPlainTextEdit* m_script;
    NoticeBar* m_warning; ///< the risk
    NoticeBar* m_vendor; ///< by which command the lock's framework frees it itself
    QLabel* m_reasonLabel;
    QComboBox* m_reason;
    NoticeBar* m_failure;
    QProgressBar* m_progress;
    NoticeBar* m_answer; ///< whether it can be done
    QPushButton* m_copy;
    QPushButton* m_act;
    QPushButton* m_cancel;
    QString m_statement;
    QString m_refusal; ///< on the button that does nothing
    QStringList m_said; ///< of what will follow
    QStringList m_more;
    ActAdvice m_advice;
    bool m_ready = false;
    bool m_reasoned = true;
};

} // namespace lockscope::ui
