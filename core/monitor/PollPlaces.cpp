// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/PollPlaces.h"

#include <algorithm>

namespace lockscope::monitor {

PollPlaces::PollPlaces(int count, std::chrono::milliseconds heldAtMost)
    : m_heldAtMost(heldAtMost)
{
    setCount(count);
}

void PollPlaces::setCount(int count)
{
    const MutexLock lock(m_mutex);
    m_failed.count = size_t(std::max(1, count / 4));
    m_answering.count = size_t(std::max(1, count - std::max(1, count / 4)));
    admit(m_failed);
    admit(m_answering);
}

std::optional<PollPlaces::Place> PollPlaces::take(bool hasFailed, const std::stop_token& stop)
{
    const MutexLock lock(m_mutex);
    Lane& lane = hasFailed ? m_failed : m_answering;
    Waiter self;
    lane.waiting.push_back(&self);
    admit(lane);
    while (!self.number && !stop.stop_requested()) {
        // Nobody tells when the time of a place is over. Who waits finds some held.
        const Clock::time_point end = lane.held.begin()->second; // a copy: the place may go meanwhile
        self.admitted.waitUntil(m_mutex, stop, end, [&self] { return self.number.has_value(); });
        admit(lane);
    }
    if (self.number)
        return Place(this, hasFailed, *self.number);
    std::erase(lane.waiting, &self);
    return {};
}

void PollPlaces::admit(Lane& lane)
{
    const auto now = Clock::now();
    while (!lane.held.empty() && lane.held.begin()->second <= now)
        lane.held.erase(lane.held.begin());
    while (!lane.waiting.empty() && lane.held.size() < lane.count) {
        Waiter& next = *lane.waiting.front();
        lane.waiting.pop_front();
        next.number = ++lane.latest;
        lane.held.emplace(*next.number, now + m_heldAtMost);
        next.admitted.notifyAll();
    }
}

void PollPlaces::release(bool hasFailed, quint64 number)
{
    const MutexLock lock(m_mutex);
    Lane& lane = hasFailed ? m_failed : m_answering;
    lane.held.erase(number);
    admit(lane);
}

} // namespace lockscope::monitor
