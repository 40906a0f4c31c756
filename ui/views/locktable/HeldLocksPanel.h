// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

namespace lockscope::ui {

class HeldLocks;

/// One line for each lock of this window, with its Release. Hidden while there is none.
class HeldLocksPanel : public QFrame {
    Q_OBJECT

public:
    explicit HeldLocksPanel(HeldLocks& locks, QWidget* parent = nullptr);

private:
    void rebuild();

    HeldLocks& m_locks;
    QWidget* m_lines = nullptr;
};

} // namespace lockscope::ui
