// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace lockscope::ui {

/// Makes the Tab key go through what is on view in `root` as one reads it: row by row, within a row from left
/// to right, through one pane after the other. Qt's own order is that in which the widgets were made.
void tabInReadingOrder(QWidget& root);
/// The same each time `root` comes into view, as soon as it is laid out.
void keepReadingOrder(QWidget& root);

} // namespace lockscope::ui
