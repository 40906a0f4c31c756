// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/Timeline.h"

#include "core/base/Sentences.h"
#include "core/scenario/run/Judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::EventKind;

namespace {

constexpr std::pair<EventKind, MarkKind> eventMarks[]{{EventKind::Lost, MarkKind::Lost},
    {EventKind::Died, MarkKind::Died}, {EventKind::Denied, MarkKind::Denied},
    {EventKind::Victim, MarkKind::Victim}, {EventKind::Conflict, MarkKind::Conflict},
    {EventKind::DuplicateKey, MarkKind::DuplicateKey}, {EventKind::Failed, MarkKind::Failed}};

LaneSpan ofRow(LaneState state, qint64 from, qint64 to, quint32 subject, quint32 held)
{
    return {.from = from, .to = to, .state = state, .subject = subject, .held = held, .isRow = true};
}

/// Turns one session's events into spans.
class LaneBuilder {
public:
    LaneBuilder(TimelineLane& lane, qint64 end)
        : m_lane(lane)
        , m_end(end)
    {
    }

    void add(const scenario::RunEvent& event)
    {
        if (m_waitingFor && event.kind != EventKind::WaitBegin)
            turn(event.us, [this] { m_waitingFor.reset(); });
        switch (event.kind) {
        case EventKind::RoundBegin:
            turn(event.us, [this] {
                m_isDead = false;
                m_isInRound = true;
            });
            break;
        case EventKind::RoundEnd:
            turn(event.us, [this] { m_isInRound = false; });
            break;
        case EventKind::WaitBegin:
            turn(event.us, [&] { m_waitingFor = event.subject; });
            break;
        case EventKind::Granted:
            turn(event.us, [&] { m_held.push_back(event.subject); });
            break;
        case EventKind::Released:
        case EventKind::Lost:
            letGo(event);
            break;
        case EventKind::Died:
            turn(event.us, [this] {
                m_held.clear();
                m_isInRound = false;
                m_isDead = true;
            });
            break;
        case EventKind::Restarted:
            turn(event.us, [this] { m_isDead = false; });
            break;
        default: // has a mark at most
            break;
        }
        for (const auto& [kind, mark] : eventMarks)
            if (kind == event.kind)
                m_lane.marks.push_back({.at = event.us, .kind = mark, .subject = event.subject});
    }

    void finish()
    {
        turn(m_end, [] {});
    }

private:
    LaneSpan present() const
    {
        LaneSpan now;
        now.held = static_cast<quint32>(m_held.size());
        if (m_isDead) {
            now.state = LaneState::Dead;
        } else if (m_waitingFor) {
            now.state = LaneState::Waiting;
            now.subject = *m_waitingFor;
        } else if (!m_held.empty()) {
            now.state = LaneState::Holding;
            now.subject = m_held.back();
        } else if (m_isInRound) {
            now.state = LaneState::Working;
        }
        return now;
    }

    /// Something changes at `at`: what was until then is a span, unless nothing was.
    template <class Change> void turn(qint64 at, Change change)
    {
        LaneSpan past = present();
        change();
        LaneSpan next = present();
        next.from = past.from;
        next.to = past.to;
        if (next == past && at < m_end)
            return;
        past.from = m_since;
        past.to = at;
        m_since = at;
        if (past.state != LaneState::Away && past.to > past.from)
            m_lane.spans.push_back(past);
    }

    void letGo(const scenario::RunEvent& event)
    {
        turn(event.us, [&] {
            const auto held = std::find(m_held.rbegin(), m_held.rend(), event.subject);
            if (held != m_held.rend())
                m_held.erase(std::next(held).base());
        });
    }

