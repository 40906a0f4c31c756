// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"
#include "tests/support/tds/ViewTables.h"

namespace lockscope::test::tds {

/// Answers sqlserver/queue/*: tables as work queues, whose rows a transaction keeps until it
/// ends and others skip. Lives on the server's thread once it is made and must outlive its server.
class QueueAnswers {
public:
    explicit QueueAnswers(TdsServer& server);

private:
    /// The names of a queue's columns, and the default of its stamp.
    struct Names {
        QString key;
        QString order;
        std::optional<qint64> stampUs;
    };

    void answerTables();
    void take(const Request& request, Reply& reply);
    /// Answers a change of the row that a reader still has, if it has it.
    void answerChange(const char* path, const QString& change);
    void transactionEnded(const Session& session, bool committed);
    /// Runs it for @1, @2 …
    std::vector<Values> query(const QString& sql, const Values& values = {});

    TdsServer& m_server;
    ViewTables m_tables;
    std::map<QString, Names> m_names; ///< by place
};

} // namespace lockscope::test::tds
