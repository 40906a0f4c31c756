// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/Timeline.h"

#include <QSet>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Event;
using scenario::EventKind;

namespace {

/// Turns one session's events into spans.
class LaneBuilder {
public:
    LaneBuilder(Lane& lane, qint64 end)
        : m_lane(lane)
        , m_end(end)
    {
    }

    void add(const Event& event)
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
            letGo(event);
            break;
        case EventKind::Lost:
            letGo(event);
            mark(event, MarkKind::Lost);
            break;
        case EventKind::CriticalBegin:
            m_sections.push_back({event.us, event.us, event.subject});
            break;
        case EventKind::CriticalEnd:
            leave(event);
            break;
        case EventKind::Died:
            mark(event, MarkKind::Died);
            turn(event.us, [this] {
                m_held.clear();
                m_isInRound = false;
                m_isDead = true;
            });
            break;
        case EventKind::Restarted:
            turn(event.us, [this] { m_isDead = false; });
            break;
        case EventKind::Denied:
            mark(event, MarkKind::Denied);
            break;
        case EventKind::Victim:
            mark(event, MarkKind::Victim);
            break;
        case EventKind::Conflict:
            mark(event, MarkKind::Conflict);
            break;
        case EventKind::DuplicateKey:
            mark(event, MarkKind::DuplicateKey);
            break;
        case EventKind::Failed:
            mark(event, MarkKind::Failed);
            break;
        case EventKind::Processed:
        case EventKind::Waited:
            break;
        }
    }

    void finish()
    {
        turn(m_end, [] {});
        for (SectionSpan open : m_sections) {
            open.to = std::max(m_end, open.from);
            m_lane.sections.push_back(open);
        }
        std::sort(m_lane.sections.begin(), m_lane.sections.end(),
            [](const SectionSpan& a, const SectionSpan& b) { return a.from < b.from; });
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

    void letGo(const Event& event)
    {
        turn(event.us, [&] {
            const auto held = std::find(m_held.rbegin(), m_held.rend(), event.subject);
            if (held != m_held.rend())
                m_held.erase(std::next(held).base());
        });
    }

    void leave(const Event& event)
    {
        const auto open = std::find_if(m_sections.begin(), m_sections.end(),
            [&](const SectionSpan& each) { return each.subject == event.subject; });
        if (open == m_sections.end())
            return;
        open->to = event.us;
        m_lane.sections.push_back(*open);
        m_sections.erase(open);
    }

    void mark(const Event& event, MarkKind kind) { m_lane.marks.push_back({event.us, kind, event.subject}); }

    Lane& m_lane;
    const qint64 m_end;
    qint64 m_since = 0;
    std::vector<quint32> m_held;
    std::vector<SectionSpan> m_sections; // that it is in
    std::optional<quint32> m_waitingFor;
    bool m_isInRound = false;
    bool m_isDead = false;
};

struct Edge {
    qint64 at;
    int change; // how many more are inside
};

/// When more than one was inside.
std::vector<std::pair<qint64, qint64>> crowdedTimes(std::vector<Edge> edges)
{
    // Who leaves at a moment makes room for who enters at it.
    std::sort(edges.begin(), edges.end(),
        [](const Edge& a, const Edge& b) { return std::tie(a.at, a.change) < std::tie(b.at, b.change); });
    std::vector<std::pair<qint64, qint64>> crowded;
    int inside = 0;
    for (const Edge& edge : edges) {
        const bool was = inside > 1;
        inside += edge.change;
        if (inside > 1 && !was)
            crowded.emplace_back(edge.at, edge.at);
        else if (inside <= 1 && was)
            crowded.back().second = edge.at;
    }
    return crowded;
}

void findOverlaps(Timeline& timeline)
{
    QHash<QString, std::vector<Edge>> edges;
    for (const Lane& lane : timeline.lanes) {
        for (const SectionSpan& section : lane.sections) {
            auto& of = edges[lane.subjects.at(section.subject)];
            of.push_back({section.from, 1});
            of.push_back({section.to, -1});
        }
    }
    QHash<QString, std::vector<std::pair<qint64, qint64>>> crowded;
    for (auto each = edges.begin(); each != edges.end(); ++each)
        crowded[each.key()] = crowdedTimes(std::move(each.value()));
    for (Lane& lane : timeline.lanes) {
        for (const SectionSpan& section : lane.sections) {
            const auto& times = crowded[lane.subjects.at(section.subject)];
            auto time = std::lower_bound(times.begin(), times.end(), section.from,
                [](const auto& each, qint64 from) { return each.second <= from; });
            for (; time != times.end() && time->first < section.to; ++time)
                lane.overlaps.push_back({std::max(time->first, section.from),
                    std::min(time->second, section.to), section.subject});
        }
        std::sort(lane.overlaps.begin(), lane.overlaps.end(),
            [](const SectionSpan& a, const SectionSpan& b) { return a.from < b.from; });
    }
}

