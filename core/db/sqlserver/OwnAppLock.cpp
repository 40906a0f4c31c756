// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OwnAppLock.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

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
