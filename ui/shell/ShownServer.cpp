// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/ShownServer.h"

#include "ui/AppContext.h"
#include "ui/shell/Servers.h"

namespace lockscope::ui {

ShownServer::ShownServer(AppContext& context, Servers& servers, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
    connect(&servers, &Servers::snapshotChanged, this, [this](ServerSession* session) {
        if (session == m_session)
            Q_EMIT snapshotChanged();
    });
    connect(&servers, &Servers::healthChanged, this, [this](ServerSession* session) {
        if (session == m_session)
            Q_EMIT healthChanged();
    });
    connect(&servers, &Servers::aboutToClose, this, [this](ServerSession* session) {
        if (session == m_session)
            show(nullptr);
    });
    connect(&context, &AppContext::localAuditAllowed, this,
        [this, &servers] { servers.allowLocalAudit(m_session); });
}

ShownServer::~ShownServer() = default;

SnapshotPtr ShownServer::snapshot() const
{
    return m_session ? m_session->monitor().snapshot() : SnapshotPtr();
}

void ShownServer::show(ServerSession* session)
{
    if (m_session == session && session)
        return;
    m_session = session;
    m_context.setServer(session ? session->profile() : db::ServerProfile(),
        session ? &session->monitor() : nullptr, session ? session->admin() : nullptr);
    m_context.setServerToAsk(session ? session->server() : std::nullopt);
    m_context.heldLocks().setFactory(session && session->admin()
            ? [session](const locks::LockOptions& lock) { return session->makeLock(lock); }
            : HeldLocks::Factory(),
        session ? session->profile().display() : QString());
    Q_EMIT changed();
}

void ShownServer::refresh()
{
    if (m_session)
        m_session->monitor().refreshNow();
}

void ShownServer::setPaused(bool paused)
{
    if (m_session)
        m_session->monitor().setPaused(paused);
}

void ShownServer::togglePaused()
{
    if (m_session)
        setPaused(!m_session->monitor().isPaused());
}

} // namespace lockscope::ui
