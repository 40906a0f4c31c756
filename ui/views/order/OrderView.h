// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/PotentialDeadlock.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;

namespace lockscope::ui {

class OrderPicture;

/// One potential deadlock: what it means, drawn, and its witnesses side by side.
class OrderView : public QWidget {
    Q_OBJECT

public:
    explicit OrderView(QWidget* parent = nullptr);

    void show(const std::optional<order::PotentialDeadlock>& found);

private:
    QLabel* m_meaning;
    OrderPicture* m_picture;
    QHBoxLayout* m_row;
    QList<QPlainTextEdit*> m_witnesses;
};

/// Returns the facts of a session that took two locks in this order. Plain text.
QString witnessText(const order::Leg& leg);

} // namespace lockscope::ui
