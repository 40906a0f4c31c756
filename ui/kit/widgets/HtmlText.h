// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ShownText.h"
#include "core/report/Report.h"

namespace lockscope::ui {

/// The only way to put text into HTML in the window; tst_HostileNames finds others.
using report::htmlText;

} // namespace lockscope::ui
