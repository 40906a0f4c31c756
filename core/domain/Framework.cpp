// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Framework.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

const FrameworkLock* Framework::lock(const QString& lockId) const
{
    const auto found =
        std::ranges::find_if(locks, [&lockId](const FrameworkLock& lock) { return lock.id == lockId; });
    return found == locks.end() ? nullptr : &*found;
}

QRegularExpression wholePattern(const QString& pattern)
{
    // "a)|(b" is fine inside of brackets only.
    const QRegularExpression alone(pattern);
    if (!alone.isValid())
        return alone;
    return QRegularExpression(u"(*LIMIT_MATCH=50000)"_s + QRegularExpression::anchoredPattern(pattern));
}

std::optional<QRegularExpressionMatch> matchWhole(const QRegularExpression& whole, const QString& text)
{
    if (text.size() > maxMatchedLength)
        return std::nullopt;
    auto match = whole.match(text);
    return match.hasMatch() ? std::optional(std::move(match)) : std::nullopt;
}

} // namespace lockscope
