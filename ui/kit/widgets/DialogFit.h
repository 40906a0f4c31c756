// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;

namespace lockscope::ui {

/// From now on each dialog of the program is as high as its texts need at its width, when it opens and when
/// they change, and stays within its screen: what does not fit scrolls, above the buttons. It never shrinks,
/// and grows upwards as far as the screen reaches, so that its buttons stay under the pointer that presses
/// them. Words longer than a line are broken. A user who drags its edge is not interfered with.
void fitDialogs(QApplication& app);

} // namespace lockscope::ui
