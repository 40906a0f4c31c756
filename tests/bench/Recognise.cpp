// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Measures the time to recognise the owners of ten thousand advisory keys.
#include "tests/bench/Bench.h"

#include "core/frameworks/Catalogue.h"
#include "core/frameworks/Recogniser.h"

#include <algorithm>
#include <chrono>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr int keys = 10'000;

static Snapshot snapshotOfKeys()
{
    Snapshot snapshot;
    for (int i = 0; i < keys; ++i) {
        Resource resource;
        resource.key = {ResourceKind::ApplicationLock, 5, quint64(i) * 7'777'777, 1, {}};
        resource.database = u"shop"_s;
        snapshot.resources.push_back(resource);
    }
    return snapshot;
}

static double recogniseMs(frameworks::Recogniser& recogniser)
{
    Snapshot snapshot = snapshotOfKeys();
    const auto start = std::chrono::steady_clock::now();
    recogniser.recognise(snapshot);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void recogniseKeys(Bench& bench)
{
    bench.report.section(u"Recognising %1 advisory keys, 1,000 schemas"_s.arg(keys));
    frameworks::Recogniser recogniser(Engine::Postgres, frameworks::loadCatalogue({}).frameworks);
    frameworks::DatabaseFacts facts;
    facts.database = u"shop"_s;
    for (int i = 0; i < 1'000; ++i)
        facts.schemas << u"customer_%1"_s.arg(i);
    recogniser.setFacts(facts);
    bench.report.add(u"when first met"_s, recogniseMs(recogniser), u"ms"_s);
    double best = recogniseMs(recogniser);
    for (int i = 0; i < bench.rounds(20); ++i)
        best = std::min(best, recogniseMs(recogniser));
    bench.report.add(u"when known"_s, best, u"ms"_s, atMost(10));
}

} // namespace lockscope::bench
