// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QDialog;

namespace lockscope::ui {

class AppContext;

/// Rejects the dialog when another server or a moment that is over comes on view: what it would do was meant
/// for what is there now. `context` outlives it.
void closeWithPresent(QDialog& dialog, const AppContext& context);

} // namespace lockscope::ui
