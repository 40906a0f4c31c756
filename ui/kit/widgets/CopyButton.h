// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractButton;
class QString;

namespace lockscope::ui {

/// Copies the text, and says so on the button that was pressed for it, for two seconds.
void copyByButton(QAbstractButton& button, const QString& text);

} // namespace lockscope::ui
