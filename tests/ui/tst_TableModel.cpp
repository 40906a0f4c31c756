// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "ui/kit/models/TableModel.h"

namespace tst_TableModel {

using namespace lockscope;
using namespace lockscope::ui;

struct Fruit {
    int key = 0;
    QString name;
    qint64 weight = 0; ///< 0 = not weighed
    int basket = 0; ///< key of the parent, 0 = none
    bool rotten = false;
    bool operator==(const Fruit&) const = default;
};

class FruitModel : public KeyedTableModel<Fruit, int> {
public:
    explicit FruitModel(bool inBaskets = false)
        : KeyedTableModel({{u"name"_s, u"Name"_s, {}}, {u"weight"_s, u"Weight"_s, {}, 60, true, true}})
        , m_inBaskets(inBaskets)
    {
    }

    void show(std::vector<Fruit> fruits) { setRows(std::move(fruits)); }

    QStringList names() const
    {
        QStringList result;
        for (int row = 0; row < rowCount(); ++row)
            result << index(row, 0).data().toString();
        return result;
    }

protected:
    int keyOf(const Fruit& row) const override { return row.key; }
    bool same(const Fruit& before, const Fruit& after) const override { return before == after; }
    QVariant cell(quint32, int, int) const override { return {}; }
    SortKey sortKey(quint32 row, int column) const override
    {
        const Fruit& fruit = rows()[row];
        if (column == 0)
            return fruit.name;
        return fruit.weight == 0 ? SortKey() : SortKey(fruit.weight);
    }
    QString text(quint32 row, int column) const override
    {
        return column == 0 ? rows()[row].name : QString::number(rows()[row].weight);
    }
    bool isNoise(quint32 row) const override { return rows()[row].rotten; }
    bool isHierarchical() const override { return m_inBaskets; }
    quint32 parentOf(quint32 row) const override
    {
        const int basket = rows()[row].basket;
        for (quint32 i = 0; basket != 0 && i < rows().size(); ++i) {
            if (rows()[i].key == basket)
                return i;
        }
        return noParent;
    }
    QString nodeId(quint32 row) const override { return QString::number(rows()[row].key); }

private:
    bool m_inBaskets;
};

static RowFilter filterOf(const FruitModel& model, const QString& text)
{
    return RowFilter::parse(text, [&](const QString& prefix) { return model.columnNamed(prefix); });
}

static Fruit randomFruit(int key, QRandomGenerator& random)
{
    return {key, u"fruit %1"_s.arg(random.bounded(40)), random.bounded(25), 0, random.bounded(6) == 0};
}

/// Some go, some come, some change, now and then some change places.
static std::vector<Fruit> nextDay(std::vector<Fruit> fruits, QRandomGenerator& random, int& lastKey)
{
    const int mood = random.bounded(5);
    const quint32 oneIn = mood == 0 ? 2 : 12;
    std::erase_if(fruits, [&](const Fruit&) { return random.bounded(oneIn) == 0; });
    for (Fruit& fruit : fruits) {
        if (random.bounded(oneIn) == 0)
            fruit = randomFruit(fruit.key, random);
    }
    const int arrivals = random.bounded(mood == 1 ? 120 : 8);
    for (int i = 0; i < arrivals; ++i) {
        const auto at = random.bounded(static_cast<int>(fruits.size()) + 1);
        fruits.insert(fruits.begin() + at, randomFruit(++lastKey, random));
    }
    if (mood == 2 && fruits.size() > 3)
        std::rotate(fruits.begin(), fruits.begin() + 2, fruits.end());
    return fruits;
}

/// Returns the rows of the view, computed from scratch.
static QStringList expected(std::vector<Fruit> fruits, int column, Qt::SortOrder order)
{
    std::erase_if(fruits, [](const Fruit& f) { return f.rotten || !f.name.contains(QLatin1Char('1')); });
    const auto up = [&](bool less) { return less == (order == Qt::AscendingOrder); };
    std::stable_sort(fruits.begin(), fruits.end(), [&](const Fruit& a, const Fruit& b) {
        if (column < 0)
            return false;
        if (column == 0)
            return a.name != b.name && up(a.name < b.name);
        if ((a.weight == 0) != (b.weight == 0))
            return b.weight == 0; // not weighed: last in both directions
        return a.weight != b.weight && up(a.weight < b.weight);
    });
    QStringList names;
    for (const Fruit& fruit : fruits)
        names << u"%1/%2"_s.arg(fruit.name).arg(fruit.weight);
    return names;
}

static QStringList actual(const FruitModel& model)
{
    QStringList names;
    for (int row = 0; row < model.rowCount(); ++row)
        names << u"%1/%2"_s.arg(model.rowAt(row).name).arg(model.rowAt(row).weight);
    return names;
}

class tst_TableModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyRefreshEndsAsIfSortedFromScratch_data()
    {
        test::addColumns<int, Qt::SortOrder>("column", "order");
        test::row("snapshot order", -1, Qt::AscendingOrder);
        test::row("text up", 0, Qt::AscendingOrder);
        test::row("text down", 0, Qt::DescendingOrder);
        test::row("number up", 1, Qt::AscendingOrder);
        test::row("number down", 1, Qt::DescendingOrder);
    }
    void anyRefreshEndsAsIfSortedFromScratch()
    {
        FETCH(int, column, Qt::SortOrder, order);
        QRandomGenerator random(20261121);
        FruitModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setNoiseHidden(true);
        model.setFilter(filterOf(model, u"1"_s));
        model.setFilterColumns({0});
        model.sort(column, order);
        std::vector<Fruit> fruits;
        int lastKey = 0;
        for (int day = 0; day < 300; ++day) {
            fruits = nextDay(std::move(fruits), random, lastKey);
            model.show(fruits);
            QCOMPARE(actual(model), expected(fruits, column, order));
        }
        QCOMPARE(resets.count(), 0);
    }

