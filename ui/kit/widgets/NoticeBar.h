// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/domain/Thresholds.h"

#include <QFrame>
#include <QString>

class QBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockscope::ui {

/// A fault or a missing right, and what to do.
struct BarNotice {
    AgeLevel level = AgeLevel::Normal;
    QString text{};
    QString detail{}; ///< more words behind it; the text stands out then
    QString copyable{}; ///< a statement to run, say: in monospace with a Copy button
    QString tip{};

    /// Returns what an error is, with its reason and its remedy.
    static BarNotice of(const Error& error, AgeLevel level = AgeLevel::Red, const QString& tip = {});
};

/// One message across a page or a dialog, with something to copy and something to press. Hidden while it has
/// nothing to say.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    enum class Shape { Strip, Card }; ///< from edge to edge, or with round corners among other things
    explicit NoticeBar(Shape shape, QWidget* parent = nullptr);

    void say(const BarNotice& notice);
    void clear();
    /// A button on the right; empty = none. With a reason against it, it is grey and says so.
    void setAction(const QString& text, const QString& reasonAgainst = {});
    QString text() const; ///< text and detail as shown; empty while hidden
    QString copyable() const { return m_notice.copyable; }
    /// A cross at its end: hides it until it has something else to say, or was cleared.
    void setDismissable(bool dismissable);

Q_SIGNALS:
    void actionTriggered();
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void colorSign();
    void arrangeWords();

    Shape m_shape;
    BarNotice m_notice;
    QLabel* m_sign;
    QBoxLayout* m_words;
    QLabel* m_text;
    QLabel* m_code;
    QPushButton* m_copy;
    QPushButton* m_action;
    QToolButton* m_dismiss;
    QString m_dismissedText;
};

} // namespace lockscope::ui
