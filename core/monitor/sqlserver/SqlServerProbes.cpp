// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerProbes.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds retryEvery{5};
constexpr int firstMajorWithSecurityState = 16;

constexpr auto allProbes = enumerators<SqlServerProbes::Probe>;

struct ProbeText {
    const char* statement;
    const char16_t* view;
    const char16_t* shows; ///< the part that is hidden without it
};

const ProbeText& textOf(SqlServerProbes::Probe probe)
{
    static constexpr EnumTable<SqlServerProbes::Probe, ProbeText> texts({
        {"sqlserver/monitor/lock_memory", u"sys.dm_os_memory_clerks", u"the size of the lock manager"},
        {"sqlserver/monitor/waiting_tasks", u"sys.dm_os_waiting_tasks", u"exact waits"},
        {"sqlserver/monitor/sessions", u"sys.dm_exec_sessions", u"sessions"},
        {"sqlserver/monitor/requests", u"sys.dm_exec_requests", u"running statements"},
        {"sqlserver/monitor/connections", u"sys.dm_exec_connections", u"last statements"},
        {"sqlserver/monitor/transactions", u"sys.dm_tran_session_transactions", u"ages of transactions"},
        {"sqlserver/monitor/locks", u"sys.dm_tran_locks", u"locks"},
    });
    return texts[probe];
}

QString viewOf(SqlServerProbes::Probe probe)
{
    return QString::fromUtf16(textOf(probe).view);
}

QString whatItShows(SqlServerProbes::Probe probe)
{
    return QString::fromUtf16(textOf(probe).shows);
}

QString sentence(QString words)
{
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

} // namespace

const char* SqlServerProbes::statementOf(Probe probe)
{
    return textOf(probe).statement;
}

void SqlServerProbes::setNames(const QString& quotedLogin, const QString& quotedUser)
{
    m_login = quotedLogin;
    m_user = quotedUser;
}

void SqlServerProbes::setFacts(const db::SqlServerFacts& facts)
{
    m_facts = facts;
    closeWhatIsKnownToBeMissing();
}

void SqlServerProbes::closeWhatIsKnownToBeMissing()
{
    for (const Probe probe : allProbes)
        if (!m_facts.mayName(viewOf(probe).section(u'.', 1)))
            m_states[probe] = State::Missing;
}

bool SqlServerProbes::isOpen(Probe probe) const
{
    return m_states[probe] == State::Open || m_states[probe] == State::FailedOnce;
}

QStringList SqlServerProbes::viewsRead() const
{
    QStringList views;
    for (const Probe probe : allProbes) {
        if (m_states[probe] == State::Open)
            views << viewOf(probe);
    }
    return views;
}

bool SqlServerProbes::isTimeToRetry()
{
    const bool allWell = std::all_of(allProbes.begin(), allProbes.end(), [this](Probe p) {
        return isOpen(p);
    }) && m_facts.maySeeOthers();
    const auto now = Clock::now();
    if (allWell || now - m_retriedAt < retryEvery)
        return false;
    m_retriedAt = now;
    m_states.fill(State::Open);
    closeWhatIsKnownToBeMissing();
    return true;
}

bool SqlServerProbes::judge(Probe probe, const Result<qint64>& result)
{
    m_states[probe] = State::Open;
    if (result)
        return true;
    const Error& error = result.error();
    switch (error.kind) {
    case ErrorKind::Permission:
        m_states[probe] = State::Forbidden;
        return true;
    case ErrorKind::MissingObject:
    case ErrorKind::Unsupported:
        m_states[probe] = State::Missing;
        return true;
    case ErrorKind::Connection:
    case ErrorKind::Cancelled:
        return false;
    default:
        break;
    }
    // Without these the snapshot would appear empty.
    if (probe == Locks || probe == WaitingTasks || probe == Sessions)
        return false;
    m_states[probe] = State::FailedOnce;
    m_failures[probe] = error.reason();
    return true;
}

QString SqlServerProbes::listed(State state, QString (*text)(Probe)) const
{
    QStringList parts;
    for (const Probe probe : allProbes) {
        // What the lock manager's size is good for, nobody misses.
        if (m_states[probe] == state && (probe != LockMemory || state == State::Missing))
            parts << text(probe);
    }
    if (parts.size() < 2)
        return parts.join(QString());
    const QString last = parts.takeLast();
    return parts.join(u", "_s) + u" and "_s + last;
}

QString SqlServerProbes::grantOf(const QString& right) const
{
    return m_facts.grantOf(right, m_facts.isAzureDatabase() ? m_user : m_login) + u';';
}

QString SqlServerProbes::stateGrant() const
{
    const QString grant = grantOf(m_facts.viewStateRight());
    return m_facts.isAzureDatabase() ? grant
            + u" (on the small service tiers: ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER %1;)"_s
                  .arg(m_login)
                                     : grant;
}

QString SqlServerProbes::grant() const
{
    QString grant = stateGrant();
    if (m_facts.isAzureDatabase())
        return grant;
    if (m_states[Connections] == State::Forbidden && m_facts.major() >= firstMajorWithSecurityState)
        grant += u" GRANT VIEW SERVER SECURITY STATE TO %1;"_s.arg(m_login);
    return grant;
}

QString SqlServerProbes::namesGrant() const
{
    if (m_facts.isAzureDatabase())
        return u"GRANT VIEW DEFINITION TO %1;"_s.arg(m_user);
    return u"GRANT CONNECT ANY DATABASE TO %1; GRANT VIEW ANY DEFINITION TO %1;"_s.arg(m_login);
}

void SqlServerProbes::limit(Snapshot& snapshot) const
{
    const QString missing = listed(State::Missing, viewOf);
    if (!missing.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::Unsupported,
            .what = u"This server has no %1: %2 can't be shown."_s.arg(
                missing, listed(State::Missing, whatItShows)),
            .remedy = u"Lock tables and the sessions that it shows are here all the same."_s});
    QString hidden = listed(State::Forbidden, whatItShows);
    const bool othersHidden = !m_facts.maySeeOthers() && !m_facts.isOtherEngine();
    if (othersHidden)
        hidden += (hidden.isEmpty() ? QString() : u"; "_s) + u"other logins' sessions"_s;
    if (!hidden.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = sentence(hidden) + u" are hidden from this login."_s,
            .remedy = grant(),
            .hidesLocks = m_states[Locks] == State::Forbidden});
    for (const Probe probe : allProbes) {
        if (m_states[probe] == State::FailedOnce)
            snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
                .what = u"%1 could not be read this time: %2"_s.arg(
                    sentence(whatItShows(probe)), m_failures[probe])});
    }
}

} // namespace lockscope::monitor
