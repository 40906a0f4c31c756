// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/AppLockText.h"

#include <algorithm>

namespace lockscope::db {

bool isHex(QStringView text)
{
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar c) {
        return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F');
    });
}

bool AppLockText::matches(QStringView fullName) const
{
    if (!mayBeCut())
        return fullName == name;
    QStringView visible = name;
    if (visible.back().isHighSurrogate() || visible.back() == QChar::ReplacementCharacter)
        visible.chop(1);
    return fullName.startsWith(visible);
}

std::optional<AppLockText> parseAppLockText(QStringView description)
{
    const qsizetype colon = description.indexOf(u':');
    const QStringView digits = description.left(std::max<qsizetype>(colon, 0));
    bool fits = std::all_of(digits.begin(), digits.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
    const quint32 principal = fits ? digits.toUInt(&fits) : 0;
    if (!fits || description.size() <= colon + 1 || description[colon + 1] != u'[')
        return std::nullopt;
    AppLockText text;
    text.principal = principal;
    QStringView rest = description.mid(colon + 2);
    // From the end, because the name may hold all that parts it.
    const qsizetype open = rest.lastIndexOf(u"]:(");
    if (open >= 0 && rest.endsWith(u')') && isHex(rest.mid(open + 3).chopped(1))) {
        text.hash = rest.mid(open + 3).chopped(1).toString().toLower();
        rest = rest.left(open);
    } else if (rest.endsWith(u']')) {
        rest.chop(1);
    }
    text.name = rest.toString();
    return text;
}

} // namespace lockscope::db
