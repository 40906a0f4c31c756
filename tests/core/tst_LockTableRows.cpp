// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"
#include "core/domain/SnapshotJson.h"
#include "core/frameworks/RowLocks.h"
#include "core/frameworks/TableSearch.h"
#include "tests/support/TestProgram.h"

#include <variant>

namespace tst_LockTableRows {

using namespace lockscope;

using Cell = std::variant<std::monostate, qint64, QString>;

/// A row as a driver gives it: missing columns read as NULL.
class FakeRow final : public db::Row {
public:
    explicit FakeRow(std::vector<Cell> cells)
        : m_cells(std::move(cells))
    {
    }
    bool isNull(int column) const override { return std::holds_alternative<std::monostate>(at(column)); }
    qint64 int64(int column) const override
    {
        const auto* number = std::get_if<qint64>(&at(column));
        return number ? *number : text(column).toLongLong();
    }
    double real(int column) const override { return double(int64(column)); }
    bool boolean(int column) const override { return int64(column) != 0; }
    QString text(int column) const override
    {
        if (const auto* number = std::get_if<qint64>(&at(column)))
            return QString::number(*number);
        const auto* text = std::get_if<QString>(&at(column));
        return text ? *text : QString();
    }

private:
    const Cell& at(int column) const
    {
        static const Cell missing;
        return size_t(column) < m_cells.size() ? m_cells[size_t(column)] : missing;
    }
    std::vector<Cell> m_cells;
};

static Cell anyCell(std::mt19937& random)
{
    static const qint64 numbers[] = {0, 1, -1, 7, 1'700'000'000'000'000, 253'402'300'799'999'999,
        253'402'300'800'000'000, -62'135'596'800'000'000, -62'135'596'800'000'001,
        std::numeric_limits<qint64>::max(), std::numeric_limits<qint64>::min()};
    static const QString texts[] = {QString(), u""_s, u"n"_s, QString(300, u'n'), u"text X'6E'"_s,
        u"blob X'00'"_s, u"text X''"_s, u" "_s, u"null"_s, QString(QChar(0)), QString(QChar(0xd83d)),
        u"\ufffd"_s, u"infinity"_s};
    switch (random() % 3) {
    case 0:
        return {};
    case 1:
        return numbers[random() % std::size(numbers)];
    default:
        return texts[random() % std::size(texts)];
    }
}

/// Reads an attached table whose stale age and lease are very long.
static frameworks::RowLocks rowsOf(Engine engine)
{
    db::AttachedTable attached;
    attached.table = u"locks"_s;
    attached.staleAge = std::chrono::hours(24 * 365 * 100);
    auto names = std::make_shared<LockRowTable>();
    names->table = attached.table;
    names->columns = {{u"Name"_s, u"text"_s}, {u"SetTime"_s, u"timestamp"_s}};
    auto found = std::make_shared<frameworks::FoundTable>();
    found->framework = frameworks::ofAttached(attached);
    found->lock = &found->framework->locks.front();
    found->table.names = names;
    found->isAttached = true;
    found->shown = attached.display();
    return frameworks::RowLocks(db::Dialect::of(engine), found, frameworks::matchOf(*found));
}

static bool isUsable(ServerTime time)
{
    return !time.isValid() || (time.us >= -62'135'596'800'000'000 && time.us <= 253'402'300'799'999'999);
}

/// All values that a driver may return become rows that can be shown.
class tst_LockTableRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anythingBecomesARow()
    {
        std::mt19937 random(17);
        const ServerTime now{1'700'000'000'000'000};
        const std::vector<frameworks::RowLocks> attachedRows{
            rowsOf(Engine::Postgres), rowsOf(Engine::SqlServer), rowsOf(Engine::Sqlite)};
        for (int i = 0; i < 200'000; ++i) {
            std::vector<Cell> cells(random() % 18);
            for (Cell& cell : cells)
                cell = anyCell(random);
            const FakeRow row(cells);
            const auto engine = static_cast<Engine>(i % 3);
            const LockTableEntry entry = db::entryFromRow(engine, row);
            QVERIFY(isUsable(entry.acquiredAt) && entry.expiresAt && isUsable(*entry.expiresAt));
            QVERIFY(!row.isNull(0) || entry.isBad());
            QVERIFY(!row.isNull(4) || entry.isBad());
            const LockTableWaiter waiter = db::waiterFromRow(engine, row);
            QVERIFY(isUsable(waiter.registeredAt) && isUsable(waiter.expiresAt));
            QVERIFY(!row.isNull(3) || waiter.isBad());
            const LockTableEntry attached = attachedRows[static_cast<size_t>(i % 3)].read(row).entry;
            QVERIFY(isUsable(attached.acquiredAt));
            QVERIFY(!attached.expiresAt || isUsable(*attached.expiresAt));
            if (i % 100 == 0)
                QVERIFY(!toJson(entry, now).isEmpty() && !toJson(attached, now).isEmpty());
        }
    }

    void aGoodRowIsGood()
    {
        const qint64 then = 1'700'000'000'000'000;
        const std::vector<Cell> common{
            u"nightly"_s, u"t"_s, qint64(7), then, then + 1, u"ann"_s, u"h"_s, u"p"_s, qint64(3), qint64(51)};
        for (const Engine engine : {Engine::Postgres, Engine::SqlServer, Engine::Sqlite}) {
            std::vector<Cell> cells = common;
            if (engine == Engine::Sqlite)
                cells.insert(cells.end(), {{}, {}, {}, {}, u"text X'6E696768746C79'"_s, u"text X'74'"_s});
            const LockTableEntry entry = db::entryFromRow(engine, FakeRow(cells));
            QCOMPARE(entry.badRow, QString());
            QCOMPARE(entry.name, u"nightly"_s);
            QCOMPARE(entry.fencing, 7);
            QCOMPARE(entry.acquiredAt.us, then);
            QCOMPARE(entry.party.session.value, 51);
        }
    }

    void aSnapshotWithAFailedProbeIsIncomplete()
    {
        Snapshot snapshot;
        QVERIFY(!snapshot.isIncomplete());
        snapshot.limitations.push_back({Limitation::Kind::BadRows, u"w"_s, {}});
        QVERIFY(!snapshot.isIncomplete());
        snapshot.limitations.push_back({Limitation::Kind::Failed, u"w"_s, {}});
        QVERIFY(snapshot.isIncomplete());
        const QJsonArray json = toJson(snapshot)[u"limitations"].toArray();
        QCOMPARE(json[0][u"kind"].toString(), u"bad rows"_s);
        QCOMPARE(json[1][u"kind"].toString(), u"failed"_s);
    }
};

LOCKSCOPE_TEST(tst_LockTableRows)

} // namespace tst_LockTableRows
#include "tst_LockTableRows.moc"
