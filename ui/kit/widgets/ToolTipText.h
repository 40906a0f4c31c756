// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ShownText.h"
#include "core/report/Report.h"

#include <QString>

namespace lockscope::ui {

/// The only way to put text into HTML in the window; tst_HostileNames finds others.
using report::htmlText;

/// Plain text for a tooltip, which else takes for HTML what looks so: names and statements are others'. Its
/// lines stay lines. Empty stays empty.
inline QString toolTipText(const QString& text)
{
    return text.isEmpty()
        ? QString()
        : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(inLines(text).toHtmlEscaped());
}

/// Text for a menu or a button, which else takes an ampersand for the mark of a key.
inline QString inMenu(const QString& text)
{
    return inOneLine(text).replace(QLatin1Char('&'), QLatin1String("&&"));
}

} // namespace lockscope::ui
