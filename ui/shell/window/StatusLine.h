// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/ServerCheck.h"
#include "core/record/Recorder.h"
#include "core/record/postgres/HistoryUpload.h"

#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

class QLabel;
class QToolButton;

namespace lockscope::ui {

class ShownServer;

/// Shows the poll's cost, its rows, missing rights; and the result of the latest act.
class StatusLine : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    void showCost(const PollCost& cost, milliseconds effectiveInterval, milliseconds requestedInterval);
    void showCount(const QString& text);
    /// Shows which rights are missing, and with whose frameworks' tables are read.
    void showRights(
        const std::vector<Limitation>& limitations, const monitor::FrameworkReading& reading = {});
    /// Stays for 12 s.
    void say(const QString& text) { sayDone(text, 0); }
    /// Stays as long, or while its link has the focus; with an audit id it links to the audit page.
    void sayDone(const QString& text, qint64 auditId);
    /// Shows a message that answers no act of the user: it does not replace such an answer, but waits until
    /// that ends.
    void sayNext(const QString& text);
    void clearServer();

Q_SIGNALS:
    void auditRequested(qint64 id);

private:
    void forget();

    QLabel* m_message;
    QLabel* m_cost;
    QLabel* m_count;
    QToolButton* m_rights;
    QString m_rightsText;
    QTimer m_forget{this};
    QStringList m_next; ///< wait to be shown
};

/// Says whether what is seen of the server on view is recorded, how much there is, or why it is not; its menu
/// turns that off and on. Hidden where there is nothing to record: no server, or a recording on view.
class RecorderButton : public QToolButton {
    Q_OBJECT

public:
    explicit RecorderButton(ShownServer& shown, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Emitted when something happened that the user has to know: a file was set aside.
    void said(const QString& text);
    void turned(bool on); ///< for the server on view
    void settingsRequested();
    void newFileRequested();

private:
    void update();
    void fillMenu();

    ShownServer& m_shown;
    QString m_saidNews;
    QString m_saidExposure;
    QString m_saidAside;
};

/// Returns a few words: "● Recorded, 6 h 12 min, 84.0 MB". `isOld`: there is nothing new at present.
QString recorderText(const record::RecorderState& state, bool isOld);
/// Returns the text for the upload to a team's history, behind that: "→ history", "▲ history can't be
/// reached, up to 12:04:31".
QString uploadText(const record::UploadState& state);
QString uploadToolTip(const record::UploadState& state);
/// Names the file, how long it is kept, and any fault of writing.
QString recorderToolTip(const record::RecorderState& state);

} // namespace lockscope::ui
