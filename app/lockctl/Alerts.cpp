// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Alerts.h"

#include "app/lockctl/Console.h"
#include "core/base/Sentences.h"
#include "core/report/Report.h"
#include "core/watch/IncidentWatch.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

Failure complainOf(const QString& path, const json::FileFaults& faults)
{
    complain(faults);
    return failure(ErrorKind::BadInput, u"%1 has %2."_s.arg(path, counted(qint64(faults.size()), u"fault")));
}

void printAlerts(watch::IncidentWatch& incidents, bool json)
{
    QObject::connect(
        &incidents, &watch::IncidentWatch::notified, &incidents, [json](const QList<alert::Notice>& notices) {
            for (const alert::Notice& notice : notices) {
                if (json) {
                    printJson(toJson(notice));
                    continue;
                }
                const alert::Incident& incident = notice.incident;
                const ServerTime at = incident.isFiring() ? incident.seen : incident.resolved;
                sayLine(u"%1  %2 (incident %3)"_s.arg(
                    report::timeText(at), printable(subjectOf(notice)), QString::number(incident.id)));
            }
        });
    QObject::connect(&incidents, &watch::IncidentWatch::errorChanged, &incidents, [&incidents] {
        if (const auto error = incidents.error())
            complain(u"Incidents: "_s + error->toString());
    });
    QObject::connect(&incidents, &watch::IncidentWatch::failed, &incidents,
        [](const QString& channel, const Error& error) {
            complain(u"Channel %1: %2"_s.arg(channel, error.toString()));
        });
}

} // namespace lockscope::ctl
