// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OwnAppLock.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

using Purpose = OwnAppLock::Purpose;

constexpr std::pair<QLatin1StringView, Purpose> beginnings[] = {
    {"lockscope:"_L1, Purpose::Queue},
    {"lockscope guard:"_L1, Purpose::Guard},
    {"lockscope session "_L1, Purpose::SessionLivenessLock},
};
constexpr auto installation = "lockscope installation"_L1;

} // namespace

std::optional<OwnAppLock> ownAppLock(const QString& name)
{
    if (name == installation)
        return OwnAppLock{Purpose::Installation, {}};
    for (const auto& [beginning, purpose] : beginnings) {
        if (name.startsWith(beginning) && name.size() > beginning.size())
            return OwnAppLock{purpose, name.mid(beginning.size())};
    }
    return std::nullopt;
}

QString displayed(const OwnAppLock& lock)
{
    switch (lock.purpose) {
    case Purpose::Queue:
        return u"queue of lock-table name '%1'"_s.arg(lock.detail);
    case Purpose::Guard:
        return u"guard of lock-table name '%1'"_s.arg(lock.detail);
    case Purpose::SessionLivenessLock:
        return u"life sign of a Lockscope session (%1)"_s.arg(lock.detail.left(8));
    case Purpose::Installation:
        return u"installation of Lockscope's schema"_s;
    }
    return {};
}

} // namespace lockscope::db
