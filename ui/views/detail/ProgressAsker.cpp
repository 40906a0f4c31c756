// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/ProgressAsker.h"

#include "core/monitor/CommandProgress.h"
#include "ui/views/page/AskServer.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ProgressAsker::ProgressAsker(QObject* parent)
    : QObject(parent)
{
}

void ProgressAsker::forget()
{
    ++m_request;
    m_worker.cancel();
}

void ProgressAsker::ask(const db::Server& server, const Session& session)
{
    Q_EMIT said(u"Asking how far session %1 is…"_s.arg(session.id.value));
    const int request = ++m_request;
    askServer(
        m_worker, server, std::chrono::seconds(10), this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::commandProgress(connection, session, stop);
        },
        [this, id = session.id.value, request](const Result<QString>& progress) {
            if (request == m_request)
                Q_EMIT said(
                    progress ? u"Session %1: %2."_s.arg(id).arg(*progress) : progress.error().toString());
        });
}

} // namespace lockscope::ui
