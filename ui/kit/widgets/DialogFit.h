// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;
class QWidget;

namespace lockscope::ui {

/// From now on each dialog of the program is as high as its texts need at its width, when it opens and when
/// they change, and stays within its screen: what does not fit scrolls, above the buttons. It never shrinks,
/// and grows upwards as far as the screen reaches, so that its buttons stay under the pointer that presses
/// them. Words longer than a line are broken. A user who drags its edge is not interfered with.
void fitDialogs(QApplication& app);

/// Makes the Tab key go through what is on view in `root` as one reads it: row by row, within a row from left
/// to right, through one pane after the other. Qt's own order is that in which the widgets were made.
void tabInReadingOrder(QWidget& root);
/// The same each time `root` comes into view, as soon as it is laid out.
void keepReadingOrder(QWidget& root);

} // namespace lockscope::ui
