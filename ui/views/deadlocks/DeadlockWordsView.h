// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Finding.h"

#include <QTextBrowser>

#include <optional>

namespace lockscope::ui {

/// Returns the cure in one line: "This is the cure: lock in one order …", or that the report shows none.
QString deadlockCure(const QList<deadlock::Finding>& findings);

/// A deadlock in words: the cure, what happened step by step, what else was found, and, folded until somebody
/// asks for it, the evidence. GUI thread.
class DeadlockWordsView : public QTextBrowser {
    Q_OBJECT

public:
    explicit DeadlockWordsView(QWidget* parent = nullptr);

    void show(const std::optional<deadlock::Deadlock>& deadlock);
    void showEvidence(bool shown);

private:
    void write();

    std::optional<deadlock::Deadlock> m_deadlock;
    bool m_isEvidenceShown = false;
};

} // namespace lockscope::ui
