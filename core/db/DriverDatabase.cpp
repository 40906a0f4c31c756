// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/DriverDatabase.h"

#include <QUuid>

namespace lockscope::db {

DriverDatabase::DriverDatabase(const QString& driver)
    : m_database(QSqlDatabase::addDatabase(
        driver, QStringLiteral("lockscope-") + QUuid::createUuid().toString(QUuid::WithoutBraces)))
{
}

DriverDatabase::~DriverDatabase()
{
    const QString name = m_database.connectionName();
    m_database = QSqlDatabase(); // the registry complains about references that are left
    QSqlDatabase::removeDatabase(name);
}

} // namespace lockscope::db
