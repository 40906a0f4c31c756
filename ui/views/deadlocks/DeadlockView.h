// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QTabWidget>

#include <optional>

class QLabel;
class QPlainTextEdit;

namespace lockscope::ui {

class DeadlockPicture;
class DeadlockWordsView;

/// One deadlock: drawn, in words with what the rules find, its sessions, and the report as it stood.
class DeadlockView : public QTabWidget {
    Q_OBJECT

public:
    explicit DeadlockView(QWidget* parent = nullptr);

    void show(const std::optional<deadlock::Deadlock>& deadlock);
    /// Adds one more view of it, which gets its data elsewhere.
    void addPanel(QWidget* panel, const QString& title);

private:
    QPlainTextEdit* addText(const QString& title, const QString& name);

    QLabel* m_cure;
    DeadlockPicture* m_picture;
    DeadlockWordsView* m_words;
    QPlainTextEdit* m_sessions;
    QPlainTextEdit* m_report;
};

/// Returns the facts of each of its sessions.
QString deadlockSessions(const deadlock::Deadlock& deadlock);

} // namespace lockscope::ui