    void persistentIndexesFollowTheirRows()
    {
        QRandomGenerator random(7);
        FruitModel model;
        model.sort(1, Qt::DescendingOrder);
        std::vector<Fruit> fruits;
        int lastKey = 0;
        for (int i = 0; i < 600; ++i)
            fruits.push_back(randomFruit(++lastKey, random));
        model.show(fruits);
        QHash<int, QPersistentModelIndex> kept;
        for (int row = 0; row < model.rowCount(); ++row)
            kept.insert(model.rowAt(row).key, model.index(row, 1));
        for (int day = 0; day < 8; ++day) {
            fruits = nextDay(std::move(fruits), random, lastKey);
            model.show(fruits);
            for (auto it = kept.begin(); it != kept.end();) {
                const int row = model.find(it.key());
                QCOMPARE(it->isValid(), row >= 0);
                if (row < 0) {
                    it = kept.erase(it);
                    continue;
                }
                QCOMPARE(it->row(), row);
                QCOMPARE(it->column(), 1);
                ++it;
            }
        }
        QVERIFY2(!kept.isEmpty(), "some row must have lived through all days for this test to mean anything");
    }

    void unchangedRowsTellNothing()
    {
        FruitModel model;
        const std::vector<Fruit> fruits{{1, u"apple"_s, 3}, {2, u"pear"_s, 2}};
        model.show(fruits);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy layout(&model, &QAbstractItemModel::layoutChanged);
        model.show(fruits);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(layout.count(), 0);
    }

    void aValueThatIsNotSortedByMovesNoRow()
    {
        FruitModel model;
        model.sort(0);
        model.show({{1, u"apple"_s, 3}, {2, u"fig"_s, 2}, {3, u"pear"_s, 1}});
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy layout(&model, &QAbstractItemModel::layoutChanged);
        model.show({{1, u"apple"_s, 9}, {2, u"fig"_s, 8}, {3, u"pear"_s, 1}});
        QCOMPARE(layout.count(), 0);
        QCOMPARE(changed.count(), 1); // one run
        QCOMPARE(changed.first().at(0).toModelIndex().row(), 0);
        QCOMPARE(changed.first().at(1).toModelIndex().row(), 1);
    }

    void manyScatteredChangesCostAHandfulOfSignals()
    {
        QRandomGenerator random(3);
        FruitModel model;
        model.sort(1);
        std::vector<Fruit> fruits;
        for (int key = 1; key <= 5000; ++key)
            fruits.push_back({key, u"fruit"_s, random.bounded(1, 1000000)});
        model.show(fruits);
        for (size_t i = 0; i < fruits.size(); i += 50)
            fruits[i].weight = random.bounded(1, 1000000);
        std::erase_if(fruits, [](const Fruit& f) { return f.key % 50 == 7; });
        for (int i = 0; i < 100; ++i)
            fruits.push_back({6000 + i, u"fruit"_s, random.bounded(1, 1000000)});
        int signalCount = 0;
        const auto count = [&] { ++signalCount; };
        connect(&model, &QAbstractItemModel::dataChanged, this, count);
        connect(&model, &QAbstractItemModel::layoutChanged, this, count);
        connect(&model, &QAbstractItemModel::rowsInserted, this, count);
        connect(&model, &QAbstractItemModel::rowsRemoved, this, count);
        model.show(fruits);
        QCOMPARE(model.rowCount(), 5000);
        QVERIFY2(signalCount <= 5, qPrintable(u"%1 signals"_s.arg(signalCount)));
    }