/// Work that was done again, or too late: found by what each session says to have processed.
void markWrongOrder(Timeline& timeline, const scenario::RunReport& report)
{
    const scenario::Rules& rules = timeline.scenario->rules;
    if (!rules.processedOnce && !rules.inOrder)
        return;
    struct ProcessedItem {
        qint64 at;
        std::size_t lane;
        quint32 item;
    };
    std::vector<ProcessedItem> items;
    for (std::size_t lane = 0; lane < report.sessions.size(); ++lane)
        for (const Event& event : report.sessions[lane].log.events)
            if (event.kind == EventKind::Processed)
                items.push_back({event.us, lane, event.subject});
    std::stable_sort(items.begin(), items.end(),
        [](const ProcessedItem& a, const ProcessedItem& b) { return a.at < b.at; });
    QSet<QString> done;
    qint64 highest = std::numeric_limits<qint64>::min();
    for (const ProcessedItem& processed : items) {
        Lane& lane = timeline.lanes[processed.lane];
        const QString item = lane.subjects.at(processed.item);
        if (rules.processedOnce && done.contains(item))
            lane.marks.push_back({processed.at, MarkKind::Twice, processed.item});
        done.insert(item);
        const qint64 number = item.toLongLong();
        if (rules.inOrder && number < highest)
            lane.marks.push_back({processed.at, MarkKind::OutOfOrder, processed.item});
        highest = std::max(highest, number);
    }
    for (Lane& lane : timeline.lanes)
        std::stable_sort(lane.marks.begin(), lane.marks.end(),
            [](const LaneMark& a, const LaneMark& b) { return a.at < b.at; });
}

/// Puts `span` over what the lane has there.
void overlay(Lane& lane, const LaneSpan& span)
{
    std::vector<LaneSpan> spans;
    for (const LaneSpan& each : lane.spans) {
        LaneSpan before = each;
        before.to = std::min(each.to, span.from);
        LaneSpan after = each;
        after.from = std::max(each.from, span.to);
        for (const LaneSpan& rest : {before, after})
            if (rest.from < rest.to)
                spans.push_back(rest);
    }
    spans.push_back(span);
    std::sort(
        spans.begin(), spans.end(), [](const LaneSpan& a, const LaneSpan& b) { return a.from < b.from; });
    lane.spans = std::move(spans);
}

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
            const auto most = std::max_element(m_shares.begin() + 1, m_shares.end());
            put({m_x, 1, static_cast<LaneState>(most - m_shares.begin()), m_only});
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
    std::array<double, 5> m_shares{};
    int m_count = 0;
    const LaneSpan* m_only = nullptr;
};

} // namespace

QString laneStateName(LaneState state)
{
    switch (state) {
    case LaneState::Away:
        return u"between two rounds"_s;
    case LaneState::Working:
        return u"working"_s;
    case LaneState::Holding:
        return u"holding a lock"_s;
    case LaneState::Waiting:
        return u"waiting for a lock"_s;
    case LaneState::Dead:
        break;
    }
    return u"dead"_s;
}

QString markName(MarkKind kind)
{
    switch (kind) {
    case MarkKind::Denied:
        return u"denied"_s;
    case MarkKind::Victim:
        return u"deadlock victim"_s;
    case MarkKind::Conflict:
        return u"refused write"_s;
    case MarkKind::DuplicateKey:
        return u"duplicate key"_s;
    case MarkKind::Failed:
        return u"mistake"_s;
    case MarkKind::Lost:
        return u"lock was somebody else's"_s;
    case MarkKind::Twice:
        return u"processed again"_s;
    case MarkKind::OutOfOrder:
        return u"processed out of order"_s;
    case MarkKind::Died:
        break;
    }
    return u"crash"_s;
}

