// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"

#include <QtGlobal>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>

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

} // namespace lockscope::monitor
