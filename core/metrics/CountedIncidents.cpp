// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/CountedIncidents.h"

#include "core/base/Mutex.h"

namespace lockscope::metrics {

namespace {

using Clock = std::chrono::steady_clock;
using Store = watch::IncidentStore;

constexpr milliseconds readersPatience{500};
constexpr std::chrono::minutes longestKnown{1};

} // namespace

struct CountedIncidents::Shared {
    explicit Shared(QString store)
        : path(std::move(store))
    {
    }
    void read();
    void addUp(const QList<Store::Counts>& counts, qint64 newest) LOCKSCOPE_REQUIRES(mutex);

    const QString path;
    Mutex mutex;
    ConditionVariable changed;
    bool isReading LOCKSCOPE_GUARDED_BY(mutex) = false;
    std::optional<qint64> after LOCKSCOPE_GUARDED_BY(mutex); ///< newer ones count; nothing: not read yet
    ByServer totals LOCKSCOPE_GUARDED_BY(mutex);
    std::optional<Clock::time_point> known LOCKSCOPE_GUARDED_BY(mutex); ///< since when; nothing: unknown
};

void CountedIncidents::Shared::read()
{
    mutex.lock();
    const auto begins = after;
    mutex.unlock();
    const auto began = Clock::now();
    const auto store = Store::open(path);
    const auto newest = store ? (*store)->newest() : Failure(store.error());
    const auto counts = newest ? (*store)->counts(begins.value_or(*newest)) : Failure(newest.error());
    const MutexLock lock(mutex);
    if (counts) {
        addUp(*counts, *newest);
        known = began;
    } else if (counts.error().kind != ErrorKind::Timeout) {
        known.reset();
    }
    isReading = false;
    changed.notifyAll();
}

/// The store forgets what is old and may be made again.
void CountedIncidents::Shared::addUp(const QList<Store::Counts>& counts, qint64 newest)
{
    for (auto& [server, total] : totals)
        total.warning = total.critical = 0;
    qint64 last = newest;
    for (const Store::Counts& each : counts) {
        Store::Counts& total = totals[each.server];
        total.added += each.added;
        total.warning = each.warning;
        total.critical = each.critical;
        if (each.newest > 0) {
            total.newest = each.newest;
            total.newestFired = each.newestFired;
            last = std::max(last, each.newest); // it may have come after `newest` was read
        }
    }
    after = newest < after.value_or(0) ? 0 : last;
}

CountedIncidents::CountedIncidents(const QString& store)
    : m_shared(std::make_shared<Shared>(store))
{
    counts();
}

CountedIncidents::~CountedIncidents() = default;

std::optional<CountedIncidents::ByServer> CountedIncidents::counts()
{
    Shared& shared = *m_shared;
    const MutexLock lock(shared.mutex);
    if (!std::exchange(shared.isReading, true))
        m_worker.post([kept = m_shared](const std::stop_token&) { kept->read(); });
    shared.changed.waitFor(shared.mutex, readersPatience,
        [&shared]() LOCKSCOPE_REQUIRES(shared.mutex) { return !shared.isReading; });
    if (!shared.known || Clock::now() - *shared.known > longestKnown)
        return {};
    return shared.totals;
}

} // namespace lockscope::metrics
