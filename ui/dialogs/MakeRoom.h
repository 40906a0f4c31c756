// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLayout>

#include <algorithm>

namespace lockscope::ui {

/// For texts and rows that appear: a dialog on view does not grow by itself. It never shrinks, so that
/// buttons do not move back and forth.
inline void makeRoom(QDialog& dialog)
{
    QLayout& layout = *dialog.layout();
    layout.invalidate(); // a form keeps the height that it had for this width
    layout.activate();
    const int width = dialog.width();
    dialog.resize(width, std::max(dialog.height(), layout.totalHeightForWidth(width)));
}

} // namespace lockscope::ui
