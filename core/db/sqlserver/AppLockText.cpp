// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/AppLockText.h"

#include <algorithm>

namespace lockscope::db {

using namespace Qt::StringLiterals;

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

namespace {

using AppLockPurpose = OwnAppLock::Purpose;

constexpr std::pair<QLatin1StringView, AppLockPurpose> beginnings[] = {
    {"lockscope:"_L1, AppLockPurpose::Queue},
    {"lockscope guard:"_L1, AppLockPurpose::Guard},
    {"lockscope session "_L1, AppLockPurpose::SessionLivenessLock},
};
constexpr auto installation = "lockscope installation"_L1;

} // namespace

std::optional<OwnAppLock> ownAppLock(const QString& name)
{
    if (name == installation)
        return OwnAppLock{AppLockPurpose::Installation, {}};
    for (const auto& [beginning, purpose] : beginnings) {
        if (name.startsWith(beginning) && name.size() > beginning.size())
            return OwnAppLock{purpose, name.mid(beginning.size())};
    }
    return std::nullopt;
}

QString displayed(const OwnAppLock& lock)
{
    switch (lock.purpose) {
    case AppLockPurpose::Queue:
        return u"queue of lock-table name '%1'"_s.arg(lock.detail);
    case AppLockPurpose::Guard:
        return u"guard of lock-table name '%1'"_s.arg(lock.detail);
    case AppLockPurpose::SessionLivenessLock:
        return u"life sign of a Lockscope session (%1)"_s.arg(lock.detail.left(8));
    case AppLockPurpose::Installation:
        return u"installation of Lockscope's schema"_s;
    }
    return {};
}

} // namespace lockscope::db