    TimelineLane& m_lane;
    const qint64 m_end;
    qint64 m_since = 0;
    std::vector<quint32> m_held;
    std::optional<quint32> m_waitingFor;
    bool m_isInRound = false;
    bool m_isDead = false;
};

/// Adds the judge's findings in the logs.
void showFindings(Timeline& timeline, const scenario::RunReport& report)
{
    scenario::LogPointers logs;
    for (const scenario::SessionReport& session : report.sessions)
        logs.push_back(&session.log);
    const auto laneOf = [&timeline](int session) -> TimelineLane& {
        return timeline.lanes[static_cast<std::size_t>(session) - 1];
    };
    const auto stays = scenario::sectionStays(logs, timeline.end);
    for (const scenario::SectionStay& stay : stays)
        laneOf(stay.session).sections.push_back({stay.from, stay.to, stay.subject});
    for (const scenario::SectionStay& part : scenario::overlapsOf(stays, logs))
        laneOf(part.session).overlaps.push_back({part.from, part.to, part.subject});
    for (const scenario::WrongItem& item : scenario::wrongItems(timeline.scenario->rules, logs))
        laneOf(item.session)
            .marks.push_back({.at = item.at,
                .kind = item.rule == scenario::RunRule::InOrder ? MarkKind::OutOfOrder : MarkKind::Twice,
                .subject = item.subject});
    for (const scenario::Overwriting& lost : scenario::overwritings(logs))
        laneOf(lost.session)
            .marks.push_back(
                {.at = lost.at, .kind = MarkKind::Overwrote, .subject = lost.subject, .other = lost.other});
    for (const scenario::Violation& late : report.violations.examples)
        if (late.rule == scenario::RunRule::LongestWait || late.rule == scenario::RunRule::NobodyWaits) {
            TimelineLane& lane = laneOf(late.session);
            lane.marks.push_back({.at = late.at.count(),
                .kind = MarkKind::Overdue,
                .subject =
                    static_cast<quint32>(std::max<qsizetype>(lane.subjects.indexOf(late.subject), 0))});
        }
    for (TimelineLane& lane : timeline.lanes)
        std::stable_sort(lane.marks.begin(), lane.marks.end(),
            [](const LaneMark& a, const LaneMark& b) { return a.at < b.at; });
}

void collectLosses(Timeline& timeline)
{
    for (const TimelineLane& lane : timeline.lanes) {
        for (const SectionSpan& overlap : lane.overlaps)
            timeline.losses.push_back(overlap.from);
        for (const LaneMark& mark : lane.marks)
            if (timeline.isLoss(mark.kind))
                timeline.losses.push_back(mark.at);
    }
    std::sort(timeline.losses.begin(), timeline.losses.end());
}

/// Draws `more` over the lane, or only over its working parts. What is drawn over working parts is in order
/// of time; parts of `more` before which another one has begun are cut.
void overlay(TimelineLane& lane, std::vector<LaneSpan> more, bool onlyWhereWorking)
{
    std::sort(more.begin(), more.end(), [](const LaneSpan& a, const LaneSpan& b) { return a.from < b.from; });
    std::vector<LaneSpan> spans;
    std::size_t first = 0;
    for (const LaneSpan& each : lane.spans) {
        LaneSpan rest = each;
        while (first < more.size() && more[first].to <= each.from)
            ++first;
        const bool isCovered = !onlyWhereWorking || each.state == LaneState::Working;
        for (std::size_t i = first; isCovered && i < more.size() && more[i].from < each.to; ++i) {
            LaneSpan part = more[i];
            part.from = std::max(part.from, rest.from);
            part.to = std::min(part.to, each.to);
            if (part.from >= part.to)
                continue;
            LaneSpan before = rest;
            before.to = part.from;
            if (before.from < before.to)
                spans.push_back(before);
            part.held = part.state == LaneState::Waiting ? each.held : 1;
            rest.from = part.to;
            spans.push_back(part);
        }
        if (rest.from < rest.to)
            spans.push_back(rest);
    }
    lane.spans = std::move(spans);
}

/// Row locks that a statement took besides are drawn where somebody waits for them: who has it from the
/// statement to the end of the transaction, who waits for it as long as that lasts.
void showRowLocks(Timeline& timeline, const scenario::RunReport& report)
{
    scenario::LogPointers logs;
    for (const scenario::SessionReport& session : report.sessions)
        logs.push_back(&session.log);
    struct Drawn {
        std::vector<LaneSpan> holds;
        std::vector<LaneSpan> waits;
    };
    std::vector<Drawn> drawn(timeline.lanes.size());
    for (const scenario::RowWait& wait : scenario::rowWaits(logs)) {
        const auto held = static_cast<std::size_t>(wait.holder) - 1;
        const auto waited = static_cast<std::size_t>(wait.session) - 1;
        drawn[held].holds.push_back(ofRow(LaneState::Holding, wait.heldFrom, wait.heldTo, wait.held, 1));
        drawn[waited].waits.push_back(ofRow(LaneState::Waiting, wait.from, wait.to, wait.asked, 0));
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        overlay(timeline.lanes[i], std::move(drawn[i].holds), true);
        overlay(timeline.lanes[i], std::move(drawn[i].waits), false);
    }
}

constexpr qint64 columnPixels = 4; ///< of LossColumns

/// The pixel that is being filled, and how long each state lasted in it.
class PixelSum {
public:
    explicit PixelSum(std::vector<LanePiece>& pieces)
        : m_pieces(pieces)
    {
    }

