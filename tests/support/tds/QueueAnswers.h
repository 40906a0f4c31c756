// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"

#include <map>
#include <set>

namespace lockscope::test::tds {

/// Answers sqlserver/queue/*: tables as work queues, whose rows a transaction keeps until it
/// ends and others skip. Lives on the server's thread once it is made and must outlive its server.
class QueueAnswers {
public:
    explicit QueueAnswers(TdsServer& server);

private:
    using Clock = QString; ///< "SYSUTCDATETIME()" and the like
    struct Row {
        qint64 key = 0;
        qint64 order = 0;
        Value body;
        std::optional<qint64> stampUs; ///< UTC, whatever clock it was taken from
        QString stamp; ///< as CONVERT with style 121 writes it
        int session = 0; ///< whose open transaction changed the row; 0 = nobody's
    };
    struct Table {
        QString key;
        QString order;
        QString body;
        bool hasDefault = false; ///< the stamps' is 2001, else NULL
        std::map<qint64, Row> rows;
    };
    using Place = std::pair<QString, QString>; ///< database, quoted table
    struct Change {
        Place table;
        Row before;
    };

    void answerTables();
    void answerReaders();
    void take(const Request& request, Reply& reply);
    /// Changes the row that a reader still has, if it has it.
    void settle(const Request& request, Reply& reply, const std::function<void(Table&, Row&)>& change);
    void remember(const Request& request, const Place& place, Row& row);
    void transactionEnded(const Session& session, bool committed);
    static void stampNow(Row& row, const Clock& clock);
    static void setDefault(const Table& table, Row& row);

    TdsServer& m_server;
    std::map<Place, Table> m_tables;
    std::multimap<int, Change> m_changes; ///< of open transactions, by session
};

} // namespace lockscope::test::tds
