// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/ActAnswer.h"

#include "core/admin/ByHand.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdminClient.h"
#include "ui/views/page/AppContext.h"

namespace lockscope::ui {

using namespace std::chrono_literals;

namespace {

constexpr auto validFor = 30s;

} // namespace

ActAnswer::ActAnswer(AppContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
    connect(&context, &AppContext::serverChanged, this, &ActAnswer::forget);
}

void ActAnswer::forget()
{
    m_about.reset();
    m_rights.reset();
    m_isAsking = false;
    ++m_asked;
    Q_EMIT changed();
}

void ActAnswer::askFor(const Session& session)
{
    const auto now = std::chrono::steady_clock::now();
    const bool isKnown = m_about == session.key() && (m_isAsking || now - m_askedAt < validFor);
    if (isKnown || !m_context.reasonAgainstActing().isEmpty())
        return;
    if (m_about != session.key() && !isRefused())
        m_rights.reset();
    m_about = session.key();
    m_askedAt = now;
    m_isAsking = true;
    // At each poll, that is: no person asks.
    m_context.admin()->askUnattended(
        this, [session](admin::ServerAdmin& admin) { return admin.rights(&session); },
        [this, asked = ++m_asked](const Result<admin::ActRights>& rights) {
            if (asked != m_asked)
                return;
            m_isAsking = false;
            m_rights = rights;
            Q_EMIT changed();
        });
}

/// Then it is so whatever session is meant.
bool ActAnswer::isRefused() const
{
    return m_rights && !*m_rights && m_rights->error().kind == ErrorKind::Login;
}

ActAdvice ActAnswer::adviceFor(const Session& session) const
{
    if (!m_rights || (m_about != session.key() && !isRefused()))
        return {};
    const QString file = m_context.allowsLocalAudit() ? admin::LocalAudit::defaultPath() : QString();
    const bool hasStatement = !admin::endByHand(m_context.profile().url.engine, session).isEmpty();
    return adviceOn(*m_rights, ActOn::Session, file, hasStatement);
}

} // namespace lockscope::ui
