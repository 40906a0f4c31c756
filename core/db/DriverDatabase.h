// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QSqlDatabase>

namespace lockscope::db {

/// A connection in Qt's registry under a name of its own, never the default one; closed and taken out at the
/// end, which must come on the same thread.
class DriverDatabase {
public:
    explicit DriverDatabase(const QString& driver);
    ~DriverDatabase();
    Q_DISABLE_COPY_MOVE(DriverDatabase)

    QSqlDatabase* operator->() { return &m_database; }
    const QSqlDatabase& operator*() const { return m_database; }

private:
    QSqlDatabase m_database;
};

} // namespace lockscope::db
