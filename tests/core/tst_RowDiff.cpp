// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/RowDiff.h"
#include "tests/support/TestProgram.h"

namespace tst_RowDiff {

using namespace lockscope;

struct Line {
    int key = 0;
    int value = 0;
    bool operator==(const Line&) const = default;
};

using Lines = std::vector<Line>;

static int hashes = 0;

/// Counts how often it is hashed.
struct CountedKey {
    int key = 0;
    bool operator==(const CountedKey&) const = default;
    friend size_t qHash(const CountedKey& counted, size_t seed = 0)
    {
        ++hashes;
        return ::qHash(counted.key, seed);
    }
};

static RowDiff diff(const Lines& before, const Lines& after)
{
    return diffRows(before, after, [](const Line& line) { return line.key; });
}

// Applies a diff as a model does: removes rows, keeps the rest in the order of the new list, inserts rows.
static Lines applied(const Lines& before, const Lines& after, const RowDiff& diff)
{
    Lines result(after.size(), Line{-1, -1});
    for (const auto& [from, to] : diff.kept)
        result.at(to) = before.at(from);
    for (const auto& [from, to] : diff.changed) {
        result.at(to) = before.at(from);
        result.at(to).value = after.at(to).value;
    }
    for (const quint32 to : diff.inserted)
        result.at(to) = after.at(to);
    return result;
}

static Lines randomLines(QRandomGenerator& random, int keys)
{
    Lines lines;
    for (int key = 0; key < keys; ++key) {
        if (random.bounded(3) > 0)
            lines.push_back({key, int(random.bounded(2))});
    }
    if (random.bounded(2))
        std::shuffle(lines.begin(), lines.end(), random);
    return lines;
}

class tst_RowDiff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingToNothing()
    {
        QVERIFY(diff({}, {}).isEmpty());
        QCOMPARE(diff({}, {{1, 0}}).inserted, (std::vector<quint32>{0}));
        QCOMPARE(diff({{1, 0}}, {}).removed, (std::vector<quint32>{0}));
    }

    void eachKindOfChange()
    {
        using Pairs = std::vector<std::pair<quint32, quint32>>;
        const RowDiff d = diff({{1, 0}, {2, 0}, {3, 0}}, {{1, 0}, {4, 0}, {3, 9}});
        QCOMPARE(d.kept, (Pairs{{0, 0}}));
        QCOMPARE(d.changed, (Pairs{{2, 2}}));
        QCOMPARE(d.removed, (std::vector<quint32>{1}));
        QCOMPARE(d.inserted, (std::vector<quint32>{1}));
        QVERIFY(!d.isEmpty());
    }

    void applyingTheDiffGivesTheNewList()
    {
        QRandomGenerator random(20261121);
        for (int round = 0; round < 2'000; ++round) {
            const int keys = random.bounded(30);
            const Lines before = randomLines(random, keys);
            const Lines after = randomLines(random, keys);
            const RowDiff d = diff(before, after);
            QVERIFY(applied(before, after, d) == after);
            QCOMPARE(d.removed.size() + d.kept.size() + d.changed.size(), before.size());
            QCOMPARE(d.inserted.size() + d.kept.size() + d.changed.size(), after.size());
            QVERIFY(std::is_sorted(d.removed.begin(), d.removed.end()));
            QVERIFY(std::is_sorted(d.kept.begin(), d.kept.end()));
            QVERIFY(std::is_sorted(d.changed.begin(), d.changed.end()));
            QVERIFY(std::is_sorted(d.inserted.begin(), d.inserted.end()));
            QCOMPARE(d.isEmpty() && d.kept.size() == after.size(), d.isEmpty());
        }
    }

    void ofEqualKeysTheFirstWins()
    {
        const RowDiff d = diff({{5, 0}, {1, 0}, {1, 1}}, {{1, 0}});
        QCOMPARE(d.kept.size(), size_t(1));
        QCOMPARE(d.kept.front().first, 1U);
        QCOMPARE(d.removed, (std::vector<quint32>{0, 2}));
    }

    void longListsThatShiftAndMove_data()
    {
        test::addColumns<int, int, int, bool>("removeOneIn", "insertOneIn", "block", "shuffled");
        test::row("a few rows go", 100, 0, 0, false);
        test::row("a few rows come", 0, 100, 0, false);
        test::row("many go and come", 3, 3, 0, false);
        test::row("a block goes", 100, 100, 700, false);
        test::row("everything moves", 100, 100, 0, true);
    }
    void longListsThatShiftAndMove()
    {
        FETCH(int, removeOneIn, int, insertOneIn, int, block, bool, shuffled);
        QRandomGenerator random(7);
        Lines before;
        for (int key = 0; key < 3'000; ++key)
            before.push_back({key, 0});
        Lines after;
        std::set<int> gone;
        for (const Line& line : before) {
            if (insertOneIn && random.bounded(insertOneIn) == 0)
                after.push_back({10'000 + line.key, 0});
            if ((removeOneIn && random.bounded(removeOneIn) == 0)
                || (line.key >= 1'000 && line.key < 1'000 + block))
                gone.insert(line.key);
            else
                after.push_back({line.key, random.bounded(50) == 0 ? 1 : 0});
        }
        if (shuffled)
            std::shuffle(after.begin(), after.end(), random);
        const RowDiff d = diff(before, after);
        QVERIFY(applied(before, after, d) == after);
        QCOMPARE(std::set<int>(d.removed.begin(), d.removed.end()), gone);
        QCOMPARE(d.kept.size() + d.changed.size(), before.size() - gone.size());
        QVERIFY(std::is_sorted(d.kept.begin(), d.kept.end()));
        QVERIFY(std::is_sorted(d.inserted.begin(), d.inserted.end()));
    }

    void rowsThatShiftAreNotHashed()
    {
        Lines before;
        for (int key = 0; key < 5'000; ++key)
            before.push_back({key, 0});
        Lines after;
        for (const Line& line : before) {
            if (line.key % 50 != 3)
                after.push_back(line);
            if (line.key % 50 == 30)
                after.push_back({10'000 + line.key, 0});
        }
        hashes = 0;
        const RowDiff d = diffRows(before, after, [](const Line& line) { return CountedKey{line.key}; });
        QCOMPARE(d.removed.size(), size_t(100));
        QCOMPARE(d.inserted.size(), size_t(100));
        // Only keys without a partner are put into the hash or looked up there.
        QVERIFY2(hashes <= 200 * 2, qPrintable(QString::number(hashes)));
    }
};

LOCKSCOPE_TEST(tst_RowDiff)

} // namespace tst_RowDiff
#include "tst_RowDiff.moc"
