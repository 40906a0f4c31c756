// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the answers of a team's history for a week of 100 servers, without any statistics. One server was
// polled each second, as a watcher does, and the queries are for it; the others have a poll a minute, so that
// a run takes minutes and not hours: their rows only lie between those of the one.
#include "tests/support/TeamWeek.h"

#include "core/record/postgres/HistorySchema.h"
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"

#include <map>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

/// Writes for 1,000 servers into one PostgreSQL: within a second it must have written a second.
void thousandServers(Bench& bench, const db::ServerUrl& url)
{
    constexpr int servers = 1'000;
    const int seconds = bench.rounds(60);
    const auto size = [&] {
        return test::ask(*bench.server.connect(url), u"SELECT pg_database_size(current_database())"_s)
            .toDouble();
    };
    test::writeTeamSecond(bench.server, url, servers); // makes the recordings
    const double before = size();
    std::vector<double> times;
    for (int i = 0; i < seconds; ++i) {
        const auto began = Clock::now();
        test::writeTeamSecond(bench.server, url, servers);
        times.push_back(millisecondsSince(began));
    }
    bench.report.add(u"a second of 1,000 servers is written"_s, median(times), u"ms"_s, atMost(1'000),
        u"longest %1 ms"_s.arg(percentile(times, 1), 0, 'f', 0));
    bench.report.add(u"bytes for each server and second"_s, (size() - before) / servers / seconds, u"B"_s,
        atMost(2'500), u"with three locks a second"_s);
}

} // namespace

void teamWeek(Bench& bench)
{
    bench.report.section(u"A team's history: a week of 100 servers"_s);
    const auto dense = std::chrono::seconds(bench.quick ? 10 : 1);
    const db::ServerUrl url = bench.server.freshDatabase(test::TestServer::Schema::None);
    const auto connection = bench.server.connect(url);
    orDie(record::installHistory(*connection));
    test::makeTeamWeek(bench.server, url, dense, std::chrono::seconds(60));
    bench.server.run(url, u"VACUUM"_s); // as the server does by itself where rows were added, and no more
    std::map<QString, double> longest;
    for (const test::TeamQuery& query : test::teamQueries(*connection)) {
        std::vector<double> times;
        for (int i = 0; i < 3; ++i) {
            const auto began = Clock::now();
            orDie(test::runSql(*connection, query.sql, {}, [](const db::Row&) {}));
            times.push_back(millisecondsSince(began));
        }
        longest[query.name] = std::max(longest[query.name], median(times));
    }
    constexpr double worthNaming = 20;
    double rest = 0;
    for (const auto& [name, ms] : longest) {
        if (ms >= worthNaming)
            bench.report.add(u"query "_s + name, ms, u"ms"_s, atMost(1'000), u"median of 3"_s);
        else
            rest = std::max(rest, ms);
    }
    bench.report.add(u"the slowest of all others"_s, rest, u"ms"_s, atMost(1'000));
    thousandServers(bench, url);
}

} // namespace lockscope::bench
