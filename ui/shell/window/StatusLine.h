// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/FrameworkReading.h"

#include <QStatusBar>
#include <QTimer>

class QLabel;
class QToolButton;

namespace lockscope::ui {

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

} // namespace lockscope::ui
