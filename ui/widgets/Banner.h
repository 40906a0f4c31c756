// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/CellStyle.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;

namespace lockscope::ui {

/// One message above a table, with its sign: what is wrong and what to do. Hidden while there is none. Its
/// text can be selected, because it often holds a statement to run.
class Banner : public QFrame {
    Q_OBJECT

public:
    explicit Banner(QWidget* parent = nullptr);

    /// An empty `text` hides it.
    void setMessage(Tone tone, const QString& text, const QString& detail = {});
    QString message() const; ///< text and detail as shown
    /// A button behind the text.
    void addWidget(QWidget* widget);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Tone m_tone = Tone::Normal;
    QLabel* m_text;
    QHBoxLayout* m_layout;
};

} // namespace lockscope::ui
