// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/SessionLivenessLock.h"

#include <QUuid>

namespace lockscope::locks {

QString SessionLivenessLock::name()
{
    if (m_name)
        return *m_name;
    const QString wanted =
        QStringLiteral("lockscope session ") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    qint64 answer = -1;
    const auto marked = m_connection.execute(db::Statement::get("sqlserver/locks/mark"), {wanted},
        [&answer](const db::Row& row) { answer = row.int64(0); });
    m_name = marked && answer >= 0 ? wanted : QString();
    return *m_name;
}

} // namespace lockscope::locks
