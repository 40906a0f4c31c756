// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/AgeThresholds.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace lockscope::ui {

/// One line across the page that says what is wrong or missing, with something to copy and something to
/// press. Hidden while it has nothing to say.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    explicit NoticeBar(QWidget* parent = nullptr);

    /// `copyable` (a statement to run, say) stands in monospace with a Copy button; both may be empty.
    void say(AgeLevel level, const QString& text, const QString& copyable = {}, const QString& more = {});
    void clear();
    void setAction(const QString& text); ///< a button on the right; empty = none
    QString text() const;
    QString copyable() const { return m_copyable; }

Q_SIGNALS:
    void actionTriggered();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_sign;
    QLabel* m_text;
    QLabel* m_code;
    QPushButton* m_copy;
    QPushButton* m_action;
    QString m_copyable;
    AgeLevel m_level = AgeLevel::Normal;
};

} // namespace lockscope::ui
