// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ShownText.h"

#include <QList>

namespace lockscope::test {

/// Names of others that would deceive who reads them.
inline const QString hostileName = QStringLiteral(
    "or\u202Ened\u2066x\u200B\u200F\u2060\uFEFF\u061C\u180E\u00AD\uFE0F\u2028\u2029\n\r\t\x1b[31m\U000E0041");
/// The same where the engine allows 63 bytes only.
inline const QString shortHostileName =
    QStringLiteral("o\u202Ee\u2066x\u200B\u2060\uFEFF\u00AD\u2028\nFORGED\t\x1b[31m");

/// The same for what stands in URLs, which take no control characters.
inline const QString hostileLogin = QStringLiteral("o\u202Ee\u2066x\u200B\u2060\uFEFF\u00AD\u2028");

/// Returns the characters of `text` that must not be shown so; empty if there are none.
inline QString deceitIn(const QString& text, bool mayHaveLines)
{
    for (const char32_t c : text.toUcs4())
        if (steersCode(c) && !(mayHaveLines && (c == U'\n' || c == U'\t')))
            return QStringLiteral("U+%1 in %2").arg(uint(c), 4, 16, QChar(u'0')).arg(inOneLine(text));
    // A name of its own line would look like one of ours.
    return text.contains(QLatin1String("\nFORGED"))
        ? QStringLiteral("a line of its own in %1").arg(inOneLine(text))
        : QString();
}

} // namespace lockscope::test
