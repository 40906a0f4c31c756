// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TimelineData.h"

#include "ui/views/scenarios/LanePieces.h"
#include "ui/views/scenarios/TimelineText.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// A list of numbers as JSON has it, times as differences: they are short then, and alike. Written at once,
/// because there may be a million.
class Times {
public:
    void add(qint64 from, qint64 to, std::initializer_list<qint64> rest)
    {
        put(from - m_at);
        put(to - from);
        for (const qint64 each : rest)
            put(each);
        m_at = to;
    }
    void put(qint64 number)
    {
        if (m_list.size() > 1)
            m_list += ',';
        m_list += QByteArray::number(number);
    }
    QByteArray list() const { return m_list + ']'; }

private:
    QByteArray m_list{"["};
    qint64 m_at = 0;
};

/// Numbers again those subjects of a lane that are used: a long run has one for each item.
class Subjects {
public:
    explicit Subjects(const TimelineLane& lane)
        : m_lane(lane)
    {
    }
    qint64 numberOf(quint32 subject)
    {
        const auto known = m_numbers.constFind(subject);
        if (known != m_numbers.cend())
            return *known;
        const qint64 number = m_names.size();
        m_numbers.insert(subject, number);
        m_names.append(m_lane.subjects.value(subject));
        return number;
    }
    QJsonArray names() const { return m_names; }

private:
    const TimelineLane& m_lane;
    QHash<quint32, qint64> m_numbers{{0, 0}};
    QJsonArray m_names{QString()};
};

QByteArray spansOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    if (scale.width <= 0) {
        for (const LaneSpan& span : lane.spans)
            times.add(span.from, span.to, {static_cast<qint64>(span.state), subjects.numberOf(span.subject)});
        return times.list();
    }
    for (const LanePiece& piece : piecesOf(lane.spans, scale))
        times.add(scale.at(piece.x), scale.at(piece.x + piece.width),
            {static_cast<qint64>(piece.state), subjects.numberOf(piece.span ? piece.span->subject : 0)});
    return times.list();
}

/// Returns the first of the marks of a kind that lie in one pixel.
QByteArray marksOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    std::array<int, markKinds> last{};
    last.fill(-1);
    for (const LaneMark& mark : lane.marks) {
        const int x = static_cast<int>(scale.xOf(mark.at));
        if (scale.width > 0 && std::exchange(last[static_cast<std::size_t>(mark.kind)], x) == x)
            continue;
        times.add(
            mark.at, mark.at, {static_cast<qint64>(mark.kind), subjects.numberOf(mark.subject), mark.other});
    }
    return times.list();
}

QByteArray overlapsOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    if (scale.width <= 0) {
        qint64 free = 0; // sections may lie in each other
        for (const SectionSpan& each : lane.overlaps) {
            const qint64 from = std::max(each.from, free);
            if (from < each.to)
                times.add(from, each.to, {subjects.numberOf(each.subject)});
            free = std::max(free, each.to);
        }
        return times.list();
    }
    const qint64 subject = subjects.numberOf(lane.overlaps.empty() ? 0 : lane.overlaps.front().subject);
    for (const PixelRun& run : pixelsOf(lane.overlaps, scale))
        times.add(scale.at(run.x), scale.at(run.x + run.width), {subject});
    return times.list();
}

QByteArray lossesOf(const Timeline& timeline, const TimeScale& scale)
{
    Times losses;
    int last = -1;
    for (const qint64 at : timeline.losses) {
        const int x = static_cast<int>(scale.xOf(at));
        if (scale.width <= 0 || std::exchange(last, x) != x)
            losses.put(at);
    }
    return losses.list();
}

QByteArray textOf(const QJsonArray& array)
{
    return QJsonDocument(array).toJson(QJsonDocument::Compact);
}

/// Spans, marks and overlaps name their subjects by number.
QByteArray laneData(const TimelineLane& lane, const TimeScale& scale)
{
    Subjects subjects(lane);
    const QByteArray times = ",\"spans\":" + spansOf(lane, scale, subjects) + ",\"marks\":"
        + marksOf(lane, scale, subjects) + ",\"overlaps\":" + overlapsOf(lane, scale, subjects) + '}';
    // Names are what others wrote: Qt quotes them.
    QByteArray names =
        QJsonDocument(QJsonObject{{u"name"_s, laneName(lane)}, {u"subjects"_s, subjects.names()}})
            .toJson(QJsonDocument::Compact);
    names.chop(1);
    return names + times;
}

QByteArray dataOf(const Timeline& timeline, int width)
{
    const TimeScale scale{0, std::max<qint64>(timeline.end, 1), width};
    QByteArrayList lanes;
    for (const TimelineLane& lane : timeline.lanes)
        lanes << laneData(lane, scale);
    return "{\"end\":" + QByteArray::number(timeline.end) + ",\"losses\":" + lossesOf(timeline, scale)
        + ",\"lanes\":[" + lanes.join(',') + "]}";
}

/// Returns the rough number of parts to write.
qsizetype countOf(const std::vector<TimelinePtr>& timelines)
{
    std::size_t count = 0;
    for (const TimelinePtr& timeline : timelines)
        for (const TimelineLane& lane : timeline->lanes)
            count += lane.spans.size() + lane.marks.size() + lane.overlaps.size();
    return static_cast<qsizetype>(count);
}

} // namespace

QByteArray timelineData(const std::vector<TimelinePtr>& timelines, int width)
{
    QByteArrayList runs;
    for (const TimelinePtr& timeline : timelines)
        runs << dataOf(*timeline, width);
    QJsonArray states;
    for (const LaneState state :
        {LaneState::Away, LaneState::Working, LaneState::Holding, LaneState::Waiting, LaneState::Dead})
        states << laneStateName(state);
    QJsonArray marks;
    for (std::size_t i = 0; i < markKinds; ++i) {
        const auto kind = static_cast<MarkKind>(i);
        marks << QJsonArray{
            QString(markLetter(kind)), markName(kind), !timelines.empty() && timelines.front()->isLoss(kind)};
    }
    return "{\"states\":" + textOf(states) + ",\"marks\":" + textOf(marks) + ",\"runs\":[" + runs.join(',')
        + "]}";
}

PackedTimelines packedTimelines(const std::vector<TimelinePtr>& timelines, qsizetype maxBytes)
{
    // More than so many never fit: not even tried.
    const qsizetype maximum = maxBytes / 2;
    const qsizetype all = countOf(timelines);
    qsizetype lanes = 0;
    for (const TimelinePtr& timeline : timelines)
        lanes += std::ssize(timeline->lanes);
    for (const int width : {0, 40'000, 20'000, 10'000, 5'000, 2'500, 1'200, 600, 300, 100, 30}) {
        const qsizetype shownCount = width == 0 ? all : std::min<qsizetype>(all, lanes * width);
        if (shownCount > maximum)
            continue;
        // Qt's own form is the zlib one behind four bytes of length.
        QByteArray packed = qCompress(timelineData(timelines, width), 6).mid(4).toBase64();
        if (packed.size() <= maxBytes)
            return {std::move(packed), width};
    }
    return {{}, -1};
}

} // namespace lockscope::ui