    void add(int x, double share, const LaneSpan& span)
    {
        if (x != m_x)
            flush();
        m_x = x;
        m_shares[static_cast<std::size_t>(span.state)] += share;
        m_only = m_count++ == 0 ? &span : nullptr;
    }
    void flush()
    {
        if (m_count > 0) {
            const auto maximum = std::max_element(m_shares.begin() + 1, m_shares.end());
            put({.x = m_x,
                .width = 1,
                .state = static_cast<LaneState>(maximum - m_shares.begin()),
                .span = m_only});
        }
        m_shares.fill(0);
        m_count = 0;
    }
    void put(const LanePiece& piece)
    {
        LanePiece* const last = m_pieces.empty() ? nullptr : &m_pieces.back();
        if (last && last->x + last->width == piece.x && last->state == piece.state
            && last->span == piece.span)
            last->width += piece.width;
        else
            m_pieces.push_back(piece);
    }

private:
    std::vector<LanePiece>& m_pieces;
    int m_x = -1;
    std::array<double, enumeratorCount<LaneState>> m_shares{};
    int m_count = 0;
    const LaneSpan* m_only = nullptr;
};

} // namespace

QString laneStateName(LaneState state)
{
    static constexpr EnumTable<LaneState> names(
        {u"between two rounds", u"working", u"holding a lock", u"waiting for a lock", u"dead"});
    return names[state].toString();
}

QString markName(MarkKind kind)
{
    static constexpr EnumTable<MarkKind> names({u"denied", u"deadlock victim", u"refused write",
        u"duplicate key", u"mistake", u"lock was somebody else's", u"crash", u"processed again",
        u"processed out of order", u"another one's change is lost", u"waited against the rules"});
    return names[kind].toString();
}

QChar markLetter(MarkKind kind)
{
    static constexpr EnumTable<MarkKind, QChar> letters(
        {u'D', u'V', u'R', u'K', u'M', u'L', u'C', u'2', u'O', u'X', u'W'});
    return letters[kind];
}

bool Timeline::isLoss(MarkKind kind) const
{
    switch (kind) {
    case MarkKind::Victim:
        return scenario->rules.noDeadlock;
    case MarkKind::DuplicateKey:
        return scenario->rules.noDuplicateKey;
    case MarkKind::Lost:
    case MarkKind::Twice:
    case MarkKind::OutOfOrder:
    case MarkKind::Overwrote:
    case MarkKind::Overdue:
        return true;
    case MarkKind::Denied:
    case MarkKind::Conflict:
    case MarkKind::Failed:
    case MarkKind::Died:
        break;
    }
    return false;
}

qsizetype Timeline::overlapCount() const
{
    qsizetype count = 0;
    for (const TimelineLane& lane : lanes)
        count += static_cast<qsizetype>(lane.overlaps.size());
    return count;
}

