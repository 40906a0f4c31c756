// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QDialog;

namespace lockscope::ui {

class AppContext;

/// Rejects the dialog when another server or a past time comes on view: its act was meant for the present
/// rows. `context` outlives it.
void closeWithPresent(QDialog& dialog, const AppContext& context);

} // namespace lockscope::ui
