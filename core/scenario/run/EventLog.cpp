// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/EventLog.h"

#include <QDataStream>

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockscope::scenario {

namespace {

constexpr std::pair<EventKind, qint64 Counts::*> countOf[] = {{EventKind::RoundBegin, &Counts::rounds},
    {EventKind::Processed, &Counts::processed}, {EventKind::Denied, &Counts::denied},
    {EventKind::Waited, &Counts::waited}, {EventKind::Victim, &Counts::victims},
    {EventKind::Conflict, &Counts::conflicts}, {EventKind::DuplicateKey, &Counts::duplicates},
    {EventKind::Lost, &Counts::lost}, {EventKind::Failed, &Counts::failures},
    {EventKind::Died, &Counts::deaths}};

} // namespace

std::size_t WaitHistogram::bucketOf(qint64 us)
{
    const auto value = static_cast<quint64>(std::max<qint64>(us, 0));
    if (value < (1U << subBits))
        return value;
    const int shift = static_cast<int>(std::bit_width(value)) - 1 - subBits;
    return (std::size_t(shift + 1) << subBits) + std::size_t((value >> shift) - (1U << subBits));
}

qint64 WaitHistogram::upperBound(std::size_t bucket)
{
    const std::size_t group = bucket >> subBits;
    if (group == 0)
        return qint64(bucket);
    const qint64 step = qint64(1) << (group - 1);
    const auto place = qint64(bucket & ((1U << subBits) - 1));
    return (place + (1 << subBits) + 1) * step - 1;
}

void WaitHistogram::add(microseconds wait)
{
    ++m_buckets[std::min(bucketOf(wait.count()), m_buckets.size() - 1)];
    ++m_count;
    m_longest = std::max(m_longest, wait);
}

void WaitHistogram::add(const WaitHistogram& other)
{
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        m_buckets[i] += other.m_buckets[i];
    m_count += other.m_count;
    m_longest = std::max(m_longest, other.m_longest);
}

microseconds WaitHistogram::quantile(double share) const
{
    if (m_count == 0)
        return microseconds(0);
    const auto requested = std::clamp<qint64>(std::llround(share * double(m_count)), 1, m_count);
    qint64 seen = 0;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        seen += m_buckets[i];
        if (seen >= requested)
            return std::min(microseconds(upperBound(i)), m_longest);
    }
    return m_longest;
}

/// Writes only what is there: most buckets are empty.
QDataStream& operator<<(QDataStream& stream, const WaitHistogram& histogram)
{
    const auto& buckets = histogram.m_buckets;
    const auto empty = std::ranges::count(buckets, 0U);
    stream << qint64(histogram.m_longest.count())
           << static_cast<quint32>(buckets.size() - std::size_t(empty));
    for (std::size_t i = 0; i < buckets.size(); ++i)
        if (buckets[i] > 0)
            stream << static_cast<quint32>(i) << buckets[i];
    return stream;
}

QDataStream& operator>>(QDataStream& stream, WaitHistogram& histogram)
{
    histogram = {};
    qint64 longest = 0;
    quint32 filled = 0;
    stream >> longest >> filled;
    for (quint32 i = 0; i < filled && stream.status() == QDataStream::Ok; ++i) {
        quint32 bucket = 0;
        quint32 count = 0;
        stream >> bucket >> count;
        if (bucket >= histogram.m_buckets.size()) {
            stream.setStatus(QDataStream::ReadCorruptData);
            break;
        }
        histogram.m_buckets[bucket] += count;
        histogram.m_count += count;
    }
    histogram.m_longest = microseconds(longest);
    return stream;
}

Counts& Counts::operator+=(const Counts& other)
{
    for (qint64 Counts::*each : {&Counts::rounds, &Counts::whole, &Counts::idle, &Counts::processed,
             &Counts::denied, &Counts::waited, &Counts::victims, &Counts::conflicts, &Counts::duplicates,
             &Counts::lost, &Counts::failures, &Counts::deaths})
        this->*each += other.*each;
    return *this;
}

void SessionLog::startAt(Steady::time_point start)
{
    m_start = start;
    const MutexLock guard(m_mutex);
    for (RunEvent& event : m_content.events)
        event.us = 0;
}

void SessionLog::note(const Note& note)
{
    const auto at = std::chrono::duration_cast<microseconds>(note.at - m_start);
    const EventKind kind = note.kind;
    const MutexLock guard(m_mutex);
    m_content.latest = kind;
    for (const auto& [counted, count] : countOf)
        if (counted == kind)
            ++(m_content.counts.*count);
    if (m_content.events.size() >= m_capacity) {
        ++m_content.dropped;
        return;
    }
    m_content.events.push_back(
        {.us = at.count(), .kind = kind, .subject = numberOf(note.subject), .value = note.value});
    if (m_content.events.size() == 1)
        m_news.notifyOne();
}

quint32 SessionLog::numberOf(const QString& subject)
{
    if (subject.isEmpty())
        return 0;
    const auto known = m_subjects.constFind(subject);
    if (known != m_subjects.constEnd())
        return *known;
    const auto number = static_cast<quint32>(m_content.subjects.size());
    m_content.subjects << subject;
    m_subjects.insert(subject, number);
    return number;
}

bool SessionLog::waitForEvents(const std::stop_token& stop)
{
    const MutexLock lock(m_mutex);
    return m_news.wait(
        m_mutex, stop, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return !m_content.events.empty(); });
}

SessionLog::Copy SessionLog::take()
{
    Copy fresh{.subjects = {QString()}};
    const MutexLock guard(m_mutex);
    fresh.latest = m_content.latest;
    std::swap(fresh, m_content);
    m_subjects.clear();
    return fresh;
}

void SessionLog::append(const Copy& more)
{
    const MutexLock guard(m_mutex);
    std::vector<quint32> numbers;
    for (const QString& subject : more.subjects)
        numbers.push_back(numberOf(subject));
    for (const RunEvent& event : more.events) {
        if (m_content.events.size() < m_capacity)
            m_content.events.push_back({.us = event.us,
                .kind = event.kind,
                .subject = numbers[event.subject],
                .value = event.value});
        else
            ++m_content.dropped;
    }
    m_content.counts += more.counts;
    m_content.waits.add(more.waits);
    m_content.dropped += more.dropped;
    m_content.latest = more.latest;
}

void SessionLog::noteWait(microseconds wait)
{
    const MutexLock guard(m_mutex);
    m_content.waits.add(wait);
}

void SessionLog::noteCompleteRound()
{
    const MutexLock guard(m_mutex);
    ++m_content.counts.whole;
}

void SessionLog::noteIdleRound()
{
    const MutexLock guard(m_mutex);
    ++m_content.counts.idle;
}

void SessionLog::clear()
{
    const MutexLock guard(m_mutex);
    m_content = {.subjects = {QString()}};
    m_subjects.clear();
    m_start = Steady::now();
}

SessionLog::Copy SessionLog::copy() const
{
    const MutexLock guard(m_mutex);
    return m_content;
}

Counts SessionLog::counts() const
{
    const MutexLock guard(m_mutex);
    return m_content.counts;
}

EventKind SessionLog::latest() const
{
    const MutexLock guard(m_mutex);
    return m_content.latest;
}

} // namespace lockscope::scenario
