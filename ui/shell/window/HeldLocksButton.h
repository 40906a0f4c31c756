// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace lockscope::ui {

class HeldLocks;

/// Says on every page, whatever server is on view, that this window holds locks or waits for some; its menu
/// releases them. Hidden while there is none.
class HeldLocksButton : public QToolButton {
    Q_OBJECT

public:
    explicit HeldLocksButton(HeldLocks& locks, QWidget* parent = nullptr);

private:
    void update();
    void fillMenu();

    HeldLocks& m_locks;
};

} // namespace lockscope::ui
