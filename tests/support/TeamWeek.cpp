// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TeamWeek.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

void makeTeamWeek(const TestServer& server, const db::ServerUrl& history, std::chrono::seconds dense,
    std::chrono::seconds sparse)
{
    const db::Statement script = db::Statement::filled("test/team_week.sql",
        {{"dense"_L1, QString::number(dense.count())}, {"sparse"_L1, QString::number(sparse.count())}});
    server.run(history, QString::fromUtf8(script.sql()));
}

void writeTeamSecond(const TestServer& server, const db::ServerUrl& history, int servers)
{
    const db::Statement script =
        db::Statement::filled("test/team_second.sql", {{"servers"_L1, QString::number(servers)}});
    server.run(history, QString::fromUtf8(script.sql()));
}

std::vector<TeamQuery> teamQueries(db::Connection& history)
{
    const QString key = ask(history, u"SELECT key FROM lockscope_history.recording WHERE id = 'r42'"_s);
    const auto time = [&history, &key](const QString& what) {
        return ask(
            history, u"SELECT %1 FROM lockscope_history.segment WHERE recording = %2"_s.arg(what, key));
    };
    const QString from = time(u"began_us"_s);
    const QString to = time(u"seen_us"_s);
    const QString at = time(u"(began_us + seen_us) / 2"_s);
    const QString hour = time(u"(began_us + seen_us) / 2 + 3600000000"_s);
    const QString column = time(u"(seen_us - began_us) / 400"_s);
    const QString middle = ask(history,
        u"SELECT max(number) / 120 * 60 + 1 FROM lockscope_history.frame WHERE recording = %1"_s.arg(key));
    const std::pair<const char*, QStringList> asked[] = {{"recordings", {}},
        {"segments", {from, to, u"100"_s}}, {"texts_between", {u"1"_s, u"1000"_s}}, {"frame_at", {at}},
        {"first_frame", {}}, {"frames", {middle, middle + u"+ 59"_s}}, {"places", {middle, u"1000"_s}},
        {"span", {}}, {"snapshots", {from, to, column}}, {"snapshots", {at, hour, u"10000000"_s}},
        {"next_wait", {at, u"0"_s}}, {"next_calm", {at, u"0"_s}}, {"previous_wait", {at, u"0"_s}},
        {"previous_calm", {at, u"0"_s}}, {"next_event", {at, u"'failure'"_s}},
        {"previous_event", {at, u"'act'"_s}}, {"events", {from, to, u"10000"_s}},
        {"reports", {from, to, u"10000"_s}}, {"history", {u"'[17]'"_s, from, to, u"1000"_s}},
        {"history", {u"'[17, 18, 19]'"_s, at, hour, u"1000"_s}}, {"place_before", {u"1"_s, at, hour}},
        {"next_snapshot", {at}}, {"previous_snapshot", {at}}, {"surroundings", {from, to, u"2000001"_s}},
        {"pins", {u"100"_s}}, {"polls", {at, hour}}, {"pieces", {from, to}}, {"pieces", {at, hour}},
        {"next_gap", {at}}, {"previous_gap", {at}}, {"what_follows", {middle}},
        {"intervals", {from, to, u"1"_s}}, {"intervals", {at, hour, u"0"_s}},
        {"intervals", {at, hour, u"1"_s}}, {"lock_of_number", {u"17"_s}},
        {"resources_of_kinds", {u"'row'"_s, u"'page'"_s}}, {"resources_named", {u"'[\"public.t17\"]'"_s}},
        {"resources_identified", {u"'table'"_s, u"'shop'"_s, u"'17'"_s, u"''"_s}},
        {"party_of_number", {u"17"_s}}, {"locks_named", {u"'public.t17'"_s}},
        {"lock_names_like", {u"'%t17%'"_s, u"10"_s}}, {"lives", {u"1017"_s}},
        {"session_life", {u"1017"_s, u"17"_s, from, to, u"1000"_s}}};
    std::vector<TeamQuery> queries;
    for (const auto& [name, values] : asked) {
        QString sql = QString::fromUtf8(
            db::Statement::get((QByteArrayLiteral("recording/postgres/history/") + name).constData()).sql());
        const QStringList all = QStringList(key) + values;
        for (qsizetype i = all.size(); i > 0; --i)
            sql.replace(u'$' + QString::number(i), all[i - 1]);
        queries.push_back({QString::fromLatin1(name), sql});
    }
    return queries;
}

} // namespace lockscope::test
