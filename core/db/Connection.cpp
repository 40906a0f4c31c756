// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Connection.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

QString purposeName(Purpose purpose)
{
    static constexpr EnumTable<Purpose> names({u"monitor", u"lock", u"admin", u"workload"});
    return names[purpose].toString();
}

milliseconds statementTimeoutOf(const ConnectOptions& options)
{
    if (options.statementTimeout.count() > 0)
        return options.statementTimeout;
    const bool isShort = options.purpose == Purpose::Monitor || options.purpose == Purpose::Admin;
    return milliseconds(isShort ? 10'000 : 0);
}

Result<void> Connection::begin()
{
    LOCKSCOPE_TRY(beginTransaction());
    noteTransaction();
    return {};
}

void Connection::forgetJudged()
{
    m_schemaFaults = {};
    m_judged = {};
}

Error Connection::cancelled(const QString& what) const
{
    return Error{.kind = ErrorKind::Cancelled,
        .what = what,
        .server = m_url.display(),
        .detail = QStringLiteral("It was cancelled on our side.")};
}

Result<void> Connection::reopen()
{
    return failure(ErrorKind::Unsupported, QStringLiteral("Can't take up this connection again."),
        QStringLiteral("Open another one."));
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): those who can wait keep the token
Result<std::optional<QString>> Connection::waitForNotification(milliseconds, std::stop_token)
{
    return failure(ErrorKind::Unsupported, QStringLiteral("Can't wait for a notification."),
        m_dialect->reasonAgainst(Capability::Notifications));
}

} // namespace lockscope::db
