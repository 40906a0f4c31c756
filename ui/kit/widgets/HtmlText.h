// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ShownText.h"

namespace lockscope::ui {

/// Text of others as a part of HTML: no tags, and nothing in it deceives who reads it. The only way to put
/// text into HTML in the window; tst_HostileNames finds others.
inline QString htmlText(const QString& text)
{
    return inLines(text).toHtmlEscaped();
}

} // namespace lockscope::ui
