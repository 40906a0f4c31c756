// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/ShownServer.h"

#include "ui/shell/servers/Servers.h"
#include "ui/views/page/AppContext.h"

namespace lockscope::ui {

ShownServer::ShownServer(AppContext& context, Servers& servers, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
    connect(&servers, &Servers::aboutToClose, this, [this](ServerSession* session) {
        if (session == m_session)
            show(nullptr);
    });
    connect(&context, &AppContext::localAuditAllowed, this,
        [this, &servers] { servers.allowLocalAudit(m_session); });
    connect(&m_travel, &TimeTravel::clockChanged, this, &ShownServer::updatePastTime);
    connect(&m_travel, &TimeTravel::pastViewChanged, this, [this] {
        updatePastTime();
        if (snapshot())
            Q_EMIT snapshotChanged();
        Q_EMIT healthChanged();
    });
}

SnapshotPtr ShownServer::snapshot() const
{
    if (!m_session)
        return {};
    return m_travel.isOn() ? m_travel.snapshot() : m_session->monitor().snapshot();
}

void ShownServer::updatePastTime()
{
    if (!m_session || !m_travel.isOn()) {
        m_context.setPastTime(std::nullopt);
        return;
    }
    const SnapshotPtr shown = m_travel.snapshot();
    m_context.setPastTime(AppContext::PastTime{
        shown ? shown->takenAt : ServerTime(), m_travel.clock(), m_travel.source().isFile});
}

void ShownServer::show(ServerSession* session)
{
    if (m_session == session && session)
        return;
    follow(session);
    // If nothing can be read, the error is shown instead of the pages.
    const bool isReadable = session && !(session->recording() && session->recording()->error);
    m_travel.setSource(isReadable
            ? TimeTravel::Source{.place = session->recordingPlace(),
                .isFile = session->recording() != nullptr,
                .of = session->recording() ? session->recording()->identity : session->identity(),
                .passwords = session->recording() ? session->recording()->passwords : db::PasswordProvider(),
                .damaged = session->damageSink()}
            : TimeTravel::Source());
    if (session && session->monitor().snapshot())
        m_travel.notePresent(session->monitor().snapshot()->takenAt);
    updatePastTime();
    m_context.setServer(
        session ? session->profile() : db::ServerProfile(), session, session ? session->admin() : nullptr);
    m_context.setServerToAsk(session ? session->server() : std::nullopt);
    m_context.heldLocks().setFactory(session && session->admin()
            ? [session](const locks::LockOptions& lock) { return session->makeLock(lock); }
            : HeldLocks::Factory(),
        session ? session->profile().display() : QString());
    Q_EMIT changed();
}

void ShownServer::follow(ServerSession* session)
{
    if (m_session) {
        disconnect(m_session, nullptr, this, nullptr);
        m_session->monitor().setBudget(ServerSession::budgetAside);
    }
    m_session = session;
    if (!session)
        return;
    session->monitor().setBudget(ServerSession::budgetOnView);
    connect(session, &ServerSession::snapshotChanged, this, &ShownServer::takePoll);
    connect(session, &ServerSession::healthChanged, this, &ShownServer::healthChanged);
}

void ShownServer::takePoll()
{
    m_travel.notePresent(m_session->monitor().snapshot()->takenAt);
    Q_EMIT polled();
    if (isLive())
        Q_EMIT snapshotChanged();
}

void ShownServer::refresh()
{
    if (m_session && !m_session->recording())
        m_session->refreshNow();
}

void ShownServer::setPaused(bool paused)
{
    if (isLive())
        m_session->monitor().setPaused(paused);
}

void ShownServer::togglePaused()
{
    if (m_session)
        setPaused(!m_session->monitor().isPaused());
}

} // namespace lockscope::ui
