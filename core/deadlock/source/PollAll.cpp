// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PollAll.h"

#include "core/base/SleepFor.h"

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// A poll that read so much did not come to the end.
constexpr qint64 muchRead = 1 << 20;

/// The newest reports, as far as there is space for them.
class Kept {
public:
    explicit Kept(const AllBounds& bounds)
        : m_bounds(bounds)
    {
    }
    void add(const QList<ReportPtr>& reports)
    {
        for (const ReportPtr& report : reports) {
            m_reports << report;
            m_text += report->raw.size();
        }
        qsizetype drop = 0;
        while (m_reports.size() - drop > m_bounds.reports
            || (m_text > m_bounds.text && m_reports.size() - drop > 1))
            m_text -= m_reports[drop++]->raw.size();
        m_reports.remove(0, drop);
        m_dropped += drop;
    }
    const QList<ReportPtr>& reports() const { return m_reports; }
    qsizetype dropped() const { return m_dropped; }

private:
    const AllBounds& m_bounds;
    QList<ReportPtr> m_reports;
    qint64 m_text = 0;
    qsizetype m_dropped = 0;
};

QString endText(const SourcePoll& poll, const AllBounds& bounds)
{
    return poll.bytesRead >= bounds.bytes
        ? u"Reading ended after %1 MB: what the records tell behind that was not read. A later beginning (--since) makes it less."_s
              .arg(poll.bytesRead >> 20)
        : u"A report at the end of the records was still being written, and was not read."_s;
}

} // namespace

Result<AllPolled> pollAll(const std::function<Result<SourcePoll>(const std::stop_token&)>& poll,
    const std::stop_token& stop, const AllBounds& bounds)
{
    AllPolled all;
    Kept kept(bounds);
    for (int pauses = 0;;) {
        auto brought = poll(stop);
        if (!brought)
            return Failure(brought.error());
        const bool isBehind = brought->bytesRead >= muchRead;
        kept.add(brought->reports);
        brought->reports.clear();
        brought->bytesRead += all.poll.bytesRead;
        brought->serverTime += all.poll.serverTime;
        brought->clientTime += all.poll.clientTime;
        brought->roundTrips += all.poll.roundTrips;
        all.poll = std::move(*brought);
        all.isComplete = !all.poll.isMoreToRead;
        // While the records grow, their end moves.
        if (all.isComplete || all.poll.bytesRead >= bounds.bytes || (!isBehind && ++pauses > bounds.pauses))
            break;
        if (!isBehind && !sleepFor(bounds.pause, stop))
            return failure(ErrorKind::Cancelled, u"The reading was ended."_s);
    }
    all.poll.reports = kept.reports();
    all.dropped = kept.dropped();
    if (!all.isComplete)
        all.poll.limits << endText(all.poll, bounds);
    if (all.dropped > 0)
        all.poll.limits << u"%1 older reports were left out: no more than the newest %2 are kept."_s.arg(
            QString::number(all.dropped), QString::number(all.poll.reports.size()));
    return all;
}

} // namespace lockscope::deadlock
