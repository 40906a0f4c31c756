// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QRegularExpression>
#include <QString>

#include <optional>

namespace lockscope::frameworks {

/// Longer texts match no pattern of a framework file.
inline constexpr qsizetype maxMatchedLength = 2'000;

/// A pattern of a framework file, over the whole of a text and with a limit on the work of one match: one
/// that goes back and forth for ever ends as no match. Invalid if it is no regular expression or would end
/// what surrounds it.
QRegularExpression wholePattern(const QString& pattern);
/// Returns nothing if it does not match, or if that took too much work.
std::optional<QRegularExpressionMatch> matchWhole(const QRegularExpression& whole, const QString& text);

} // namespace lockscope::frameworks
