// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/DriverDatabase.h"

#include <QUuid>

namespace lockscope::db {

QSqlDatabase addDatabase(const QString& driver)
{
    const QString name = QStringLiteral("lockscope-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    return QSqlDatabase::addDatabase(driver, name);
}

void disposeOf(QSqlDatabase& database)
{
    const QString name = database.connectionName();
    database = QSqlDatabase();
    QSqlDatabase::removeDatabase(name);
}

} // namespace lockscope::db
