// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/theme/Theme.h"

namespace lockscope::ui::theme {

/// Light or dark, whatever the program shows: for pictures. Not for System.
QPalette paletteOf(ThemeMode mode);

} // namespace lockscope::ui::theme
