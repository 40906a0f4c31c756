// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/PostgresLogReader.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QXmlStreamReader>

#include <algorithm>

namespace lockscope::test {

using namespace deadlock;

namespace {

void checkIndexes(const DeadlockReport& report)
{
    const auto isParticipant = [&report](int at) { return at >= 0 && at < report.participants.size(); };
    const auto isResource = [&report](int at) { return at >= 0 && at < report.resources.size(); };
    for (const Edge& edge : report.edges)
        if (!isParticipant(edge.participant) || !isResource(edge.resource))
            qFatal("an edge of nobody");
    for (const Link& link : report.links)
        if (!isParticipant(link.waiter) || !isParticipant(link.blocker) || !isResource(link.resource)
            || link.waiter == link.blocker)
            qFatal("a link of nobody");
    if (!std::ranges::all_of(report.victims, isParticipant))
        qFatal("a victim that is nobody");
    for (const LockedThing& thing : report.resources)
        if (thing.name.isEmpty())
            qFatal("a lock without a name");
}

void checkRing(const DeadlockReport& report, const Cycle& cycle)
{
    if (cycle.links.size() < 2)
        qFatal("a ring of less than two");
    for (qsizetype i = 0; i < cycle.links.size(); ++i) {
        const int blocker = cycle.links[i].blocker;
        const int next = cycle.links[(i + 1) % cycle.links.size()].waiter;
        const SessionId session = report.participants[blocker].session;
        if (blocker != next && (!session.isValid() || session != report.participants[next].session))
            qFatal("a ring that is none");
    }
}

/// Reads the bytes as a server's own log, with its waits.
void fuzzLog(const QByteArray& bytes)
{
    for (const SourceFormat format :
        {SourceFormat::PostgresText, SourceFormat::PostgresCsv, SourceFormat::PostgresJson}) {
        const LogPiece piece = readLogPiece(bytes, format, {}, Behind::Nothing);
        for (const LogPiece::Found& found : piece.found) {
            checkIndexes(*found.report);
            if (found.report->participants.isEmpty() || found.begin < 0 || found.begin >= bytes.size())
                qFatal("an entry of nobody, or at no place");
        }
    }
}

} // namespace

/// Feeds bytes to what reads reports of deadlocks; aborts if an index of what was read leads nowhere, if a
/// ring is none, or if what is written as .xdl is not read again with the same rings.
static void fuzzDeadlockReport(const QByteArray& bytes)
{
    fuzzLog(bytes);
    const auto reports = readReports(bytes, QStringLiteral("file"));
    if (!reports) {
        if (reports.error().kind != ErrorKind::BadInput || reports.error().what.isEmpty())
            qFatal("refused without a reason");
        return;
    }
    for (const ReportPtr& report : *reports) {
        checkIndexes(*report);
        for (const Deadlock& deadlock : deadlocksOf(report)) {
            checkRing(*report, deadlock.cycle());
            if (familyOf(deadlock).isEmpty() || sequenceOf(deadlock).isEmpty()
                || drawingOf(deadlock).isEmpty())
                qFatal("a deadlock that can't be told");
            for (const Finding& finding : findingsOf(deadlock))
                if (finding.id.isEmpty())
                    qFatal("a finding of no rule");
        }
        if (toReport({report}).sections.empty())
            qFatal("no report");
    }
    if (const auto xdl = toXdl(*reports)) {
        QXmlStreamReader strict(*xdl);
        while (!strict.atEnd())
            strict.readNext();
        if (strict.hasError())
            qFatal("what was written is ill-formed");
    }
    if (toHtml(*reports).size() > maxPageBytes)
        qFatal("a page that is too large");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzDeadlockReport)
