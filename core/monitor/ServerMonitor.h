// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/Mutex.h"
#include "core/monitor/SnapshotSource.h"

#include <QDateTime>
#include <QObject>
#include <QTimer>
#include <QtGlobal>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

namespace lockscope::monitor {

/// Limits how many polls of a program are under way at once, in the order in which they are due.
///
/// A server that does not answer delays no other one. A poll gives its place back after half a second,
/// because a program that only waits for an answer has nothing to do. A server whose latest poll failed gets
/// one of the few places that are for such servers alone: a quarter of all. Any thread.
class PollPlaces {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds patience{500};

    /// `count`: two or more.
    explicit PollPlaces(int count, std::chrono::milliseconds heldAtMost = patience);
    /// Sets the number of places from now on; places in use stay.
    void setCount(int count);

    /// The right to poll, until it is destroyed. A default-constructed one is for programs without a limit.
    class Place {
    public:
        Place() = default;
        Place(Place&& other) noexcept
            : m_places(std::exchange(other.m_places, nullptr))
            , m_hasFailed(other.m_hasFailed)
            , m_number(other.m_number)
        {
        }
        Place& operator=(Place&& other) = delete;
        ~Place()
        {
            if (m_places)
                m_places->release(m_hasFailed, m_number);
        }

    private:
        friend class PollPlaces;
        Place(PollPlaces* places, bool hasFailed, quint64 number)
            : m_places(places)
            , m_hasFailed(hasFailed)
            , m_number(number)
        {
        }
        PollPlaces* m_places = nullptr;
        bool m_hasFailed = false;
        quint64 m_number = 0;
    };
    /// Waits for a place. `hasFailed`: the latest poll of this server failed. Returns nothing after a request
    /// of `stop`.
    std::optional<Place> take(bool hasFailed, const std::stop_token& stop);

private:
    struct Waiter {
        ConditionVariable admitted;
        std::optional<quint64> number;
    };
    /// The places of one kind of server.
    struct Lane {
        size_t count = 1;
        quint64 latest = 0;
        std::map<quint64, Clock::time_point> held{}; ///< when each is given back at the latest
        std::deque<Waiter*> waiting{};
    };
    void admit(Lane& lane) LOCKSCOPE_REQUIRES(m_mutex);
    void release(bool hasFailed, quint64 number);

    const std::chrono::milliseconds m_heldAtMost;
    Mutex m_mutex;
    Lane m_answering LOCKSCOPE_GUARDED_BY(m_mutex);
    Lane m_failed LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// The state of a server's answers to polls.
enum class Health : quint8 {
    Connecting, ///< nothing was read yet
    Live, ///< the latest poll was answered in time
    Slow, ///< answers, but a poll takes more than a quarter of the interval
    Failed, ///< the latest poll failed: snapshot() is old
    Silent, ///< the poll under way takes longer than the silence limit: the server does not answer
    Paused,
};

/// Polls one server from a thread of its own. This object lives on the thread that made it (the GUI's), and
/// nothing here waits for a server: also the destructor returns at once, the thread ends by itself after its
/// cancel.
///
/// The interval begins at the end of a poll, so polls never pile up. If a poll takes longer than a quarter of
/// the interval, the interval grows to four times its duration (back-off); failures back off up to 30 s.
/// After a refused login there is no poll until refreshNow(), which tries once more: a few failures lock an
/// account, so a person has to act.
///
/// The poll thread schedules itself and is no Worker. A Worker would need a timer of the owner's thread for
/// each poll, so nothing would be polled while the owner is busy, and the owner would then take an old
/// snapshot for a new one; as it is, it finds the newest (tst_ServerMonitor,
/// resultsThatOvertakeEachOtherAreReportedOnce). And a Worker answers on the main thread only.
class ServerMonitor : public QObject {
    Q_OBJECT

public:
    using SourceFactory = std::function<Result<std::unique_ptr<SnapshotSource>>(const ProbeSelection&)>;

    /// `factory` is called on the poll thread, again after a change of probes. It may block (sandbox
    /// start-up, connect).
    explicit ServerMonitor(SourceFactory factory, QObject* parent = nullptr);
    ~ServerMonitor() override;

    /// Makes each poll wait for one of these places. Call it before start().
    void setPlaces(std::shared_ptr<PollPlaces> places);
    void start(); ///< begins to poll, at once
    void stop(); ///< for good; the poll under way is cancelled, and its result dropped
    void setInterval(milliseconds interval); ///< 100 ms – 1 day, clamped
    milliseconds interval() const { return m_interval; } ///< 2 s by default
    /// Sets the share of time, above 0 and up to 1, that polls may take, a quarter by default. If they take
    /// more, the interval in force becomes longer by itself.
    void setBudget(double share);
    void setPaused(bool paused); ///< while paused, only refreshNow() polls
    bool isPaused() const { return m_paused; }
    /// Makes one poll, also while paused. After a refused login: with a new connection.
    void refreshNow();
    void setProbes(const ProbeSelection& probes); ///< from the next poll on
    /// Sets the time without an answer after which the server counts as Silent; 3 s by default.
    void setSilenceLimit(milliseconds limit);

    SnapshotPtr snapshot() const { return m_snapshot; } ///< the latest one; null before the first
    /// Figures that were read beside snapshot(), or since the snapshot before it.
    struct Measures {
        ServerTime taken;
        std::vector<Measure> measures;
        std::vector<LockCount> lockCounts{};
    };
    /// Empty unless ProbeSelection::surroundings is set. The oldest come first.
    const std::vector<Measures>& measures() const { return m_measures; }
    std::optional<Error> lastError() const { return m_error; } ///< of the latest poll, if it failed
    /// Polls that failed since the last good one, with any error.
    struct Failures {
        int count = 0;
        QDateTime latest; ///< when the latest of them ended, by this computer's clock

        bool operator==(const Failures&) const = default;
    };
    Failures failures() const { return m_failures; }
    Health health() const { return m_health; }
    /// Returns the start of the poll under way; nothing if none is.
    std::optional<std::chrono::steady_clock::time_point> pollBegan() const;
    /// Returns when the latest poll ended; the epoch if none has yet.
    std::chrono::steady_clock::time_point pollEnded() const;
    /// Returns since when (steady clock) there has been no fresh snapshot: the time of the latest one, or of
    /// start() if none came yet.
    std::chrono::steady_clock::time_point lastGood() const { return m_lastGood; }
    /// The interval in force now: longer than interval() while backing off.
    milliseconds effectiveInterval() const { return m_effective; }

Q_SIGNALS:
    /// A new snapshot is in snapshot(). If several arrived before this thread got round to it, the signal is
    /// emitted for the newest only.
    void snapshotChanged();
    /// health(), lastError(), failures() or effectiveInterval() changed; also emitted for a poll that fails
    /// as the one before it did, and when a poll under way becomes Silent.
    void healthChanged();

private:
    struct Shared;
    void takeOver();
    void judgeHealth(bool changed);

    // All but the shared state belong to this object's thread.
    std::shared_ptr<Shared> m_shared;
    SourceFactory m_factory;
    BackgroundThread m_thread;
    QTimer m_silenceWatch;
    milliseconds m_interval{2'000};
    milliseconds m_effective{2'000};
    milliseconds m_silenceLimit{3'000};
    bool m_paused = false;
    SnapshotPtr m_snapshot;
    std::vector<Measures> m_measures;
    std::optional<Error> m_error;
    Failures m_failures;
    std::chrono::steady_clock::time_point m_lastGood;
    Health m_health = Health::Connecting;
};

} // namespace lockscope::monitor
