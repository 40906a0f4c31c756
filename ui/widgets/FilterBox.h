// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace lockscope::ui {

/// Where one types what rows must contain (see RowFilter). Esc empties it, and like Enter leads back to them.
class FilterBox : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterBox(QWidget& rows, QWidget* parent = nullptr);

    void focus(); ///< with what is in it selected
};

} // namespace lockscope::ui