Timeline timelineOf(const scenario::RunReport& report)
{
    Timeline timeline;
    timeline.scenario = report.scenario;
    timeline.variant = report.variant;
    timeline.engine = report.engine;
    timeline.runId = report.runId;
    timeline.verdict = report.verdict;
    timeline.isBroken = report.violations.isBroken();
    timeline.end = std::chrono::duration_cast<microseconds>(report.duration).count();
    for (const scenario::SessionReport& session : report.sessions)
        if (!session.log.events.empty())
            timeline.end = std::max(timeline.end, session.log.events.back().us);
    for (const scenario::SessionReport& session : report.sessions) {
        TimelineLane lane;
        lane.number = session.number;
        lane.sign = QString::number(session.number);
        lane.role = session.role;
        lane.subjects = session.log.subjects;
        lane.isCut = session.log.dropped > 0;
        LaneBuilder builder(
            lane, lane.isCut && !session.log.events.empty() ? session.log.events.back().us : timeline.end);
        for (const scenario::RunEvent& event : session.log.events)
            builder.add(event);
        builder.finish();
        timeline.lanes.push_back(std::move(lane));
    }
    showRowLocks(timeline, report);
    showFindings(timeline, report);
    collectLosses(timeline);
    return timeline;
}

Timeline timelineOf(scenario::RunReport report, const scenario::Interleaving& record,
    std::span<const scenario::StepRun::StepTime> times)
{
    // From the times of the clock to the steps in which they lie.
    const auto inSteps = [times](qint64 us) {
        const auto next = std::upper_bound(times.begin(), times.end(), us,
            [](qint64 at, const auto& time) { return at < time.begun.count(); });
        return std::max<qint64>(next - times.begin() - 1, 0) * Timeline::stepLength;
    };
    const auto end = static_cast<qint64>(times.size()) * Timeline::stepLength;
    for (scenario::SessionReport& session : report.sessions) {
        // It begins with its first step, though it may have got ready for it earlier.
        const auto first = std::find_if(record.steps.begin(), record.steps.end(),
            [&](const scenario::StepRecord& step) { return step.session == session.number; });
        const qint64 begin = (first - record.steps.begin()) * Timeline::stepLength;
        for (scenario::RunEvent& event : session.log.events)
            event.us = std::max(inSteps(event.us), begin);
    }
    report.duration = std::chrono::duration_cast<milliseconds>(microseconds(end));
    Timeline timeline = timelineOf(report);
    for (TimelineLane& lane : timeline.lanes)
        lane.sign = scenario::sessionLetter(lane.number);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const scenario::StepRecord& step = record.steps[i];
        timeline.steps.push_back({step.token(), step.label, step.session});
        // Not every statement that blocks is known beforehand to take a lock.
        TimelineLane& lane = timeline.lanes[static_cast<std::size_t>(step.session) - 1];
        const qint64 from = static_cast<qint64>(i) * Timeline::stepLength;
        const qint64 to = times[i].ended ? inSteps(times[i].ended->count()) : end;
        const LaneSpan now = spanAt(lane, from, end);
        if (!step.isBlocked || to <= from || now.state == LaneState::Waiting)
            continue;
        const auto subjectIn = [&step](TimelineLane& of) {
            of.subjects << step.on;
            return static_cast<quint32>(of.subjects.size() - 1);
        };
        overlay(lane, {ofRow(LaneState::Waiting, from, to, subjectIn(lane), now.held)}, false);
        for (const int blocker : step.blockers) {
            TimelineLane& holder = timeline.lanes[static_cast<std::size_t>(blocker) - 1];
            overlay(holder, {ofRow(LaneState::Holding, from, to, subjectIn(holder), 1)}, true);
        }
    }
    return timeline;
}

Timeline timelineOf(const scenario::StepRun& run, const QString& verdict)
{
    scenario::RunReport report;
    report.scenario = run.order().run.scenario;
    report.variant = run.record().variant;
    report.engine = run.engine();
    report.runId = run.runId();
    report.verdict = verdict;
    report.sessions = run.reports();
    return timelineOf(std::move(report), run.record(), run.stepTimes());
}

