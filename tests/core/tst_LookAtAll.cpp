// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A server's records are read to their end, however fast they grow and whatever stands in them.

#include "core/deadlock/source/LookAtAll.h"
#include "tests/support/TestProgram.h"

#include <QTest>

namespace tst_LookAtAll {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 megabyte = 1 << 20;

/// Records of which each look brings a part.
class Records {
public:
    /// `left`: that so many looks more have something; -1: they grow without end.
    Records(int left, qint64 bytesOfLook, int reportsOfLook = 1)
        : m_left(left)
        , m_bytes(bytesOfLook)
        , m_reports(reportsOfLook)
    {
    }
    Result<SourceLook> look()
    {
        SourceLook look;
        ++looks;
        for (int i = 0; i < m_reports; ++i) {
            auto report = std::make_shared<Report>();
            report->source.eventKey = QString::number(++m_given);
            report->raw = QString(100, u'x');
            look.reports << report;
        }
        look.bytesRead = m_bytes;
        look.origin = u"a log"_s;
        look.isMoreToRead = m_left < 0 || --m_left > 0;
        return look;
    }
    Result<AllLooked> all(const AllBounds& bounds)
    {
        return lookAtAll([this](const std::stop_token&) { return look(); }, {}, bounds);
    }

    int looks = 0;

private:
    int m_left;
    const qint64 m_bytes;
    const int m_reports;
    int m_given = 0;
};

AllBounds smallBounds()
{
    AllBounds bounds;
    bounds.bytes = 40 * megabyte;
    bounds.reports = 10;
    bounds.text = 700;
    bounds.pause = milliseconds(0);
    return bounds;
}

} // namespace

class tst_LookAtAll : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void upToTheEnd()
    {
        Records records(5, 4 * megabyte);
        const auto all = records.all(smallBounds());
        QVERIFY(all && all->isWhole);
        QCOMPARE(records.looks, 5);
        QCOMPARE(all->look.reports.size(), 5);
        QCOMPARE(all->look.bytesRead, 20 * megabyte);
        QCOMPARE(all->look.limits, QStringList());
    }

    void notBehindWhatGrowsAsFastAsItIsRead()
    {
        Records records(-1, 4 * megabyte);
        const auto all = records.all(smallBounds());
        QVERIFY(all && !all->isWhole);
        QCOMPARE(records.looks, 10);
        QCOMPARE(all->look.limits.size(), 2);
        QVERIFY2(
            all->look.limits[0].startsWith(u"Reading ended after 40 MB"_s), qPrintable(all->look.limits[0]));
    }

    void aReportAtTheEndIsNotWaitedForWithoutEnd()
    {
        Records records(-1, 100, 0);
        const auto all = records.all(smallBounds());
        QVERIFY(all && !all->isWhole);
        QCOMPARE(records.looks, smallBounds().pauses + 1);
        QVERIFY2(all->look.limits.join(u' ').contains(u"still being written"_s),
            qPrintable(all->look.limits.join(u' ')));
    }

    void theNewestAreKept()
    {
        AllBounds bounds = smallBounds();
        bounds.text = 1'000'000;
        Records many(4, 4 * megabyte, 6);
        const auto all = many.all(bounds);
        QVERIFY(all && all->isWhole);
        QCOMPARE(all->dropped, 14);
        QCOMPARE(all->look.reports.size(), 10);
        QCOMPARE(all->look.reports.last()->source.eventKey, u"24"_s);
        QCOMPARE(all->look.limits,
            QStringList{u"14 older reports were left out: no more than the newest 10 are kept."_s});
        // And no more than there is room for their texts.
        Records texts(4, 4 * megabyte, 2);
        const auto less = texts.all(smallBounds());
        QVERIFY(less && less->isWhole);
        QCOMPARE(less->look.reports.size(), 7);
        QCOMPARE(less->dropped, 1);
        // The newest in any case.
        bounds.text = 10;
        QCOMPARE(Records(1, 0, 3).all(bounds)->look.reports.size(), 1);
    }

    void itEndsWhenItIsAskedTo()
    {
        std::stop_source stop;
        Records records(-1, 0);
        const auto all = lookAtAll(
            [&](const std::stop_token&) {
                stop.request_stop();
                return records.look();
            },
            stop.get_token());
        QVERIFY(!all && all.error().kind == ErrorKind::Cancelled);
        QCOMPARE(records.looks, 1);
    }
};

LOCKSCOPE_TEST(tst_LookAtAll)

} // namespace tst_LookAtAll
#include "tst_LookAtAll.moc"
