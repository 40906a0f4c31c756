// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// 100,000 rows of 14 columns, as wide as what a poll reads.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/bench/RawConnection.h"

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr int rows = 100'000;
constexpr int columns = 14;

const auto makeTable =
    u"CREATE TABLE wide AS SELECT CASE i % 3 WHEN 0 THEN 'relation' WHEN 1 THEN 'transactionid' ELSE 'advisory' END AS c0, 16384::oid AS c1, (20000 + i % 500)::oid AS c2, i % 1000 AS c3, (i % 100)::smallint AS c4, NULL::text AS c5, i::bigint AS c6, 0::oid AS c7, i::oid AS c8, 1::smallint AS c9, "
    "'5/' || i AS c10, 1000 + i % 700 AS c11, 'ExclusiveLock' AS c12, 1795230000000000 + i::bigint AS c13 FROM generate_series(1, 100000) AS i"_s;

void snapshotFetch(Bench& bench)
{
    bench.report.section(u"Fetching a snapshot (100,000 rows × 14 columns)"_s);
    const db::ServerUrl url = bench.server.freshDatabase();
    bench.server.run(url, makeTable + u"; ANALYZE wide"_s);
    const db::Statement select = test::sqlStatement(u"SELECT * FROM wide"_s);
    const auto connection = bench.server.connect(url);
    RawConnection raw(url, bench.server.password());
    raw.prepare("wide", select.sql());

    quint64 sum = 0; // of everything read, so that nothing is optimised away
    const auto ours = [&] {
        const auto start = Clock::now();
        orDie(connection->execute(select, {}, [&sum](const db::Row& row) {
            for (const int column : {1, 2, 3, 4, 6, 7, 8, 9, 11, 13})
                sum += static_cast<quint64>(row.int64(column));
            for (const int column : {0, 5, 10, 12})
                sum += static_cast<quint64>(row.text(column).size());
        }));
        return rows / millisecondsSince(start) * 1e3;
    };
    const auto text = [&] {
        const auto start = Clock::now();
        const auto result = raw.runPrepared("wide");
        for (int row = 0; row < PQntuples(result.get()); ++row) {
            for (int column = 0; column < columns; ++column)
                sum += static_cast<quint64>(
                    PQgetlength(result.get(), row, column) + *PQgetvalue(result.get(), row, column));
        }
        return rows / millisecondsSince(start) * 1e3;
    };
    const Pair result = interleaved(bench.rounds(15), ours, text);
    bench.report.add(u"db::Connection, values converted: ratio to raw libpq text"_s, result.ratio, u"×"_s,
        atLeast(0.8), u"%1 against %2 rows/s"_s.arg(result.first, 0, 'f', 0).arg(result.second, 0, 'f', 0));
    if (sum == 0)
        bench.report.skip(u"fetch"_s, u"nothing was read"_s);
}

} // namespace lockscope::bench
