// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ActAnswer.h"

#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdminClient.h"
#include "ui/AppContext.h"

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
    if (m_about != session.key())
        m_rights.reset();
    m_about = session.key();
    m_askedAt = now;
    m_isAsking = true;
    m_context.admin()->ask(
        this, [session](admin::ServerAdmin& admin) { return admin.rights(&session); },
        [this, asked = ++m_asked](const Result<admin::ActRights>& rights) {
            if (asked != m_asked)
                return;
            m_isAsking = false;
            m_rights = rights;
            Q_EMIT changed();
        });
}

ActAdvice ActAnswer::adviceFor(const Session& session) const
{
    if (m_about != session.key() || !m_rights)
        return {};
    const QString file =
        allowsLocalAudit(m_context.settings()) ? admin::LocalAudit::defaultPath() : QString();
    return adviceOn(*m_rights, ActOn::Session, file);
}

} // namespace lockscope::ui
