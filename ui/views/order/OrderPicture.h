// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/PotentialDeadlock.h"

#include <QWidget>

#include <optional>

namespace lockscope::ui {

/// Opposite orders drawn: the locks beside each other, and a line for each order, from the lock that was
/// taken first to the one that was taken after it.
class OrderPicture : public QWidget {
    Q_OBJECT

public:
    explicit OrderPicture(QWidget* parent = nullptr);

    void show(const std::optional<order::PotentialDeadlock>& found);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int rowHeight() const;

    std::optional<order::PotentialDeadlock> m_found;
};

} // namespace lockscope::ui
