// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the cost of rules: at each poll of a server in trouble, and on a recording.
#include "tests/bench/Bench.h"
#include "tests/bench/Measure.h"
#include "tests/support/CrowdSnapshot.h"

#include "core/alert/AlertEngine.h"
#include "core/alert/rules/RuleFile.h"
#include "core/domain/BlockingGraph.h"

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr int ruleCount = 200;
constexpr int sessionCount = 1'507; // of which two thirds wait

static alert::RuleSet manyRules()
{
    alert::RuleSet rules;
    for (int i = 0; i < ruleCount; ++i) {
        alert::Rule rule = alert::defaultRules().rules[size_t(i) % alert::defaultRules().rules.size()];
        rule.name = QString::number(i);
        if (i % 3 == 0)
            rule.scope.programs = {u"billing*"_s, u"crm"_s};
        rules.rules.push_back(std::move(rule));
    }
    return rules;
}

void alertRules(Bench& bench)
{
    bench.report.section(u"200 rules on a server where 1,000 sessions wait"_s);
    const int polls = bench.quick ? 20 : 200;
    alert::AlertEngine engine(manyRules());
    std::vector<double> ms;
    for (int i = 0; i < polls; ++i) {
        alert::Observation seen;
        seen.server = u"db1:5432"_s;
        seen.snapshot = test::crowd(sessionCount, i).take();
        seen.at = seen.snapshot->takenAt;
        static_cast<void>(seen.snapshot->blocking()); // what the window works out anyway
        const double before = threadCpuMs();
        engine.advance(seen);
        ms.push_back(threadCpuMs() - before);
    }
    bench.report.add(u"each poll"_s, median(ms), u"ms"_s, atMost(5),
        u"the slowest %1 ms; %2 incidents"_s.arg(percentile(ms, 1), 0, 'f', 1).arg(engine.firing().size()));
}

} // namespace lockscope::bench
