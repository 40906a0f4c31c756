// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/SessionAsker.h"

#include "core/monitor/DetailQueries.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/page/AskServer.h"

#include <QPointer>
#include <QWidget>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

SessionAsker::SessionAsker(QWidget* window)
    : QObject(window)
    , m_window(window)
{
}

void SessionAsker::forget()
{
    for (Kind* kind : {&m_plan, &m_progress}) {
        ++kind->request;
        kind->worker.cancel();
    }
}

void SessionAsker::askProgress(const db::Server& server, const Session& session)
{
    Q_EMIT said(u"Asking how far session %1 is…"_s.arg(session.id.value));
    askServer(
        m_progress.worker, server, 10s, this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::commandProgress(connection, session, stop);
        },
        [this, id = session.id.value, request = ++m_progress.request](const Result<QString>& progress) {
            if (request == m_progress.request)
                Q_EMIT said(
                    progress ? u"Session %1: %2."_s.arg(id).arg(*progress) : progress.error().toString());
        });
}

void SessionAsker::savePlan(const db::Server& server, const SessionKey& session)
{
    Q_EMIT said(u"Asking for the plan of session %1…"_s.arg(session.id.value));
    askServer(
        m_plan.worker, server, 30s, this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::statementPlan(connection, session, stop);
        },
        [this, session, request = ++m_plan.request](const Result<QString>& plan) {
            if (request != m_plan.request)
                return;
            if (plan)
                askWhereToSavePlan(session, *plan);
            else
                Q_EMIT said(plan.error().toString());
        });
}

void SessionAsker::askWhereToSavePlan(const SessionKey& session, const QString& plan)
{
    Q_EMIT said(u"The plan of session %1 is here."_s.arg(session.id.value));
    askWhereToSave(*m_window, u"Save plan"_s, u"Execution plan (*.sqlplan)"_s,
        QStringLiteral("session-%1.sqlplan").arg(session.id.value),
        [self = QPointer(this), plan](const QString& path) {
            if (!self)
                return;
            writeLater(*self, path, plan.toUtf8(), u"The plan is in %1."_s.arg(path),
                [self](const QString& text) { Q_EMIT self->said(text); });
        });
}

} // namespace lockscope::ui
