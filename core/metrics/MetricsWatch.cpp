// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/MetricsWatch.h"

#include "core/base/Mutex.h"
#include "core/base/PlainFile.h"
#include "core/metrics/ServerMetrics.h"
#include "core/record/Recording.h"
#include "core/watch/IncidentKeeper.h"

#include <QSet>

#include <ctime>
#include <unistd.h>

namespace lockscope::metrics {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;
using Store = watch::IncidentStore;

constexpr milliseconds readersPatience{500};
constexpr std::chrono::minutes maxKnown{1};

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
    if (!shared.known || Clock::now() - *shared.known > maxKnown)
        return {};
    return shared.totals;
}

namespace {

void addOwnCost(FamilySet& set)
{
    timespec used{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        set.add("process_cpu_seconds", {{}, double(used.tv_sec) + double(used.tv_nsec) / 1e9});
    const QByteArrayList pages = fileContent(u"/proc/self/statm"_s).split(' ');
    if (pages.size() > 1)
        set.add("process_resident_memory_bytes", {{}, pages[1].toDouble() * double(sysconf(_SC_PAGESIZE))});
}

/// Says whether it is about a program that goes on: its pace, its age, and what it counted.
bool isOfLongRun(const MetricFamily& family)
{
    static const QByteArrayList others{
        "lockscope_snapshot_age_seconds", "lockscope_poll_interval_seconds", "process_resident_memory_bytes"};
    return others.contains(family.name)
        || (family.type == MetricType::Counter && !family.name.startsWith("lockscope_server_"));
}

} // namespace

/// Keeps what is known, for all threads.
struct MetricsWatch::Board {
    std::vector<MetricFamily> families(Extent extent)
    {
        FamilySet set;
        set.add("lockscope_build", {{{"version", QStringLiteral(LOCKSCOPE_VERSION)}}, 1});
        addOwnCost(set);
        QStringList names = addServers(set);
        names << QSysInfo::machineHostName(); // of Lockscope itself: its channels, its mutes
        addIncidents(set, names);
        std::vector<MetricFamily> all = set.families();
        if (extent == Extent::OnePoll)
            std::erase_if(all, isOfLongRun);
        return all;
    }

    /// Returns the servers, each once.
    QStringList addServers(FamilySet& set)
    {
        const MutexLock lock(mutex);
        QStringList names;
        QSet<std::pair<QString, QString>> places;
        for (const auto& [watch, server] : servers) {
            if (places.contains(server.place))
                continue;
            places.insert(server.place);
            if (!names.contains(server.place.first))
                names << server.place.first;
            server.metrics.addTo(set);
        }
        return names;
    }

    /// Adds nothing where they can't be read.
    void addIncidents(FamilySet& set, const QStringList& names)
    {
        const auto counted = countedIncidents();
        const auto counts = counted ? counted->counts() : std::nullopt;
        if (!counts)
            return;
        for (const QString& name : names) {
            const auto found = counts->find(name);
            addIncidents(set, name, found == counts->end() ? watch::IncidentStore::Counts{} : found->second);
        }
    }

    static void addIncidents(
        FamilySet& set, const QString& server, const watch::IncidentStore::Counts& counts)
    {
        Sample total{{{"server", server}}, double(counts.added)};
        if (counts.newest > 0)
            total.exemplar =
                Exemplar{{{"incident_id", QString::number(counts.newest)}}, 1, counts.newestFired};
        set.add("lockscope_incidents", std::move(total));
        const std::array firing{std::pair(alert::Severity::Warning, counts.warning),
            std::pair(alert::Severity::Critical, counts.critical)};
        for (const auto& [severity, count] : firing)
            set.add("lockscope_incidents_firing",
                {{{"server", server}, {"severity", alert::severityName(severity)}}, double(count)});
    }

    struct Server {
        std::pair<QString, QString> place; ///< the labels: server and database
        ServerMetrics metrics;
    };
    std::shared_ptr<CountedIncidents> countedIncidents()
    {
        const MutexLock lock(mutex);
        return incidents;
    }

