// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/scenario/run/StepRun.h"
#include "ui/kit/charts/TimeScale.h"

#include <span>
#include <vector>

namespace lockscope::ui {

/// The state of a session at one time; the greater one is shown if several are true.
enum class LaneState : quint8 { Away, Working, Holding, Waiting, Dead };
QString laneStateName(LaneState state); ///< "working"

enum class MarkKind : quint8 {
    Denied,
    Victim,
    Conflict,
    DuplicateKey,
    Failed,
    Lost,
    Died,
    Twice,
    OutOfOrder,
    Overwrote, ///< took away what another session had changed
    Overdue ///< waited for longer, or at all, against the rules
};
constexpr std::size_t markKinds = enumeratorCount<MarkKind>;
QString markName(MarkKind kind); ///< "deadlock victim"
QChar markLetter(MarkKind kind); ///< 'V'

/// Times are microseconds since the start of the run, `subject` indexes TimelineLane::subjects (0 = none).
struct LaneSpan {
    qint64 from = 0;
    qint64 to = 0;
    LaneState state = LaneState::Away;
    quint32 subject = 0; ///< the lock that it waits for or took last
    quint32 held = 0; ///< the number of locks that it holds meanwhile
    bool isRow = false; ///< the subject is a row that a statement changes, and no lock that a step asks for
    bool operator==(const LaneSpan&) const = default;
};
struct LaneMark {
    qint64 at = 0;
    MarkKind kind = MarkKind::Denied;
    quint32 subject = 0;
    int other = 0; ///< of Overwrote: whose change is gone
    bool operator==(const LaneMark&) const = default;
};
/// The time in a critical section, or the part of it in which others were, too.
struct SectionSpan {
    qint64 from = 0;
    qint64 to = 0;
    quint32 subject = 0;
    bool operator==(const SectionSpan&) const = default;
};

/// One session's part; each list is in order of time, spans do not overlap.
struct TimelineLane {
    int number = 0; ///< of the session, from 1
    QString sign; ///< "3"; of a stepped run "C"
    QString role;
    QStringList subjects{QString()};
    std::vector<LaneSpan> spans; ///< the gaps between them: away
    std::vector<LaneMark> marks;
    std::vector<SectionSpan> sections;
    std::vector<SectionSpan> overlaps;
    bool isCut = false; ///< its log was full: what came later is unknown
};

/// One step of a run that was gone through step by step.
struct TimelineStep {
    QString token; ///< "A2"
    QString label; ///< "read the balance"
    int session = 0; ///< from 1
    bool operator==(const TimelineStep&) const = default;
};

/// The events of a run's sessions, ready to be drawn. Immutable once made.
struct Timeline {
    scenario::ScenarioPtr scenario;
    QString variant;
    Engine engine = {};
    QString runId;
    QString verdict;
    bool isBroken = false;
    qint64 end = 0; ///< of the run, in microseconds
    std::vector<TimelineLane> lanes;
    /// The steps of a stepped run, in their order: there time is counted in steps, because it was the user's.
    /// The effect of a step counts from its beginning on.
    std::vector<TimelineStep> steps;

    bool isStepped() const { return !steps.empty(); }
    /// Returns the latest step at that time; null = the run is not stepped.
    const TimelineStep* stepAt(qint64 at) const;
    static constexpr qint64 stepLength = 1'000'000;
    QString dateTimeText(qint64 at) const; ///< "1.25 s", "A2"
    QString lengthText(qint64 length) const; ///< "34 ms", "2 steps"

    /// Returns whether something was lost then, as far as this scenario is concerned. Others are part of the
    /// game: a lock that was denied, a write that was refused.
    bool isLoss(MarkKind kind) const;
    /// The times at which something was lost, anywhere; ascending.
    std::vector<qint64> losses;

    /// Returns in how many places sessions were together where only one may be, each counted once for each
    /// session.
    qsizetype overlapCount() const;
};
using TimelinePtr = std::shared_ptr<const Timeline>;

Timeline timelineOf(const scenario::RunReport& report);
/// `verdict`: as far as it is known.
Timeline timelineOf(const scenario::StepRun& run, const QString& verdict);
/// The same of its parts: `times` beside the record's steps.
Timeline timelineOf(scenario::RunReport report, const scenario::Interleaving& record,
    std::span<const scenario::StepRun::StepTime> times);
/// Returns the span, or the gap (of state Away), in which a time lies.
LaneSpan spanAt(const TimelineLane& lane, qint64 at, qint64 end);

/// A piece that is drawn in one go: spans shorter than a pixel are one piece together, in the state that they
/// had most of the time; a session that was there is never drawn as away.
struct LanePiece {
    int x = 0;
    int width = 0;
    LaneState state = LaneState::Away;
    const LaneSpan* span = nullptr; ///< null if it stands for several
    bool operator==(const LanePiece&) const = default;
};
std::vector<LanePiece> piecesOf(std::span<const LaneSpan> spans, const TimeScale& scale);
/// The pixels that sections cover, [x, x + width), each once.
struct PixelRun {
    int x = 0;
    int width = 0;
    bool operator==(const PixelRun&) const = default;
};
std::vector<PixelRun> pixelsOf(std::span<const SectionSpan> sections, const TimeScale& scale);

/// The losses on view, counted by columns of some pixels. The columns begin at whole multiples of their
/// length, so that they stay the same while the view moves.
struct LossColumns {
    qint64 length = 1; ///< of a column, in microseconds
    qint64 first = 0; ///< the number of the first one: it begins at first * length
    std::vector<int> counts;
    int total() const;
    int maximum() const;
};
LossColumns lossColumnsOf(const Timeline& timeline, const TimelineLane& lane, const TimeScale& scale);

} // namespace lockscope::ui
