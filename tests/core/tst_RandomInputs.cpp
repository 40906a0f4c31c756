// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The random values that the sessions of a run can draw, and the seeds for them.

#include "core/scenario/run/PreparedRun.h"
#include "tests/support/TestProgram.h"

namespace tst_RandomInputs {

using namespace lockscope;
using namespace lockscope::scenario;

static Step draw(const QString& into, qint64 to)
{
    return {u"draw"_s, DrawStep{into, Amount{1, {}}, Amount{to, {}}}};
}
static Step statement()
{
    return {u"sql"_s, SqlStep()};
}
static Role roleOf(std::vector<Step> steps)
{
    Role role;
    role.program = std::move(steps);
    return role;
}
static DrawSpace spaceOf(const Role& role, int sessions = 2, int rounds = 1, const Values& values = {})
{
    return {std::vector<const Role*>(std::size_t(sessions), &role), rounds, values};
}

class tst_RandomInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seedsFindEveryDraw()
    {
        const Role role = roleOf({draw(u"a"_s, 3), draw(u"b"_s, 3), statement()});
        const DrawSpace space = spaceOf(role);
        QVERIFY(space.isKnown());
        QCOMPARE(space.size(), 81.);
        const auto seeds = space.seeds(7, 1'000);
        std::set<std::vector<std::vector<qint64>>> drawn;
        for (const quint32 seed : seeds)
            drawn.insert(space.drawn(seed));
        QCOMPARE(seeds.size(), std::size_t(81));
        QCOMPARE(drawn.size(), std::size_t(81));
        QVERIFY(drawn.contains({{1, 2}, {2, 1}}));
    }

    void commonOnesComeFirst()
    {
        const Role role = roleOf({draw(u"a"_s, 3), draw(u"b"_s, 3)});
        const DrawSpace space = spaceOf(role);
        const auto seeds = space.seeds(1, 1'000);
        const auto first = space.drawn(seeds.front());
        const auto last = space.drawn(seeds.back());
        // Two numbers in common, and none.
        QCOMPARE(std::set(first[0].begin(), first[0].end()), std::set(first[1].begin(), first[1].end()));
        QVERIFY(first[0][0] != first[0][1]);
        for (const qint64 number : last[0])
            QVERIFY(std::find(last[1].begin(), last[1].end(), number) == last[1].end());
    }

    void fewerAreDistinct()
    {
        const Role role = roleOf({draw(u"a"_s, 3)});
        const DrawSpace space = spaceOf(role);
        const auto seeds = space.seeds(1, 4);
        QCOMPARE(seeds.size(), std::size_t(4));
        std::set<std::vector<std::vector<qint64>>> drawn;
        for (const quint32 seed : seeds)
            drawn.insert(space.drawn(seed));
        QCOMPARE(drawn.size(), std::size_t(4));
    }

    void hugeSpacesAreSampled()
    {
        const Role role = roleOf({draw(u"a"_s, 1'000'000'000)});
        const DrawSpace space = spaceOf(role, 3);
        QVERIFY(space.isKnown());
        QCOMPARE(space.size(), 1e27);
        QCOMPARE(space.seeds(1, 16).size(), std::size_t(16));
    }

    void roundsDrawAgain()
    {
        const Role role = roleOf({draw(u"a"_s, 2), statement()});
        QCOMPARE(spaceOf(role, 2, 2).size(), 16.);
        QCOMPARE(spaceOf(role, 2, 2).drawn(1)[0].size(), std::size_t(2));
        // A pause that is really made draws its length in between.
        const Role slow =
            roleOf({draw(u"a"_s, 2), {u"think"_s, ThinkStep{Amount{100, {}}, Amount{100, {}}}}});
        QVERIFY(spaceOf(slow, 2, 1).isKnown());
        QVERIFY(!spaceOf(slow, 2, 2).isKnown());
    }

    void laterDrawsAreUnknown()
    {
        QVERIFY(!spaceOf(roleOf({statement(), draw(u"a"_s, 2)})).isKnown());
        const Step byValue{u"draw"_s, DrawStep{u"a"_s, Amount{1, {}}, Amount{0, u"most"_s}}};
        QVERIFY(!spaceOf(roleOf({byValue})).isKnown());
        QCOMPARE(spaceOf(roleOf({byValue}), 2, 1, {{u"most"_s, qint64(3)}}).size(), 9.);
        // It draws from an earlier draw.
        const Step chained{u"draw"_s, DrawStep{u"b"_s, Amount{1, {}}, Amount{0, u"a"_s}}};
        QVERIFY(!spaceOf(roleOf({draw(u"a"_s, 3), chained}), 2, 1, {{u"a"_s, qint64(3)}}).isKnown());
    }

    void nobodyDraws()
    {
        QVERIFY(spaceOf(roleOf({statement()})).isEmpty());
        QVERIFY(!spaceOf(roleOf({draw(u"a"_s, 2)})).isEmpty());
    }
};

LOCKSCOPE_TEST(tst_RandomInputs)

} // namespace tst_RandomInputs
#include "tst_RandomInputs.moc"
