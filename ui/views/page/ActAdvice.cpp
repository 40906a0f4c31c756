// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/ActAdvice.h"

#include "core/admin/ByHand.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdminClient.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "ui/views/page/AppContext.h"

#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QString localAuditKey = QStringLiteral("acts/localAudit");

QString capitalised(QString text)
{
    text[0] = text[0].toUpper();
    return text;
}

QString refusalOf(ActOn what)
{
    static constexpr EnumTable<ActOn> texts({u"Your login may not act on this session.",
        u"Your login may not delete from the lock table.", u"Your login may not change that table."});
    return texts[what].toString();
}

/// All that is missing, at once.
ActAdvice mayNot(const admin::ActRights& rights, ActOn what, bool hasStatement)
{
    using Audit = admin::ActRights::Audit;
    const bool isClosed = rights.audit == Audit::Closed;
    const QString copy = hasStatement ? u"Anyone with the right can run the copied statement."_s : QString();
    QStringList grants{rights.grantToAct, isClosed ? rights.grantToRecord : QString()};
    grants.removeAll(QString());
    const QString give = grants.isEmpty() || !rights.whyNot.isEmpty() ? QString()
        : hasStatement ? u"Or an administrator gives you the right:"_s
                       : u"An administrator gives you the right:"_s;
    const QString audit = isClosed       ? u"Nor may it write to the audit of this database."_s
        : rights.audit == Audit::Missing ? u"Nor has this database an audit table."_s
                                         : QString();
    return {.level = AgeLevel::Amber,
        .text = refusalOf(what),
        .detail = sentences({audit, rights.whyNot, copy, give}),
        .grant = give.isEmpty() ? QString() : grants.join(u' '),
        .isPossible = false};
}

const QString laterText =
    QStringLiteral("An audit comes with the schema: page Lock table, when nobody waits.");

ActAdvice adviceOnRights(
    const Result<admin::ActRights>& rights, ActOn what, const QString& localAudit, bool hasStatement)
{
    using Audit = admin::ActRights::Audit;
    if (!rights) {
        const bool isRefusal = rights.error().kind == ErrorKind::Permission;
        // Code that is not trusted here, or could not be judged, would run with somebody else's rights there.
        return {.level = AgeLevel::Amber,
            .text = u"Your rights here are unknown."_s,
            .detail = sentences({rights.error().what, rights.error().detail, rights.error().hint}),
            .isPossible = !isRefusal,
            .offersStatement = what == ActOn::Session || (what == ActOn::Entry && !isRefusal)};
    }
    if (what == ActOn::Session && rights->hasGone)
        return {.level = AgeLevel::Amber,
            .text = u"That session has gone."_s,
            .detail = u"There is nothing to act on any more."_s,
            .isPossible = false,
            .offersStatement = false};
    if (rights->mayAct == false)
        return mayNot(*rights, what, hasStatement);
    const bool isOpen = what == ActOn::AttachedRow && !rights->mayAct;
    const QString begin = isOpen ? QString() : u"You may: "_s;
    const QString unasked =
        isOpen ? u"The server says when it is done whether your login may change that table."_s : QString();
    switch (rights->audit) {
    case Audit::Open:
        return {.level = AgeLevel::Normal,
            .text = capitalised(begin + u"it is recorded in the server's audit."_s),
            .detail = unasked};
    case Audit::Closed:
        return {.level = AgeLevel::Amber,
            .text = u"Your login may not write to the audit of this database."_s,
            .detail = u"An action that can't be recorded is refused. An administrator gives you the right:"_s,
            .grant = rights->grantToRecord,
            .isPossible = false};
    case Audit::Missing:
        break;
    }
    const QString copy = hasStatement
        ? u"Copy the statement and run it elsewhere, or hand it to an administrator."_s
        : QString();
    if (!rights->whyNoFile.isEmpty())
        return {.level = AgeLevel::Amber,
            .text = u"Can't do that yet: this database has no audit table to log it in."_s,
            .detail = sentences({copy, rights->whyNoFile, laterText}),
            .isPossible = false};
    if (!localAudit.isEmpty())
        return {.level = AgeLevel::Normal,
            .text = capitalised(begin + u"it is recorded in a file on this computer."_s),
            .detail =
                sentences({u"This database has no audit table. The file is %1."_s.arg(localAudit), unasked})};
    return {.level = AgeLevel::Amber,
        .text = u"Can't do that yet: this database has no audit table to log it in."_s,
        .detail =
            sentences({copy, u"Or log actions on this server to a file on this computer."_s, laterText}),
        .isPossible = false,
        .needsConsent = true};
}

constexpr auto validFor = 30s;

} // namespace

bool offersInstallation(const Snapshot& snapshot)
{
    return snapshot.blocking().heads().empty() && snapshot.blocking().cycles().empty()
        && std::ranges::none_of(snapshot.limitations, [](const Limitation& limitation) {
               return limitation.kind == Limitation::Kind::MissingPermission;
           });
}

ActAdvice askingAdvice()
{
    return {.level = AgeLevel::Normal, .text = u"Asking the server what you may do here…"_s};
}

ActAdvice adviceOn(
    const Result<admin::ActRights>& rights, ActOn what, const QString& localAudit, bool hasStatement)
{
    const bool isSafe = !rights || rights->fired.strangers.isEmpty();
    ActAdvice advice = adviceOnRights(rights, what, localAudit, hasStatement && isSafe);
    advice.offersStatement = advice.offersStatement && isSafe;
    return advice;
}

bool allowsLocalAudit(const QSettings& settings)
{
    return settings.value(localAuditKey, false).toBool();
}

void allowLocalAudit(QSettings& settings, bool allowed)
{
    settings.setValue(localAuditKey, allowed);
}

ActAnswer::ActAnswer(AppContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
    connect(&context, &AppContext::serverChanged, this, [this] {
        m_about.reset();
        m_rights.reset();
        m_isAsking = false;
        ++m_asked;
        Q_EMIT changed();
    });
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
