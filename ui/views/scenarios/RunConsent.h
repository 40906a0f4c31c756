// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QDialog>
#include <QList>
#include <QObject>
#include <QSet>

#include <functional>

class QPushButton;
class QCheckBox;
class QWidget;

namespace lockscope::ui {

class AppContext;
class NoticeBar;

/// Asks before a scenario runs on a server that is not the sandbox: names the server, and says before
/// anything is made there whether the rights are enough. GUI thread; the server is asked on another one.
class RunConsent : public QObject {
    Q_OBJECT

public:
    /// Its questions are about the server on view and go when another one, or a past time, is shown.
    RunConsent(AppContext& context, QWidget* window);

    struct Question {
        QString title; ///< of the scenario
        int sessions = 0;
        scenario::RunNeeds needs;
    };
    /// Calls `run`: at once on the sandbox and where the user has turned the question off; else when the user
    /// agrees, or emits refused(), as it does at once if a past time is on view.
    void ask(const db::Server& server, const Question& question, const std::function<void()>& run);
    /// Asks no question about this server while the window is open, as if the user had said so.
    void allow(const db::ServerUrl& url) { m_allowed.insert(url.toString()); }

Q_SIGNALS:
    void refused();

private:
    AppContext& m_context;
    QWidget* m_window;
    QSet<QString> m_allowed; ///< by address
    Worker m_asking; ///< ends with the window, whatever the server is doing
};

/// About runs of one scenario, one after the other.
RunConsent::Question questionOf(const QList<scenario::RunOrder>& orders);

/// "Run this there?": Cancel is the default, and Run only possible when the rights are known to be enough.
class RunQuestion : public QDialog {
    Q_OBJECT

public:
    RunQuestion(const QString& server, const RunConsent::Question& question, QWidget* parent);

    void showRights(const Result<scenario::RunRights>& rights);
    bool isNotToBeAskedAgain() const;

private:
    NoticeBar* m_answer;
    QCheckBox* m_again;
    QPushButton* m_run;
};

} // namespace lockscope::ui