    Mutex mutex;
    std::shared_ptr<CountedIncidents> incidents LOCKSCOPE_GUARDED_BY(mutex); ///< null: nobody looks for them
    std::map<const QObject*, Server> servers LOCKSCOPE_GUARDED_BY(mutex);
};

/// Notes what one server's watch tells.
class MetricsWatch::Observer : public QObject {
public:
    Observer(std::shared_ptr<Board> board, watch::ServerWatch* watch)
        : QObject(watch)
        , m_board(std::move(board))
        , m_watch(*watch)
    {
        // With the role of the host that is watched, if the URL asks for one: "shop?read-only".
        const QString& whole = watch->place();
        const QString database = whole.contains(u"://"_s) ? whole.section(u'/', -1) : QString();
        const std::pair place{watch::causeServer(whole), database};
        const MutexLock lock(m_board->mutex);
        m_board->servers.emplace(this, Board::Server{place, {place.first, place.second}});
        connect(watch, &watch::ServerWatch::snapshotChanged, this, [this] { noteSnapshot(); });
        connect(watch, &watch::ServerWatch::healthChanged, this, [this] { noteHealth(); });
        connect(watch, &watch::ServerWatch::deadlocksPolled, this, [this] { noteDeadlocks(); });
    }
    ~Observer() override
    {
        const MutexLock lock(m_board->mutex);
        m_board->servers.erase(this);
    }

private:
    ServerMetrics& metrics() LOCKSCOPE_REQUIRES(m_board->mutex)
    {
        return m_board->servers.find(this)->second.metrics;
    }

    void noteSnapshot()
    {
        const monitor::ServerMonitor& monitor = m_watch.monitor();
        const MutexLock lock(m_board->mutex);
        metrics().noteSnapshot(monitor.snapshot(), monitor.effectiveInterval());
        for (const auto& read : monitor.measures()) {
            metrics().noteMeasures(read.measures);
            metrics().noteLockCounts(read.lockCounts);
        }
        if (const record::Recorder* const recorder = m_watch.recorder()) {
            const record::RecorderState state = recorder->state();
            metrics().setRecorded(state.frames, state.error.has_value());
        }
    }

    void noteHealth()
    {
        const monitor::ServerMonitor& monitor = m_watch.monitor();
        const MutexLock lock(m_board->mutex);
        metrics().noteFailures(monitor.failures().count, monitor.health() == monitor::Health::Silent);
    }

    void noteDeadlocks()
    {
        const auto& latest = m_watch.deadlocks()->latest();
        if (!latest || !*latest || !(*latest)->counted)
            return;
        const MutexLock lock(m_board->mutex);
        metrics().setDeadlocks(*(*latest)->counted);
    }

    const std::shared_ptr<Board> m_board;
    const watch::ServerWatch& m_watch;
};

MetricsWatch::MetricsWatch(QObject* parent)
    : QObject(parent)
    , m_board(std::make_shared<Board>())
{
}

MetricsWatch::~MetricsWatch() = default;

void MetricsWatch::countIncidents(const std::optional<QString>& store)
{
    const auto counted = store ? std::make_shared<CountedIncidents>(*store) : nullptr;
    const MutexLock lock(m_board->mutex);
    m_board->incidents = counted;
}

void MetricsWatch::add(watch::ServerWatch* watch)
{
    new Observer(m_board, watch);
}

void MetricsWatch::remove(const watch::ServerWatch& watch)
{
    for (QObject* const child : QObjectList(watch.children())) // they leave the list as they go
        delete dynamic_cast<Observer*>(child);
}

void MetricsWatch::change(const watch::ServerWatch& watch, const std::function<void(ServerMetrics&)>& change)
{
    const MutexLock lock(m_board->mutex);
    for (auto& [observer, server] : m_board->servers)
        if (observer->parent() == &watch)
            change(server.metrics);
}

void MetricsWatch::noteUnanswered(const watch::ServerWatch& watch)
{
    change(watch, [](ServerMetrics& metrics) { metrics.noteFailures(0, true); });
}

void MetricsWatch::noteUpload(
    const watch::ServerWatch& watch, const std::optional<record::UploadState>& upload)
{
    change(watch, [&upload](ServerMetrics& metrics) { metrics.setUpload(upload); });
}

std::vector<MetricFamily> MetricsWatch::families(Extent extent) const
{
    return m_board->families(extent);
}

std::function<QByteArray(Format)> MetricsWatch::source() const
{
    return [board = m_board](Format format) { return written(board->families(Extent::All), format); };
}

} // namespace lockscope::metrics