qsizetype Timeline::overlapCount() const
{
    qsizetype count = 0;
    for (const Lane& lane : lanes)
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
        Lane lane;
        lane.number = session.number;
        lane.sign = QString::number(session.number);
        lane.role = session.role;
        lane.subjects = session.log.subjects;
        lane.isCut = session.log.dropped > 0;
        LaneBuilder builder(
            lane, lane.isCut && !session.log.events.empty() ? session.log.events.back().us : timeline.end);
        for (const Event& event : session.log.events)
            builder.add(event);
        builder.finish();
        timeline.lanes.push_back(std::move(lane));
    }
    findOverlaps(timeline);
    markWrongOrder(timeline, report);
    return timeline;
}

Timeline timelineOf(scenario::RunReport report, const scenario::Interleaving& record,
    std::span<const scenario::StepRun::StepTime> times)
{
    // From the moments of the clock to the steps in which they lie.
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
        for (Event& event : session.log.events)
            event.us = std::max(inSteps(event.us), begin);
    }
    report.duration = std::chrono::duration_cast<milliseconds>(microseconds(end));
    Timeline timeline = timelineOf(report);
    for (Lane& lane : timeline.lanes)
        lane.sign = scenario::sessionLetter(lane.number);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const scenario::StepRecord& step = record.steps[i];
        timeline.steps.push_back({step.token(), step.label, step.session});
        // Not every statement that blocks is known beforehand to take a lock.
        Lane& lane = timeline.lanes[static_cast<std::size_t>(step.session) - 1];
        const qint64 from = static_cast<qint64>(i) * Timeline::stepLength;
        const qint64 to = times[i].ended ? inSteps(times[i].ended->count()) : end;
        const LaneSpan now = spanAt(lane, from, end);
        if (!step.isBlocked || to <= from || now.state == LaneState::Waiting)
            continue;
        lane.subjects << step.on;
        overlay(
            lane, {from, to, LaneState::Waiting, static_cast<quint32>(lane.subjects.size() - 1), now.held});
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

QString Timeline::momentText(qint64 at) const
{
    const TimelineStep* const step = stepAt(at);
    return step ? step->token : shortDuration(at);
}

QString Timeline::lengthText(qint64 length) const
{
    if (!isStepped())
        return shortDuration(length);
    const auto count = static_cast<int>((length + stepLength - 1) / stepLength);
    return count == 1 ? u"1 step"_s : u"%1 steps"_s.arg(count);
}

LaneSpan spanAt(const Lane& lane, qint64 at, qint64 end)
{
    const auto next = std::upper_bound(lane.spans.begin(), lane.spans.end(), at,
        [](qint64 moment, const LaneSpan& span) { return moment < span.to; });
    if (next != lane.spans.end() && next->from <= at)
        return *next;
    LaneSpan gap;
    gap.from = next == lane.spans.begin() ? 0 : std::prev(next)->to;
    gap.to = next == lane.spans.end() ? end : next->from;
    return gap;
}

TimeScale TimeScale::zoomed(double factor, double x, qint64 end) const
{
    const qint64 fixed = at(x);
    const auto length =
        std::clamp(qint64(double(to - from) / factor), std::min(shortest, end), std::max<qint64>(end, 1));
    TimeScale scale = *this;
    scale.from = fixed - qint64(double(length) * x / width);
    scale.to = scale.from + length;
    return scale.moved(0, end);
}

TimeScale TimeScale::moved(qint64 by, qint64 end) const
{
    const qint64 length = to - from;
    TimeScale scale = *this;
    scale.from = std::clamp<qint64>(from + by, 0, std::max<qint64>(end - length, 0));
    scale.to = scale.from + length;
    return scale;
}

std::vector<qint64> TimeScale::ticks(int pixels) const
{
    const double least = double(to - from) * pixels / std::max(width, 1);
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            step = factor * power;
            break;
        }
    }
    std::vector<qint64> moments;
    const auto stride = std::max<qint64>(qint64(step), 1);
    for (qint64 at = (from + stride - 1) / stride * stride; at <= to; at += stride)
        moments.push_back(at);
    return moments;
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
            pixel.put({first + 1, last - first - 1, span->state, &*span});
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
        const int first = int(scale.xOf(std::max(section.from, scale.from)));
        const int last =
            std::clamp(int(std::ceil(scale.xOf(std::min(section.to, scale.to)))) - 1, first, scale.width - 1);
        if (!runs.empty() && first <= runs.back().x + runs.back().width)
            runs.back().width = std::max(runs.back().width, last + 1 - runs.back().x);
        else
            runs.push_back({first, last + 1 - first});
    }
    return runs;
}

} // namespace lockscope::ui
