// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "Arguments.h"
#include "ui/shell/window/MainWindow.h"

#include <QObject>

namespace lockscope::app {

/// Takes the picture that --screenshot asks for and ends the program: 0 if it shows a snapshot (or errors are
/// allowed), else 1 with the reason on standard error.
class Screenshot : public QObject {
    Q_OBJECT

public:
    Screenshot(ui::MainWindow& window, const Arguments& arguments);

private:
    void take();
    void takeIfReady();
    bool hasSnapshot() const;

    ui::MainWindow& m_window;
    Arguments m_arguments;
    bool m_due = false; ///< the time that was asked for is over
    bool m_taken = false;
};

} // namespace lockscope::app
