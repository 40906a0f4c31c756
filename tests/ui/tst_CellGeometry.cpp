// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/tables/ColumnLayout.h"

namespace tst_CellGeometry {

using namespace lockscope::ui;

class tst_CellGeometry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsFillTheRoom_data()
    {
        lockscope::test::addColumns<int, std::vector<int>>("room", "widths");
        lockscope::test::row("as wanted", 400, std::vector{100, 100, 200});
        lockscope::test::row("what is left over is shared", 700, std::vector{100, 200, 400});
        lockscope::test::row("what is missing is shared", 340, std::vector{100, 80, 160});
        lockscope::test::row("down to half, then one scrolls", 10, std::vector{100, 50, 100});
    }
    void columnsFillTheRoom()
    {
        FETCH(int, room, std::vector<int>, widths);
        QCOMPARE(fitColumns({{100, 0}, {100, 1}, {200, 2}}, room), widths);
    }

    void namesAreWholeBeforeOthersGetMoreThanTheyNeed()
    {
        const std::vector<ColumnShare> columns{{100, 6}, {100, 1, 0, 180}, {50, 0}};
        QCOMPARE(fitColumns(columns, 300), (std::vector{100, 150, 50})); // all that is spare
        QCOMPARE(fitColumns(columns, 400), (std::vector{160, 190, 50})); // then all have their share
        QCOMPARE(fitColumns(columns, 220), (std::vector{70, 100, 50})); // others give way first
        QCOMPARE(fitColumns(columns, 180), (std::vector{50, 80, 50}));
    }

    void aColumnAtItsLeastLeavesTheRestToTheOthers()
    {
        QCOMPARE(fitColumns({{40, 3}, {400, 1}}, 300), (std::vector{20, 280}));
        QCOMPARE(fitColumns({{40, 0}, {60, 0}}, 300), (std::vector{40, 260}));
        QCOMPARE(fitColumns({}, 300), std::vector<int>());
    }

    void plainTextFillsTheCellButForThePadding()
    {
        const CellLayout layout = layoutCell(QRect(100, 20, 200, 24), {});
        QCOMPARE(layout.text, QRect(100 + cellPadding, 20, 200 - 2 * cellPadding, 24));
        QVERIFY(layout.arrow.isEmpty());
        QVERIFY(layout.glyph.isEmpty());
    }

    void childrenAreIndentedAndParentsCarryTheArrow()
    {
        const QRect cell(0, 0, 200, 24);
        const CellLayout parent = layoutCell(cell, {.depth = 0, .outline = true});
        const CellLayout child = layoutCell(cell, {.depth = 1, .outline = true});
        QVERIFY(!parent.arrow.isEmpty());
        QVERIFY(child.arrow.isEmpty());
        QVERIFY(parent.arrow.right() < parent.text.left());
        QCOMPARE(child.text.left() - parent.text.left(), CellParts{}.unit);
    }

    void aGlyphStandsBesideTheText()
    {
        const CellLayout layout = layoutCell(QRect(0, 0, 120, 24), {.glyph = true});
        QVERIFY(layout.glyph.right() + cellGap < layout.text.left() + 1);
        QVERIFY(std::abs(layout.glyph.center().y() - 12) <= 1);
    }

    void aCellTooNarrowHasNoNegativeText()
    {
        QCOMPARE(layoutCell(QRect(0, 0, 10, 24), {.glyph = true}).text.width(), 0);
    }

    void rightToLeftIsTheMirrorImage()
    {
        const QRect cell(50, 0, 160, 24);
        const CellLayout ltr = layoutCell(cell, {.glyph = true});
        const CellLayout rtl = layoutCell(cell, {.glyph = true, .rightToLeft = true});
        QCOMPARE(rtl.glyph.right(), cell.right() - (ltr.glyph.left() - cell.left()));
        QVERIFY(rtl.text.right() < rtl.glyph.left());
    }

    void theBarFillsWithTheLease_data()
    {
        lockscope::test::addColumns<double, double>("used", "filled");
        lockscope::test::row("just taken", 0.0, 0.0);
        lockscope::test::row("half", 0.5, 0.5);
        lockscope::test::row("stale", 1.0, 1.0);
        lockscope::test::row("long stale", 7.0, 1.0);
        lockscope::test::row("clock ran back", -1.0, 0.0);
    }
    void theBarFillsWithTheLease()
    {
        FETCH(double, used, double, filled);
        const BarLayout bar = layoutBar(QRect(0, 0, 200, 24), used, 60);
        QCOMPARE(bar.fill.width(), static_cast<int>(bar.track.width() * filled));
        QVERIFY(bar.text.width() >= 60);
        QVERIFY(bar.track.right() < bar.text.left());
    }

    void withoutRoomForBothTheWordsStay()
    {
        const BarLayout bar = layoutBar(QRect(0, 0, 80, 24), 0.5, 60);
        QVERIFY(bar.track.isEmpty());
        QVERIFY(bar.text.width() >= 60);
    }
};

LOCKSCOPE_TEST(tst_CellGeometry)

} // namespace tst_CellGeometry
#include "tst_CellGeometry.moc"