    void whatIsHiddenIsCounted()
    {
        FruitModel model;
        model.show({{1, u"apple"_s, 1}, {2, u"fig"_s, 1}, {3, u"mush"_s, 1, 0, true}});
        QCOMPARE(model.counts(), (TableModel::Counts{.total = 3, .shown = 3}));
        model.setNoiseHidden(true);
        QCOMPARE(model.counts(), (TableModel::Counts{.total = 3, .shown = 2, .noise = 1}));
        model.setFilter(filterOf(model, u"APP"_s));
        QCOMPARE(model.counts(), (TableModel::Counts{.total = 3, .shown = 1, .noise = 1, .filtered = 1}));
        COMPARE_TEXTS(model.names(), "apple");
        model.setFilter({});
        model.setNoiseHidden(false);
        QCOMPARE(model.rowCount(), 3);
    }

    void filterTerms_data()
    {
        test::addColumns<QString, QStringList>("filter", "names");
        const QString red = u"red apple"_s;
        const QString green = u"green apple"_s;
        const QString colon = u"odd: 17"_s;
        test::row("nothing typed", QString(), QStringList{red, green, colon});
        test::row("one word", "Apple", QStringList{red, green});
        test::row("words are anded", "apple red", QStringList{red});
        test::row("quoted words belong together", "\"apple red\"", QStringList{});
        test::row("any visible column", "17", QStringList{red, colon});
        test::row("one column by title", "Weight:17", QStringList{red});
        test::row("one column, and a word", "weight:8 green", QStringList{green});
        test::row("a colon that names no column", "odd:", QStringList{colon});
        test::row("a column still without a word", "weight:", QStringList{red, green, colon});
    }
    void filterTerms()
    {
        QFETCH(QString, filter);
        FruitModel model;
        model.show({{1, u"red apple"_s, 17}, {2, u"green apple"_s, 8}, {3, u"odd: 17"_s, 4}});
        model.setFilter(filterOf(model, filter));
        QTEST(model.names(), "names");
    }

    void childrenStayBelowTheirParentInQueueOrder()
    {
        FruitModel model(true);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto n = [](const char* name) { return QString::fromLatin1(name); };
        model.sort(0, Qt::DescendingOrder);
        model.show({{1, n("basket A"), 1}, {2, n("zebra"), 1, 1}, {3, n("apple"), 1, 1},
            {4, n("basket B"), 2}, {5, n("plum"), 1, 4}});
        QCOMPARE(
            model.names(), (QStringList{n("basket B"), n("plum"), n("basket A"), n("zebra"), n("apple")}));
        QCOMPARE(model.index(0, 0).data(TableModel::ExpandedRole), QVariant(true));
        QCOMPARE(model.index(1, 0).data(TableModel::DepthRole).toInt(), 1);
        QVERIFY(!model.index(1, 0).data(TableModel::ExpandedRole).isValid());
    }

    void collapsedParentsStayCollapsed()
    {
        FruitModel model(true);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Fruit basket{1, u"basket"_s, 1};
        const Fruit apple{2, u"apple"_s, 1, 1};
        const Fruit pear{3, u"pear"_s, 1, 1};
        model.show({basket, apple});
        model.setExpanded(0, false);
        QCOMPARE(model.names(), QStringList{basket.name});
        model.show({basket, apple, pear});
        QCOMPARE(model.names(), QStringList{basket.name});
        QCOMPARE(model.counts().shown, 3);
        model.show({});
        model.show({basket, apple, pear});
        QCOMPARE(model.names(), QStringList{basket.name});
        model.setExpanded(0, true);
        QCOMPARE(model.names(), (QStringList{basket.name, apple.name, pear.name}));
        model.setAllExpanded(false);
        QCOMPARE(model.rowCount(), 1);
    }

    void aMatchingChildBringsItsParent()
    {
        FruitModel model(true);
        model.show({{1, u"basket"_s, 1}, {2, u"apple"_s, 1, 1}, {3, u"pear"_s, 1, 1}, {4, u"crate"_s, 1},
            {5, u"plum"_s, 1, 4}});
        model.setFilter(filterOf(model, u"pear"_s));
        COMPARE_TEXTS(model.names(), "basket", "pear");
        model.setFilter(filterOf(model, u"crate"_s));
        COMPARE_TEXTS(model.names(), "crate", "plum");
    }
};

LOCKSCOPE_TEST(tst_TableModel)

} // namespace tst_TableModel
#include "tst_TableModel.moc"
