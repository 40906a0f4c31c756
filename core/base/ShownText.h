// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

namespace lockscope {

/// Whether it moves the cursor, ends the line, turns the direction of writing, or is not to be seen.
bool steers(QChar character);

/// `text` of others so that it can't look like something else: line ends and tabs are spaces, and whatever
/// else steers is its code ("\u202e").
QString inOneLine(const QString& text);

} // namespace lockscope
