// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TravelHistory.h"

#include "core/record/Damage.h"

#include <algorithm>

namespace lockscope::ui {

using namespace std::chrono_literals;

namespace {

constexpr microseconds slotLength = 2s;
constexpr qint64 shownSlots = 15min / slotLength;
constexpr qint64 slotsAtOnce = 30;
constexpr qsizetype maxSlots = 20'000;

/// The slots end at whole multiples of their length, so that those of another time are the same ones.
qint64 lastSlotBefore(ServerTime time)
{
    return time.us / slotLength.count() - 1;
}

ServerTime endOf(qint64 slot)
{
    return {(slot + 1) * slotLength.count()};
}

} // namespace

void TravelHistory::setClient(record::RecordingClient* client)
{
    ++m_generation;
    m_isAsking = false;
    m_client = client;
    m_shown.reset();
    forget();
    m_history.clear();
}

void TravelHistory::forget()
{
    m_slots.clear();
    m_damaged.clear();
    m_toReadAgain.clear();
}

void TravelHistory::show(const SnapshotPtr& snapshot)
{
    if (m_shown == snapshot)
        return;
    m_shown = snapshot;
    m_isBehindGap = false;
    m_toReadAgain.clear(); // it is not at rest
    if (!snapshot)
        return;
    if (m_slots.size() > maxSlots)
        forget();
    build();
    ask();
}

void TravelHistory::readDamagedAgain()
{
    m_toReadAgain = m_damaged;
    ask();
}

std::optional<qint64> TravelHistory::newestMissing() const
{
    if (!m_shown)
        return std::nullopt;
    const qint64 newest = lastSlotBefore(m_shown->takenAt);
    for (qint64 slot = newest; slot > newest - shownSlots; --slot)
        if (!m_slots.contains(slot) || m_toReadAgain.contains(slot))
            return slot;
    return std::nullopt;
}

void TravelHistory::ask()
{
    const auto last = newestMissing();
    if (!last || !m_client || m_isAsking)
        return;
    m_isAsking = true;
    const qint64 first = *last - slotsAtOnce + 1;
    const ServerTime next = *last == lastSlotBefore(m_shown->takenAt) ? m_shown->takenAt : endOf(*last);
    m_client->ask(
        this,
        [first, last = *last, next](
            record::RecordingReader& reader) { return read(reader, first, last, next); },
        [this, first, last = *last, next, generation = m_generation](const Result<Answer>& found) {
            if (generation != m_generation)
                return;
            m_isAsking = false;
            const Answer answer = found ? *found : unread(first, last, found.error());
            const bool isDamage = answer.error && record::isDamage(*answer.error);
            // The time bar says why a recording is not opened.
            if (answer.error && (isDamage ? !isKnown(answer.damaged) : found.has_value()))
                Q_EMIT failed(answer.error->toString());
            if (answer.error && !isDamage) // it may be read later
                return;
            m_slots.insert(answer.slotsFound);
            const QSet<qint64> read(answer.slotsFound.keyBegin(), answer.slotsFound.keyEnd());
            m_toReadAgain.subtract(read);
            m_damaged.subtract(read).unite(answer.damaged);
            if (m_shown && m_shown->takenAt == next)
                m_isBehindGap = answer.endsInGap;
            if (!m_shown)
                return; // the present is on view by now
            build();
            Q_EMIT changed();
            ask();
        });
}

/// Frames share their damage with those beside them, which come on view one by one.
bool TravelHistory::isKnown(const QSet<qint64>& damaged) const
{
    return std::ranges::any_of(damaged, [this](qint64 slot) {
        return m_damaged.contains(slot) || m_damaged.contains(slot - 1) || m_damaged.contains(slot + 1);
    });
}

TravelHistory::Answer TravelHistory::unread(qint64 first, qint64 last, const Error& failure) const
{
    Answer answer{.slotsFound = {}, .endsInGap = false, .error = failure, .damaged = {}};
    for (qint64 number = first; number <= last; ++number) {
        answer.slotsFound.insert(number, m_slots.value(number));
        if (!m_slots.contains(number) || m_damaged.contains(number))
            answer.damaged.insert(number);
    }
    return answer;
}

/// One that may pass counts more than damage: nothing is kept then.
void TravelHistory::Answer::note(const Error& failure)
{
    if (!error || record::isDamage(*error))
        error = failure;
}

void TravelHistory::addSlot(
    record::RecordingReader& reader, const record::Coverage& coverage, qint64 number, Answer& answer)
{
    Slot& slot = answer.slotsFound[number];
    const auto snapshot = reader.at(endOf(number));
    if (!snapshot && snapshot.error().kind != ErrorKind::MissingObject) { // nothing is recorded yet
        answer.note(snapshot.error());
        answer.damaged << number;
    }
    if (!snapshot || (*snapshot)->takenAt <= endOf(number - 1) || (*snapshot)->takenAt > endOf(number))
        return;
    Sample sample{(*snapshot)->takenAt, false, monitor::figuresOf(**snapshot)};
    sample.isBehindGap = std::ranges::any_of(
        coverage.gaps, [&](const auto& gap) { return gap.to > endOf(number - 1) && gap.from < sample.at; });
    slot = sample;
}

Result<TravelHistory::Answer> TravelHistory::read(
    record::RecordingReader& reader, qint64 first, qint64 last, ServerTime next)
{
    const auto coverage = record::coverageOf(reader, endOf(first - 1), next);
    if (!coverage)
        return Failure(coverage.error());
    Answer answer;
    for (qint64 number = first; number <= last; ++number)
        addSlot(reader, *coverage, number, answer);
    addMeasures(reader, answer, endOf(first - 1) + microseconds(1), endOf(last));
    // A snapshot of the present may not be written yet: the pause before it is a gap if it is longer than
    // usual.
    answer.endsInGap = !coverage->gaps.isEmpty() && coverage->gaps.back().to >= next
        && coverage->gaps.back().to - coverage->gaps.back().from > record::latestPoll(coverage->usualPause);
    return answer;
}

/// Without them the charts of locks are there all the same.
void TravelHistory::addMeasures(
    record::RecordingReader& reader, Answer& answer, ServerTime from, ServerTime to)
{
    const auto measures = reader.surroundings(from, to);
    if (!measures) {
        answer.note(measures.error());
        answer.damaged.unite({answer.slotsFound.keyBegin(), answer.slotsFound.keyEnd()});
        return;
    }
    for (const record::RecordedMeasure& each : *measures) {
        const auto slot = answer.slotsFound.find((each.taken.us - 1) / slotLength.count());
        if (slot != answer.slotsFound.end() && *slot)
            (*slot)->measures.push_back(each.measure);
    }
}

/// Builds the history as far back as it is known without a hole.
void TravelHistory::build()
{
    m_history.clear();
    const qint64 newest = lastSlotBefore(m_shown->takenAt);
    qint64 oldest = newest;
    while (oldest > newest - shownSlots && m_slots.contains(oldest))
        --oldest;
    for (qint64 number = oldest + 1; number <= newest; ++number) {
        const Slot& slot = *m_slots.constFind(number);
        const bool isDamaged = m_damaged.contains(number);
        if (isDamaged)
            m_history.noteDamage(endOf(number));
        if (slot ? slot->isBehindGap : isDamaged)
            m_history.markGap();
        if (!slot)
            continue;
        m_history.append(slot->at, slot->figures);
        if (!slot->measures.empty())
            m_history.addMeasures(slot->at, slot->measures);
    }
    if (m_isBehindGap)
        m_history.markGap();
    m_history.append(m_shown->takenAt, monitor::figuresOf(*m_shown));
}

} // namespace lockscope::ui
