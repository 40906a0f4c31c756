// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/DeadlockReports.h"

#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "tests/support/Files.h"
#include "tests/support/OrDie.h"

#include <QtDebug>

namespace lockscope::test {

using namespace Qt::StringLiterals;
using namespace deadlock;

QList<ReportPtr> readDeadlocks(const QString& name)
{
    return orDie(readReports(deadlockFile(name), name));
}

ReportPtr oneDeadlock(const QString& name)
{
    const QList<ReportPtr> reports = readDeadlocks(name);
    if (reports.size() != 1)
        qFatal("%s has %d reports", qPrintable(name), int(reports.size()));
    return reports.first();
}

QStringList ringsOf(const DeadlockReport& report)
{
    QStringList all;
    for (const Cycle& cycle : report.cycles) {
        QStringList labels;
        for (const Link& link : cycle.links)
            labels << report.participants[link.waiter].label()
                    + (cycle.victims.contains(link.waiter) ? u"!"_s : QString());
        const auto least = std::min_element(labels.begin(), labels.end());
        std::rotate(labels.begin(), least, labels.end());
        all << labels.join(u'>');
    }
    return all;
}

QStringList findingsOf(const ReportPtr& report)
{
    QStringList ids;
    for (const Deadlock& deadlock : deadlocksOf(report))
        for (const Finding& finding : deadlock::findingsOf(deadlock))
            if (finding.id != u"victim"_s && finding.id != u"capture"_s && !ids.contains(finding.id))
                ids << finding.id;
    return ids;
}

QString deadlockFilePath(const QString& name)
{
    return sourcePath(u"tests/support/deadlocks/"_s) + name;
}

QByteArray deadlockFile(const QString& name)
{
    return readFile(deadlockFilePath(name));
}

} // namespace lockscope::test
