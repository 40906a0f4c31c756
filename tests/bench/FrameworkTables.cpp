// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// What tables of frameworks cost: one for each of a thousand customers, and thousands that a stranger has
// made.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"

#include "core/monitor/SnapshotSource.h"

#include <algorithm>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int customers = 1'000;
constexpr int planted = 3'000;

db::ServerUrl databaseWith(Bench& bench, const QString& sql)
{
    const db::ServerUrl url = bench.server.freshDatabase();
    // A transaction that makes a thousand tables has as many locks.
    constexpr int atOnce = 100;
    const int all = sql.contains(u"mallory"_s) ? planted : customers;
    for (int first = 1; first <= all; first += atOnce)
        bench.server.run(url,
            QString(sql)
                .replace(u"{first}"_s, QString::number(first))
                .replace(u"{last}"_s, QString::number(first + atOnce - 1)));
    return url;
}

double bestOf(int rounds, const std::function<double()>& measure)
{
    double best = measure();
    for (int i = 1; i < rounds; ++i)
        best = std::min(best, measure());
    return best;
}

double pollMs(monitor::SnapshotSource& source)
{
    const auto start = Clock::now();
    (void)orDie(source.take());
    return millisecondsSince(start);
}

} // namespace

void frameworkTables(Bench& bench)
{
    bench.report.section(u"Tables of frameworks in one database"_s);
    const QString shape =
        u"(name text PRIMARY KEY, lock_until timestamp, locked_at timestamp, locked_by text)"_s;
    const db::ServerUrl many = databaseWith(bench,
        u"DO $$ BEGIN FOR i IN {first}..{last} LOOP EXECUTE format('CREATE SCHEMA customer_%s', i); EXECUTE "
        "format('CREATE TABLE customer_%s.shedlock "_s
            + shape + u"', i); END LOOP; END $$"_s);
    db::ServerProfile profile;
    for (const QString& limit : {u"200"_s, u"1000"_s}) {
        profile.url = many;
        profile.url.options.insert(u"frameworks"_s, limit);
        const auto source = monitor::makeSnapshotSource({profile, bench.server.passwords()});
        constexpr int untilPlansAreKept = 8;
        for (int i = 0; i < untilPlansAreKept; ++i)
            (void)orDie(source->take());
        const double ms = bestOf(bench.rounds(30), [&] { return pollMs(*source); });
        bench.report.add(u"a poll of %1 of %2 schemas with the same table"_s.arg(limit).arg(customers), ms,
            u"ms"_s, limit == u"200"_s ? std::optional(atMost(20)) : std::nullopt);
    }
    bench.server.run(many, u"CREATE ROLE mallory"_s);
    const db::ServerUrl strange = databaseWith(bench,
        u"DO $$ BEGIN FOR i IN {first}..{last} LOOP EXECUTE format('CREATE SCHEMA s%s AUTHORIZATION "
        u"mallory', i); "
        "EXECUTE format('CREATE TABLE s%s.shedlock "_s
            + shape
            + u"', i); EXECUTE format('ALTER TABLE s%s.shedlock OWNER TO mallory', i); END LOOP; END $$"_s);
    profile.url = strange;
    const double ms = bestOf(bench.rounds(10), [&] {
        const auto source = monitor::makeSnapshotSource({profile, bench.server.passwords()});
        return pollMs(*source);
    });
    bench.report.add(
        u"the first poll among %1 tables of a stranger"_s.arg(planted), ms, u"ms"_s, atMost(300));
}

} // namespace lockscope::bench
