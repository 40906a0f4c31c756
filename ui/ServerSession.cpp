// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/ServerSession.h"

#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/DemoRun.h"
#include "core/scenario/run/RunSchema.h"

#include <QThreadPool>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;

/// Starts the workload on a thread of the pool and hands its end to one, too: both may take a while.
class ServerSession::Demo : public std::enable_shared_from_this<ServerSession::Demo> {
public:
    void start(const db::Server& server, ServerSession* session)
    {
        QThreadPool::globalInstance()->start([self = shared_from_this(), server, to = QPointer(session)] {
            if (auto started = self->begin(server); !started)
                postTo(to, [text = started.error().toString()](ServerSession& owner) {
                    Q_EMIT owner.demoFailed(text);
                });
        });
    }

    void stop()
    {
        std::unique_ptr<scenario::DemoRun> ending;
        {
            const MutexLock guard(m_mutex);
            m_stopped = true;
            ending = std::move(m_workload);
        }
        if (ending) {
            QThreadPool::globalInstance()->start([workload = std::shared_ptr<scenario::DemoRun>(
                                                      std::move(ending))]() mutable { workload.reset(); });
        }
    }

private:
    Result<void> begin(const db::Server& server)
    {
        auto resolved = server.resolved();
        if (!resolved)
            return Failure(std::move(resolved.error()));
        auto workload = scenario::DemoRun::start(*resolved);
        if (!workload)
            return Failure(std::move(workload.error()));
        const MutexLock guard(m_mutex);
        if (!m_stopped)
            m_workload = std::move(*workload);
        return {};
    }

    Mutex m_mutex;
    std::unique_ptr<scenario::DemoRun> m_workload LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_stopped LOCKSCOPE_GUARDED_BY(m_mutex) = false;
};

ServerSession::ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent)
    : QObject(parent)
    , m_profile(profile)
    , m_server(db::Server{profile, options.passwords, sandbox::resolve})
    , m_monitor(std::make_unique<monitor::ServerMonitor>([server = *m_server](
                                                             const monitor::ProbeSelection& probes) {
        return Result<std::unique_ptr<monitor::SnapshotSource>>(monitor::makeSnapshotSource(server, probes));
    }))
    , m_admin(std::make_unique<admin::ServerAdminClient>(*m_server))
{
    watch(options);
    if (options.demo) {
        m_demo = std::make_shared<Demo>();
        m_demo->start(*m_server, this);
    }
}

std::unique_ptr<locks::HeldLock> ServerSession::makeLock(const locks::LockOptions& lock) const
{
    if (!m_server)
        return nullptr;
    locks::HeldLock::Options options;
    options.server = *m_server;
    options.lock = lock;
    return std::make_unique<locks::HeldLock>(std::move(options));
}

ServerSession::ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
    const Options& options, QObject* parent)
    : QObject(parent)
    , m_profile(profile)
    , m_monitor(std::make_unique<monitor::ServerMonitor>(std::move(source)))
{
    watch(options);
}

ServerSession::~ServerSession()
{
    if (m_demo)
        m_demo->stop();
}

void ServerSession::watch(const Options& options)
{
    connect(m_monitor.get(), &monitor::ServerMonitor::snapshotChanged, this, &ServerSession::takeSnapshot);
    connect(m_monitor.get(), &monitor::ServerMonitor::healthChanged, this, [this] {
        if (isOld())
            m_history.markGap();
        Q_EMIT healthChanged();
    });
    m_monitor->setInterval(options.interval);
    m_monitor->setProbes(options.probes);
    m_monitor->start();
}

void ServerSession::takeSnapshot()
{
    const SnapshotPtr snapshot = m_monitor->snapshot();
    if (!snapshot)
        return;
    m_figures = monitor::figuresOf(*snapshot);
    m_history.append(snapshot->takenAt, m_figures);
    Q_EMIT snapshotChanged();
    if (!std::exchange(m_wasReached, true))
        removeRemains();
}

/// Once the server answers. Whatever keeps it from being done: the next scenario tries again.
void ServerSession::removeRemains()
{
    if (!m_server || m_profile.readOnly)
        return;
    QThreadPool::globalInstance()->start([server = *m_server, to = QPointer(this)] {
        const int removed = scenario::RunSchema::removeRemains(server).value_or(0);
        if (removed > 0)
            postTo(to, [removed](ServerSession& session) { Q_EMIT session.remainsRemoved(removed); });
    });
}

void ServerSession::setProbes(const monitor::ProbeSelection& probes)
{
    m_monitor->setProbes(probes);
}

milliseconds ServerSession::dataAge() const
{
    if (!m_monitor->snapshot())
        return milliseconds(0);
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - m_monitor->lastGood());
}

bool ServerSession::isOld() const
{
    const Health health = m_monitor->health();
    return health == Health::Failed || health == Health::Silent || health == Health::Paused;
}

QString healthWord(Health health)
{
    switch (health) {
    case Health::Connecting:
        return u"Connecting"_s;
    case Health::Live:
        return u"Live"_s;
    case Health::Slow:
        return u"Slow"_s;
    case Health::Failed:
        return u"Failed"_s;
    case Health::Silent:
        return u"No answer"_s;
    case Health::Paused:
        return u"Paused"_s;
    }
    return {};
}

AgeLevel healthLevel(Health health)
{
    switch (health) {
    case Health::Failed:
    case Health::Silent:
        return AgeLevel::Red;
    case Health::Slow:
    case Health::Connecting:
    case Health::Paused:
        return AgeLevel::Amber;
    case Health::Live:
        break;
    }
    return AgeLevel::Normal;
}

} // namespace lockscope::ui
