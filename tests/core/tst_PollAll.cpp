// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A server's records are read to their end, with any content and at any speed of growth.

#include "core/deadlock/source/DeadlockPoller.h"
#include "tests/support/TestProgram.h"

namespace tst_PollAll {

using namespace lockscope;
using namespace lockscope::deadlock;

constexpr qint64 megabyte = 1 << 20;

/// Records of which each poll reads a part.
class Records {
public:
    /// `left`: the number of polls that still have something; -1: they grow without end.
    Records(int left, qint64 bytesOfPoll, int reportsOfPoll = 1)
        : m_left(left)
        , m_bytes(bytesOfPoll)
        , m_reports(reportsOfPoll)
    {
    }
    Result<SourcePoll> poll()
    {
        SourcePoll poll;
        ++pollCount;
        for (int i = 0; i < m_reports; ++i) {
            auto report = std::make_shared<DeadlockReport>();
            report->source.eventKey = QString::number(++m_given);
            report->raw = QString(100, u'x');
            poll.reports << report;
        }
        poll.bytesRead = m_bytes;
        poll.origin = u"a log"_s;
        poll.isMoreToRead = m_left < 0 || --m_left > 0;
        return poll;
    }
    Result<AllPolled> all(const AllBounds& bounds)
    {
        return pollAll([this](const std::stop_token&) { return poll(); }, {}, bounds);
    }

    int pollCount = 0;

private:
    int m_left;
    const qint64 m_bytes;
    const int m_reports;
    int m_given = 0;
};

static AllBounds smallBounds()
{
    AllBounds bounds;
    bounds.bytes = 40 * megabyte;
    bounds.reports = 10;
    bounds.text = 700;
    bounds.pause = milliseconds(0);
    return bounds;
}

class tst_PollAll : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void upToTheEnd()
    {
        Records records(5, 4 * megabyte);
        const auto all = records.all(smallBounds());
        QVERIFY(all && all->isComplete);
        QCOMPARE(records.pollCount, 5);
        QCOMPARE(all->poll.reports.size(), 5);
        QCOMPARE(all->poll.bytesRead, 20 * megabyte);
        QCOMPARE(all->poll.limits, QStringList());
    }

    void notBehindWhatGrowsAsFastAsItIsRead()
    {
        Records records(-1, 4 * megabyte);
        const auto all = records.all(smallBounds());
        QVERIFY(all && !all->isComplete);
        QCOMPARE(records.pollCount, 10);
        QCOMPARE(all->poll.limits.size(), 2);
        VERIFY_STARTS(all->poll.limits[0], u"Reading ended after 40 MB"_s);
    }

    void aReportAtTheEndIsNotWaitedForWithoutEnd()
    {
        Records records(-1, 100, 0);
        const auto all = records.all(smallBounds());
        QVERIFY(all && !all->isComplete);
        QCOMPARE(records.pollCount, smallBounds().pauses + 1);
        VERIFY_CONTAINS(all->poll.limits.join(u' '), u"still being written"_s);
    }

    void theNewestAreKept()
    {
        AllBounds bounds = smallBounds();
        bounds.text = 1'000'000;
        Records many(4, 4 * megabyte, 6);
        const auto all = many.all(bounds);
        QVERIFY(all && all->isComplete);
        QCOMPARE(all->dropped, 14);
        QCOMPARE(all->poll.reports.size(), 10);
        QCOMPARE(all->poll.reports.last()->source.eventKey, u"24"_s);
        COMPARE_TEXTS(
            all->poll.limits, "14 older reports were left out: no more than the newest 10 are kept.");
        // A poll reads no more than there is space for their texts.
        Records texts(4, 4 * megabyte, 2);
        const auto less = texts.all(smallBounds());
        QVERIFY(less && less->isComplete);
        QCOMPARE(less->poll.reports.size(), 7);
        QCOMPARE(less->dropped, 1);
        // The newest in any case.
        bounds.text = 10;
        QCOMPARE(Records(1, 0, 3).all(bounds)->poll.reports.size(), 1);
    }

    void itEndsWhenItIsAskedTo()
    {
        std::stop_source stop;
        Records records(-1, 0);
        const auto all = pollAll(
            [&](const std::stop_token&) {
                stop.request_stop();
                return records.poll();
            },
            stop.get_token());
        VERIFY_FAILS(ErrorKind::Cancelled, all);
        QCOMPARE(records.pollCount, 1);
    }
};

LOCKSCOPE_TEST(tst_PollAll)

} // namespace tst_PollAll
#include "tst_PollAll.moc"
