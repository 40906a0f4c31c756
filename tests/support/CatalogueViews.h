// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

#include <QStringList>

namespace lockscope::test {

/// SQL Server's views on a server that executes T-SQL but lacks them: tables, empty at first, and functions
/// without rows, with the columns that tests/support/sqlserver/dmv-columns.json documents. Only if the
/// environment says LOCKSCOPE_TEST_SQLSERVER_VIEWS=create; what the server has is left as it is. They are
/// there as long as this is: for all of the server, so one test at a time.
class CatalogueViews {
public:
    /// `connection` must outlive this.
    explicit CatalogueViews(db::Connection& connection);
    ~CatalogueViews();
    Q_DISABLE_COPY_MOVE(CatalogueViews)

    static bool isWished();
    /// Why they can't be made, or nothing.
    const QString& failure() const { return m_failure; }
    const QStringList& made() const { return m_made; }

private:
    bool isThere(const QString& name);
    void remove();

    db::Connection& m_connection;
    QStringList m_made;
    QString m_failure;
};

} // namespace lockscope::test
