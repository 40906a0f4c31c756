// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/RunText.h"

#include "ui/scenario/Timeline.h"
#include "ui/scenario/VariantModel.h"

#include <QCoreApplication>

namespace lockscope::ui {

using scenario::Progress;

namespace {

const QString separator = QStringLiteral("  ·  ");

QString say(const char* text)
{
    return QCoreApplication::translate("RunText", text);
}

QStringList countsText(const scenario::Counts& counts)
{
    QStringList parts;
    const auto add = [&parts](const QString& words, qint64 count) {
        if (count > 0)
            parts << words.arg(count);
    };
    add(say("%L1 denied"), counts.denied);
    add(say("%L1 deadlock victims"), counts.victims);
    add(say("%L1 refused writes"), counts.conflicts);
    add(say("%L1 duplicate keys"), counts.duplicates);
    add(say("%L1 locks that were somebody else's"), counts.lost);
    add(say("%L1 mistakes"), counts.failures);
    add(say("%L1 crashes"), counts.deaths);
    return parts;
}

} // namespace

QString figuresText(const scenario::RunReport& report, bool withTitle)
{
    QStringList parts;
    if (report.wasStopped)
        parts << say("stopped after %1").arg(shortDuration(microseconds(report.duration).count()));
    if (withTitle)
        parts << report.scenario->find(report.variant)->title;
    parts << say("%1 rounds/s").arg(rateText(report.roundsPerSecond()));
    if (report.counts.processed > 0)
        parts << say("%1 items/s").arg(rateText(report.itemsPerSecond()));
    if (report.waits.count() > 0)
        parts << say("waits: half below %1, 95 % below %2, longest %3")
                     .arg(shortDuration(report.waits.quantile(0.5).count()),
                         shortDuration(report.waits.quantile(0.95).count()),
                         shortDuration(report.waits.longest().count()));
    return (parts + countsText(report.counts)).join(separator);
}

QString progressText(const Progress& progress, int wanted)
{
    switch (progress.phase) {
    case Progress::Phase::Preparing:
        return say("%1 of %2 sessions are connected").arg(progress.sessions).arg(wanted);
    case Progress::Phase::Ending:
        return say("ending; %1 sessions are still there").arg(progress.sessions);
    case Progress::Phase::Running:
        break;
    }
    const QStringList parts{say("%L1 rounds").arg(progress.counts.rounds),
        say("%1 of %2 sessions wait").arg(progress.waiting).arg(progress.sessions)};
    return (parts + countsText(progress.counts)).join(separator);
}

} // namespace lockscope::ui
