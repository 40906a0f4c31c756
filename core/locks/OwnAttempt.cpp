// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/OwnAttempt.h"

#include "core/base/Sentences.h"
#include "core/db/LockTableRows.h"

#include <algorithm>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// The locks that this thread took and may still have, the earliest first. A lock that another thread
/// releases ends here by its holding.
std::vector<std::weak_ptr<OwnHolding>>& holdingsOfThread()
{
    thread_local std::vector<std::weak_ptr<OwnHolding>> holdings;
    return holdings;
}

bool isHeld(const OwnHolding& holding)
{
    return !holding.isOver && (!holding.isHeld || holding.isHeld());
}

int numberOfThread()
{
    static std::atomic<int> latest = 0;
    thread_local const int number = ++latest;
    return number;
}

LockMode modeOf(Engine engine, AcquireMode mode)
{
    switch (mode) {
    case AcquireMode::Exclusive:
        break;
    case AcquireMode::Shared:
        return LockMode::shared(engine);
    case AcquireMode::Update:
        return LockMode::fromText(engine, u"U");
    case AcquireMode::IntentShared:
        return LockMode::fromText(engine, u"IS");
    case AcquireMode::IntentExclusive:
        return LockMode::fromText(engine, u"IX");
    }
    return LockMode::exclusive(engine);
}

QString placeOf(const db::ServerUrl& url)
{
    if (url.sandbox)
        return u"sandbox"_s;
    if (url.isFile())
        return url.database;
    const QStringList hosts = textOfEach(url.hosts(), [](const auto& host) {
        const QString name = host.name.isEmpty() ? u"localhost"_s : host.name;
        return host.port == 0 ? name : u"%1:%2"_s.arg(name).arg(host.port);
    });
    return u"%1/%2"_s.arg(hosts.join(u','), url.database);
}

QString formOf(Engine engine, LockKind kind, const AcquireRequest& request, const Surrogates& surrogates)
{
    switch (kind) {
    case LockKind::Table:
        return u"'%1' in "_s + db::lockTableName(engine);
    case LockKind::Application:
        // Another principal's lock of that name is another one.
        return engine == Engine::SqlServer && request.principal != AcquireRequest().principal
            ? u"app lock '%1' of "_s + request.principal
            : u"app lock '%1'"_s;
    case LockKind::LockedTable:
        return surrogates.schema + u'.' + surrogates.tablePrefix + u"%1"_s;
    case LockKind::LockedKey:
        break;
    }
    return u"key '%1' of "_s + surrogates.schema + u'.' + surrogates.keyTable;
}

} // namespace

OwnLock ownLock(
    const db::ServerUrl& url, LockKind kind, const AcquireRequest& request, const Surrogates& surrogates)
{
    return {.engine = url.engine,
        .place = placeOf(url),
        .form = formOf(url.engine, kind, request, surrogates),
        .name = request.name,
        .mode = modeOf(url.engine, request.mode)};
}

OwnAttempt::OwnAttempt(OwnLock lock)
{
    m_step.thread = numberOfThread();
    m_step.taken = std::move(lock);
    std::erase_if(holdingsOfThread(), [this](const std::weak_ptr<OwnHolding>& each) {
        const OwnHoldingPtr holding = each.lock();
        const bool counts = holding && isHeld(*holding);
        if (counts)
            m_step.held.push_back(holding->lock);
        return !counts;
    });
}

OwnHoldingPtr OwnAttempt::end(
    const OwnStepListener& listener, const AcquireRequest& request, Outcome outcome, Granted granted)
{
    m_step.hadToWait = outcome == Outcome::GrantedAfterWait || outcome == Outcome::TimedOut
        || outcome == Outcome::DeadlockVictim;
    if (request.wait != milliseconds(0) && (m_step.hadToWait || isGranted(outcome))) {
        m_step.party = request.party;
        m_step.session = granted.session;
        m_step.at = granted.at;
        m_step.here = QDateTime::currentDateTimeUtc();
        listener(m_step);
    }
    if (!isGranted(outcome))
        return nullptr;
    auto holding = std::make_shared<OwnHolding>();
    holding->lock = std::move(m_step.taken);
    holding->isHeld = std::move(granted.isHeld);
    holdingsOfThread().push_back(holding);
    return holding;
}

} // namespace lockscope::locks