const TimelineStep* Timeline::stepAt(qint64 at) const
{
    if (steps.empty())
        return nullptr;
    const auto last = static_cast<qint64>(steps.size()) - 1;
    return &steps[static_cast<std::size_t>(std::clamp<qint64>(at / stepLength, 0, last))];
}

QString Timeline::dateTimeText(qint64 at) const
{
    const TimelineStep* const step = stepAt(at);
    return step ? step->token : shortDuration(at);
}

QString Timeline::lengthText(qint64 length) const
{
    if (!isStepped())
        return shortDuration(length);
    const auto count = static_cast<int>((length + stepLength - 1) / stepLength);
    return counted(count, u"step");
}

LaneSpan spanAt(const TimelineLane& lane, qint64 at, qint64 end)
{
    const auto next = std::upper_bound(lane.spans.begin(), lane.spans.end(), at,
        [](qint64 time, const LaneSpan& span) { return time < span.to; });
    if (next != lane.spans.end() && next->from <= at)
        return *next;
    LaneSpan gap;
    gap.from = next == lane.spans.begin() ? 0 : std::prev(next)->to;
    gap.to = next == lane.spans.end() ? end : next->from;
    return gap;
}

std::vector<LanePiece> piecesOf(std::span<const LaneSpan> spans, const TimeScale& scale)
{
    std::vector<LanePiece> pieces;
    PixelSum pixel(pieces);
    auto span = std::lower_bound(spans.begin(), spans.end(), scale.from,
        [](const LaneSpan& each, qint64 from) { return each.to <= from; });
    for (; span != spans.end() && span->from < scale.to; ++span) {
        const double left = scale.xOf(std::max(span->from, scale.from));
        const double right = scale.xOf(std::min(span->to, scale.to));
        const int first = std::min(int(left), scale.width - 1);
        const int last = std::min(int(std::ceil(right)) - 1, scale.width - 1);
        if (first >= last) {
            pixel.add(first, right - left, *span);
            continue;
        }
        pixel.add(first, first + 1 - left, *span);
        pixel.flush();
        if (last - first > 1)
            pixel.put({.x = first + 1, .width = last - first - 1, .state = span->state, .span = &*span});
        pixel.add(last, right - last, *span);
    }
    pixel.flush();
    return pieces;
}

std::vector<PixelRun> pixelsOf(std::span<const SectionSpan> sections, const TimeScale& scale)
{
    std::vector<PixelRun> runs;
    for (const SectionSpan& section : sections) {
        if (section.from >= scale.to)
            break;
        if (section.to <= scale.from)
            continue;
        const int first = scale.pixelOf(section.from);
        const int last =
            std::clamp(int(std::ceil(scale.xOf(std::min(section.to, scale.to)))) - 1, first, scale.width - 1);
        if (!runs.empty() && first <= runs.back().x + runs.back().width)
            runs.back().width = std::max(runs.back().width, last + 1 - runs.back().x);
        else
            runs.push_back({first, last + 1 - first});
    }
    return runs;
}

int LossColumns::total() const
{
    return std::accumulate(counts.begin(), counts.end(), 0);
}

int LossColumns::maximum() const
{
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

LossColumns lossColumnsOf(const Timeline& timeline, const TimelineLane& lane, const TimeScale& scale)
{
    LossColumns columns;
    columns.length = std::max<qint64>(1, scale.length() * columnPixels / std::max(1, scale.width));
    columns.first = scale.from / columns.length;
    columns.counts.resize(static_cast<std::size_t>(scale.to / columns.length - columns.first + 1));
    const auto count = [&](qint64 at) {
        if (at >= scale.from && at <= scale.to)
            ++columns.counts[static_cast<std::size_t>(at / columns.length - columns.first)];
    };
    for (const LaneMark& mark : lane.marks)
        if (timeline.isLoss(mark.kind))
            count(mark.at);
    for (const SectionSpan& overlap : lane.overlaps)
        count(overlap.from);
    return columns;
}

} // namespace lockscope::ui
