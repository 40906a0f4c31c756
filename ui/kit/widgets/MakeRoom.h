// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QDialog;

namespace lockscope::ui {

/// Enlarges a dialog on view for texts and rows that appear: it does not grow by itself as far as it should.
/// It never shrinks, so that buttons do not move back and forth.
void makeRoom(QDialog& dialog);

/// From now on the dialog, while it is on view, grows upwards as far as the screen reaches: the buttons at
/// its end stay under the pointer that presses them. A user who drags its edge is not interfered with.
void keepButtonsInPlace(QDialog& dialog);

} // namespace lockscope::ui
