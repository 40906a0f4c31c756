// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QSqlDatabase>
#include <QUuid>

namespace lockscope::db {

/// A connection in Qt's registry under a name of its own, never the default one; closed and taken out at the
/// end, which must come on the same thread.
class DriverDatabase {
public:
    explicit DriverDatabase(const QString& driver)
        : m_database(QSqlDatabase::addDatabase(
            driver, QStringLiteral("lockscope-") + QUuid::createUuid().toString(QUuid::WithoutBraces)))
    {
    }
    ~DriverDatabase()
    {
        const QString name = m_database.connectionName();
        m_database = QSqlDatabase(); // the registry complains about references that are left
        QSqlDatabase::removeDatabase(name);
    }
    Q_DISABLE_COPY_MOVE(DriverDatabase)

    QSqlDatabase* operator->() { return &m_database; }
    const QSqlDatabase& operator*() const { return m_database; }

private:
    QSqlDatabase m_database;
};

} // namespace lockscope::db
