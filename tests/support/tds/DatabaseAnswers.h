// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/LockAnswers.h"

#include <map>

namespace lockscope::test::tds {

/// Answers what SqlServerRig asks of a server: databases that come and go, the schema in them, how many wait
/// for a lock. Lives on the server's thread once it is made and must outlive its server, as LockAnswers must.
class DatabaseAnswers {
public:
    DatabaseAnswers(TdsServer& server, LockAnswers& locks);

    /// Sets whether clients may create databases. On the server's thread, or before there are clients.
    void setMayCreate(bool may) { m_mayCreate = may; }

private:
    struct Database {
        std::optional<QString>
            schemaVersion; ///< none: Lockscope's schema is not installed; empty: it says no version
        bool isMarked = false;
    };

    void answerDatabases();
    void answerSchema();
    void answerWaiters();
    void drop(const QString& name);

    TdsServer& m_server;
    LockAnswers& m_locks;
    ViewTables m_views;
    bool m_mayCreate = true;
    std::map<QString, Database> m_databases{{QStringLiteral("master"), {}}, {QStringLiteral("orders"), {}}};
};

} // namespace lockscope::test::tds
