// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/PlanSaver.h"

#include "core/monitor/StatementPlan.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/WriteLater.h"
#include "ui/views/page/AskServer.h"

#include <QWidget>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

PlanSaver::PlanSaver(QWidget* window)
    : QObject(window)
    , m_window(window)
{
}

void PlanSaver::forget()
{
    ++m_request;
    m_worker.cancel();
}

void PlanSaver::save(const db::Server& server, const SessionKey& session)
{
    Q_EMIT said(u"Asking for the plan of session %1…"_s.arg(session.id.value));
    const int request = ++m_request;
    askServer(
        m_worker, server, std::chrono::seconds(30), this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::statementPlan(connection, session, stop);
        },
        [this, session, request](const Result<QString>& plan) {
            if (request == m_request)
                show(session, plan);
        });
}

void PlanSaver::show(const SessionKey& session, const Result<QString>& plan)
{
    if (!plan) {
        Q_EMIT said(plan.error().toString());
        return;
    }
    Q_EMIT said(u"The plan of session %1 is here."_s.arg(session.id.value));
    askWhereToSave(*m_window, u"Save plan"_s, u"Execution plan (*.sqlplan)"_s,
        QStringLiteral("session-%1.sqlplan").arg(session.id.value),
        [self = QPointer(this), text = *plan](const QString& path) {
            if (!self)
                return;
            writeLater(*self, path, text.toUtf8(), [self, path](const Result<void>& written) {
                Q_EMIT self->said(written ? u"The plan is in %1."_s.arg(path) : written.error().toString());
            });
        });
}

} // namespace lockscope::ui
