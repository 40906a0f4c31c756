// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of frameworks' tables: one for each of a thousand customers, and thousands that a
// stranger has made.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"

#include "core/monitor/SnapshotSource.h"
#include "tests/support/Lockctl.h"

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

double medianOf(int rounds, const std::function<double()>& measure)
{
    std::vector<double> all;
    for (int i = 0; i < rounds; ++i)
        all.push_back(measure());
    return median(std::move(all));
}

double pollMs(monitor::SnapshotSource& source)
{
    const auto start = Clock::now();
    (void)orDie(source.take());
    return millisecondsSince(start);
}

/// Returns the time that the program takes; ends the benchmark if it shows anything else than one note on all
/// of them.
double listMs(const test::Lockctl& lockctl)
{
    const auto start = Clock::now();
    const auto listed = lockctl("list --json");
    const double ms = millisecondsSince(start);
    const QJsonObject snapshot = listed.json();
    const QJsonArray notes = snapshot[u"limitations"_s].toArray();
    const bool isOne = notes.size() == 1 && snapshot[u"unread_tables"_s].toArray().isEmpty()
        && notes[0].toObject()[u"what"_s].toString().startsWith(u"%L1 tables"_s.arg(planted));
    if (listed.code != 0 || !isOne) {
        std::fprintf(stderr, "lockscope-bench: not one note: %s\n", listed.allOutput().constData());
        std::exit(1);
    }
    return ms;
}

} // namespace

void frameworkTables(Bench& bench)
{
    bench.report.section(u"Tables of frameworks in one database"_s);
    const QString shape =
        u"(name text PRIMARY KEY, lock_until timestamp, locked_at timestamp, locked_by text)"_s;
    const db::ServerUrl many = databaseWith(bench,
        u"DO $$ BEGIN FOR i IN {first}..{last} LOOP EXECUTE format('CREATE SCHEMA customer_%s', i); EXECUTE format('CREATE TABLE customer_%s.shedlock "_s
            + shape + u"', i); END LOOP; END $$"_s);
    db::ServerProfile profile;
    const auto measurePolls = [&](const QString& what, std::optional<Target> target) {
        const auto source = monitor::makeSnapshotSource({profile, bench.server.passwords()});
        constexpr int untilPlansAreKept = 8;
        for (int i = 0; i < untilPlansAreKept; ++i)
            (void)orDie(source->take());
        bench.report.add(what, medianOf(bench.rounds(60), [&] { return pollMs(*source); }), u"ms"_s, target);
    };
    profile.url = many;
    measurePolls(
        u"a poll of %1 schemas with the same table, which reads 200 of them and says so: median"_s.arg(
            customers),
        atMost(20));
    profile.url.options.insert(u"frameworks"_s, QString::number(customers));
    measurePolls(
        u"a poll of %1 schemas with the same table, which reads all of them (frameworks=%1): median"_s.arg(
            customers),
        std::nullopt);

    bench.server.run(many, u"CREATE ROLE mallory"_s);
    const db::ServerUrl strange = databaseWith(bench,
        u"DO $$ BEGIN FOR i IN {first}..{last} LOOP EXECUTE format('CREATE SCHEMA s%s AUTHORIZATION mallory', i); EXECUTE format('CREATE TABLE s%s.shedlock "_s
            + shape
            + u"', i); EXECUTE format('ALTER TABLE s%s.shedlock OWNER TO mallory', i); END LOOP; END $$"_s);
    profile.url = strange;
    bench.report.add(u"the first poll among %1 tables of a stranger: median"_s.arg(planted),
        medianOf(bench.rounds(10),
            [&] {
                return pollMs(*monitor::makeSnapshotSource({profile, bench.server.passwords()}));
            }),
        u"ms"_s, atMost(300));
    const test::Lockctl lockctl(strange.toString(), bench.server.password());
    (void)listMs(lockctl); // fills the file cache
    bench.report.add(u"lockctl list among %1 tables of a stranger, with one note: median"_s.arg(planted),
        medianOf(bench.rounds(20), [&] { return listMs(lockctl); }), u"ms"_s, atMost(300));
}

} // namespace lockscope::bench
