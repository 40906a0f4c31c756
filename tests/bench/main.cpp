// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"

#include <QApplication>
#include <QCommandLineParser>

#include <algorithm>
#include <array>
#include <cstdio>

using namespace lockscope;
using namespace Qt::StringLiterals;

namespace {

struct Part {
    const char* name;
    void (*run)(bench::Bench&);
};
constexpr std::array parts{Part{"locks", bench::lockRoundTrips}, Part{"handover", bench::handOver},
    Part{"fetch", bench::snapshotFetch}, Part{"odbc", bench::odbcFetch}, Part{"poll", bench::pollCost},
    Part{"refresh", bench::tableRefresh}, Part{"recognise", bench::recogniseKeys},
    Part{"tables", bench::frameworkTables}, Part{"deadlocks", bench::readDeadlocks},
    Part{"start", bench::startUp}, Part{"watch", bench::watchCost}, Part{"load", bench::foreignLoad},
    Part{"record", bench::recordedDay}, Part{"week", bench::recordedWeek}, Part{"team", bench::teamWeek},
    Part{"alerts", bench::alertRules}, Part{"agent", bench::agentCost}};

QString partNames()
{
    QStringList names;
    for (const Part& part : parts)
        names << QLatin1StringView(part.name);
    return names.join(u", "_s);
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication program(argc, argv);
    QApplication::setApplicationName(u"lockscope-bench"_s);
    QCommandLineParser parser;
    parser.setApplicationDescription(
        u"Measures against raw libpq and other yardsticks in the same run, on a server of its own."_s);
    parser.addHelpOption();
    const QCommandLineOption json(u"json"_s, u"Also write the results to this file."_s, u"FILE"_s);
    const QCommandLineOption against(
        u"against"_s, u"Compare with this file, which --json of an earlier run wrote here."_s, u"FILE"_s);
    const QCommandLineOption repeat(
        u"repeat"_s, u"Measure so often: only then is there a spread."_s, u"TIMES"_s, u"1"_s);
    const QCommandLineOption quick(u"quick"_s, u"A tenth of the work: only shows that it runs."_s);
    parser.addOptions({json, against, repeat, quick});
    parser.addPositionalArgument(u"parts"_s, u"Only these: "_s + partNames() + u'.', u"[PART…]"_s);
    parser.process(program);

    bench::Report report;
    bench::Bench all{test::TestServer::shared(), report, parser.isSet(quick)};
    const QStringList requested = parser.positionalArguments();
    for (const QString& name : requested) {
        const auto matches = [&name](const Part& part) { return name == QLatin1StringView(part.name); };
        if (std::ranges::none_of(parts, matches)) {
            std::fprintf(stderr, "lockscope-bench: no part \"%s\"; there are %s.\n", qUtf8Printable(name),
                qUtf8Printable(partNames()));
            return 2;
        }
    }
    for (int time = 0; time < std::max(1, parser.value(repeat).toInt()); ++time) {
        for (const Part& part : parts) {
            if (requested.isEmpty() || requested.contains(QLatin1StringView(part.name)))
                part.run(all);
        }
    }
    report.printGoals();
    std::printf("\n%d targets met, %d missed\n", report.met(), report.missed());
    if (parser.isSet(against))
        bench::orDie(report.compareWith(parser.value(against)));
    if (parser.isSet(json))
        bench::orDie(report.writeJson(parser.value(json)));
    return 0;
}
