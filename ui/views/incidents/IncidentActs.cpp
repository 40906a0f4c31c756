// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentActs.h"

#include "core/watch/IncidentKeeper.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/DateTimeText.h"
#include "ui/views/page/SessionActs.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

bool isOfServer(const alert::Incident& incident, const QString& place)
{
    return incident.cause.server == watch::causeServer(place);
}

QString reasonAgainstServer(const alert::Incident& incident, const AppContext& context)
{
    const QString& server = incident.cause.server;
    return context.hasServer() && isOfServer(incident, context.place())
        ? QString()
        : u"It is of “%1”, which is not on view."_s.arg(server);
}

QString reasonAgainstPast(const alert::Incident& incident, const AppContext& context)
{
    if (const QString reason = reasonAgainstServer(incident, context); !reason.isEmpty())
        return reason;
    return context.recording() ? QString() : u"This server is not recorded."_s;
}

HeadOnView headOnView(
    const alert::Incident& incident, const AppContext& context, const SnapshotPtr& snapshot, bool isOld)
{
    const alert::IncidentHead& head = incident.head;
    if (!incident.isFiring())
        return {{}, u"It is over: there is nothing to end."_s};
    if (!head.session.isValid())
        return {{}, u"No session is at the head."_s};
    if (const QString reason = reasonAgainstServer(incident, context); !reason.isEmpty())
        return {{}, reason};
    if (const QString reason = context.reasonAgainstActing(); !reason.isEmpty())
        return {{}, reason};
    if (!snapshot || isOld)
        return {
            {}, u"The server does not answer at present: session %1 may be gone."_s.arg(head.session.value)};
    const Session* const found = snapshot->session(head.session);
    if (!found)
        return {{}, u"Session %1 is not there any more."_s.arg(head.session.value)};
    if (!head.started.isValid() || !found->started.isValid())
        return {{},
            u"It is unknown when session %1 began: another one may have its number by now."_s.arg(
                head.session.value)};
    if (found->started != head.started)
        return {{},
            u"Session %1 is another one by now: it began at %2."_s.arg(head.session.value)
                .arg(shortDateTimeText(found->loggedIn()))};
    return {*found, reasonAgainstSessionAct(context, found)};
}

} // namespace lockscope::ui
