// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace lockscope::test {

// What the tests of each engine's connection check.

/// Binds a value of each type and reads it again. `select` returns its five parameters.
inline void bindAndReadEveryType(db::Connection& connection, const QString& select)
{
    int rows = 0;
    const auto result = runSql(connection, select,
        {std::numeric_limits<qint64>::min(), 0.1, true, std::monostate(), ServerTime{1'700'000'000'123'456}},
        [&](const db::Row& row) {
            ++rows;
            QCOMPARE(row.int64(0), std::numeric_limits<qint64>::min());
            QCOMPARE(row.real(1), 0.1);
            QVERIFY(row.boolean(2));
            QVERIFY(row.isNull(3));
            QVERIFY(row.text(3).isNull());
            QCOMPARE(row.int64(3), 0);
            QVERIFY(!row.optionalTime(3));
            QCOMPARE(row.time(4).us, 1'700'000'000'123'456);
        });
    VERIFY_DONE(result);
    QCOMPARE(*result, 1);
    QCOMPARE(rows, 1);
}

/// Adds texts that no engine can store, as the column "text".
inline void addTextsThatCannotBeStored()
{
    addRows<QString>("text",
        {{"NUL", u"a"_s + QChar(0) + u"b"_s}, {"NUL after other characters", u"ä"_s + QChar(0)},
            {"lone high surrogate", u"a"_s + QChar(0xd83d)}, {"lone low surrogate", QChar(0xdd12) + u"a"_s}});
}

/// A stop that was requested before ends a statement and a batch.
inline void stopBefore(db::Connection& connection, const QString& sql)
{
    std::stop_source source;
    source.request_stop();
    VERIFY_FAILS(ErrorKind::Cancelled, runSql(connection, sql, {}, {}, source.get_token()));
    const db::Statement statement = sqlStatement(sql);
    const std::array items{db::BatchItem{&statement}};
    VERIFY_FAILS(ErrorKind::Cancelled, connection.executeBatch(items, source.get_token()).at(0));
}

/// The first statement after the loss of the connection, and all that follows, is a connection error.
inline void isLost(db::Connection& connection, const QString& first = u"SELECT 1"_s)
{
    const auto result = runSql(connection, first);
    VERIFY_FAILS(ErrorKind::Connection, result);
    QVERIFY(!result.error().hint.isEmpty());
    QVERIFY(!connection.isOpen());
    const db::Statement select = sqlStatement(u"SELECT 1"_s);
    const std::array items{db::BatchItem{&select}};
    VERIFY_FAILS(ErrorKind::Connection, connection.execute(select));
    VERIFY_FAILS(ErrorKind::Connection, connection.executeBatch(items).at(0));
    VERIFY_FAILS(ErrorKind::Connection, connection.begin());
}

} // namespace lockscope::test
