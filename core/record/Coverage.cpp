// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Coverage.h"

#include "core/base/ClockText.h"
#include "core/base/Duration.h"
#include "core/record/ReadLimits.h"
#include "core/record/RecordingReader.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

using Gap = Coverage::Gap;
using Reason = Coverage::Reason;

struct ReasonWords {
    Reason reason;
    QStringView name; ///< also as the end of a segment
    QStringView words;
};
constexpr std::array reasons{
    ReasonWords{Reason::NotRecorded, u"gap", u""},
    ReasonWords{Reason::Stopped, u"stopped", u"recording was stopped"},
    ReasonWords{Reason::CutOff, u"cut off", u"the program was cut off"},
    ReasonWords{Reason::Paused, u"paused", u"polling was paused"},
    ReasonWords{Reason::SlowServer, u"slow server", u"the server was slow"},
    ReasonWords{Reason::NoAnswer, u"no answer", u"the server did not answer"},
    ReasonWords{Reason::Disk, u"disk full", u"the disk was full"},
    ReasonWords{Reason::Slept, u"slept", u"the computer slept"},
    ReasonWords{Reason::Clock, u"clock", u"a clock was set"},
    ReasonWords{Reason::Pruned, u"pruned", u"pruned"},
    ReasonWords{Reason::Damaged, u"damaged", u"damaged"},
};

const ReasonWords& wordsOf(Reason reason)
{
    return *std::ranges::find(reasons, reason, &ReasonWords::reason);
}

/// Reads how a segment ended: the name of a reason, or a sentence.
void explain(Gap& gap, const QString& endReason)
{
    const auto* const known = std::ranges::find(reasons, QStringView(endReason), &ReasonWords::name);
    if (known != reasons.end() || endReason.isEmpty()) {
        gap.reason = endReason.isEmpty() ? Reason::CutOff : known->reason;
        return;
    }
    gap.detail = endReason;
    if (endReason == copyEnds || endReason == anotherGoesOn)
        gap.reason = Reason::NotRecorded;
    else if (endReason.contains(u"clock was set"_s))
        gap.reason = Reason::Clock;
    else
        gap.reason = endReason.startsWith(u"The disk"_s) ? Reason::Disk : Reason::NoAnswer;
}

/// Polls that follow each other without a gap.
struct Piece {
    ServerTime from;
    ServerTime to;
    qint64 last = 0; // its number
};

/// Why nothing is recorded behind that poll.
Result<QString> endOf(RecordingReader& reader, qint64 number, Gap& gap)
{
    const auto after = reader.whatFollows(number);
    if (!after)
        return Failure(after.error());
    if (after->number > number + 1)
        gap.reason = Reason::Pruned;
    else if (after->isSameSegment)
        gap.reason = Reason::SlowServer;
    else if (after->number != 0 || !after->endReason.isEmpty())
        explain(gap, after->endReason);
    return gap.reason == Reason::Pruned ? gapReasonName(gap.reason) : after->endReason;
}

Result<void> explainEnd(RecordingReader& reader, qint64 number, Gap& gap)
{
    const auto end = endOf(reader, number, gap);
    return end ? Result<void>() : Failure(end.error());
}

/// What was there before the first poll is dropped, unless that is the first of all.
void explainBeginning(const Poll* first, Gap& gap)
{
    gap.reason = first && first->number > 1 ? Reason::Pruned : Reason::NotRecorded;
}

bool follows(const Poll& before, const Poll& after)
{
    return after.number == before.number + 1 && after.segment == before.segment;
}

class CoverageMaker {
public:
    CoverageMaker(RecordingReader& reader, ServerTime from, ServerTime to)
        : m_reader(reader)
        , m_from(std::clamp(from, ServerTime{-farthest}, ServerTime{farthest}))
        , m_to(std::clamp(to, m_from, ServerTime{farthest}))
    {
    }

    Result<Coverage> make()
    {
        m_coverage.length = m_to - m_from;
        const auto read = m_reader.polls(m_from, m_to, [this](const Poll& poll) { m_polls.push_back(poll); });
        if (!read)
            return Failure(read.error());
        if (!std::ranges::is_sorted(m_polls, {}, &Poll::number)) // a clock was set back
            std::ranges::sort(m_polls, {}, &Poll::number);
        if (const auto walked = walk(); !walked)
            return Failure(walked.error());
        if (const auto told = tellGaps(); !told)
            return Failure(told.error());
        tellPauses();
        return m_coverage;
    }

private:
    Result<void> walk();
    Result<void> endStretch(const Poll& last);
    Result<void> tellGaps();
    void tellPauses();

    RecordingReader& m_reader;
    const ServerTime m_from;
    const ServerTime m_to;
    Coverage m_coverage;
    std::vector<Poll> m_polls; // by number
    std::vector<Piece> m_pieces;
    std::vector<microseconds> m_pauses;
};

/// Finds stretches, and the pieces that they are made of.
Result<void> CoverageMaker::walk()
{
    for (size_t i = 0; i < m_polls.size(); ++i) {
        const Poll& poll = m_polls[i];
        const bool isInside = poll.taken >= m_from && poll.taken <= m_to;
        m_coverage.polls += isInside ? 1 : 0;
        const bool goesOn = i > 0 && follows(m_polls[i - 1], poll);
        if (!goesOn) {
            if (i > 0) {
                if (auto ended = endStretch(m_polls[i - 1]); !ended)
                    return ended;
            }
            m_coverage.stretches.append({poll.taken, poll.taken, poll.segment});
        }
        Coverage::Stretch& stretch = m_coverage.stretches.back();
        stretch.to = std::max(stretch.to, poll.taken);
        if (!goesOn || poll.isLate(m_polls[i - 1])) {
            m_pieces.push_back({poll.taken, poll.taken, poll.number});
            continue;
        }
        m_pieces.back().to = std::max(m_pieces.back().to, poll.taken);
        m_pieces.back().last = poll.number;
        if (isInside && m_polls[i - 1].taken >= m_from)
            m_pauses.push_back(poll.taken - m_polls[i - 1].taken);
    }
    return m_polls.empty() ? Result<void>() : endStretch(m_polls.back());
}

/// Of a poll beyond the range only tells that what is between the two is recorded.
Result<void> CoverageMaker::endStretch(const Poll& last)
{
    Coverage::Stretch& stretch = m_coverage.stretches.back();
    if (stretch.to < m_from || stretch.from > m_to) {
        m_coverage.stretches.removeLast();
        return {};
    }
    if (stretch.to <= m_to) {
        Gap unused;
        auto end = endOf(m_reader, last.number, unused);
        if (!end)
            return Failure(end.error());
        stretch.endReason = *end;
    }
    stretch.from = std::max(stretch.from, m_from);
    stretch.to = std::min(stretch.to, m_to);
    return {};
}

/// By the server's clock, which may have been set back: what any piece has is recorded.
Result<void> CoverageMaker::tellGaps()
{
    std::ranges::stable_sort(m_pieces, {}, &Piece::from);
    std::ranges::stable_sort(m_coverage.stretches, {}, &Coverage::Stretch::from);
    ServerTime until = m_from;
    const Piece* latest = nullptr; // of those before, the one that reaches furthest
    const auto gapUntil = [&](ServerTime end) -> Result<void> {
        end = std::min(end, m_to);
        if (end <= until)
            return {};
        Gap gap{until, end};
        if (!latest)
            explainBeginning(m_polls.empty() ? nullptr : &m_polls.front(), gap);
        else if (auto explained = explainEnd(m_reader, latest->last, gap); !explained)
            return explained;
        m_coverage.gaps.append(gap);
        return {};
    };
    for (const Piece& piece : m_pieces) {
        if (auto told = gapUntil(piece.from); !told)
            return told;
        const ServerTime from = std::clamp(piece.from, until, m_to);
        const ServerTime to = std::clamp(piece.to, from, m_to);
        m_coverage.recorded += to - from;
        until = std::max(until, to);
        if (!latest || piece.to >= latest->to)
            latest = &piece;
    }
    return gapUntil(m_to);
}

void CoverageMaker::tellPauses()
{
    if (m_pauses.empty())
        return;
    const auto middle = m_pauses.begin() + static_cast<std::ptrdiff_t>((m_pauses.size() - 1) / 2);
    std::ranges::nth_element(m_pauses, middle);
    m_coverage.usualPause = *middle;
    m_coverage.longestPause = std::ranges::max(m_pauses);
}

QString inWords(microseconds length)
{
    return length < std::chrono::seconds(1) ? shortDuration(length.count())
                                            : durationInWords(std::chrono::round<milliseconds>(length));
}

} // namespace

QString gapReasonName(Reason reason)
{
    return wordsOf(reason).name.toString();
}

QString Gap::why() const
{
    const QString text = detail.isEmpty() ? wordsOf(reason).words.toString() : detail;
    return text.endsWith(u'.') ? text.chopped(1) : text;
}

QString Gap::toString() const
{
    const QString reasonText = why().isEmpty() ? QString() : u": "_s + why();
    if (!to.isValid())
        return u"Nothing is recorded after %1%2."_s.arg(clockText(from), reasonText);
    if (!from.isValid())
        return u"Nothing is recorded before %1%2."_s.arg(clockText(to), reasonText);
    return u"Not recorded from %1 to %2%3."_s.arg(clockText(from), clockText(to), reasonText);
}

QString Coverage::toString() const
{
    if (polls == 0)
        return u"Nothing is recorded of this time%1."_s.arg(
            gaps.isEmpty() || gaps.front().why().isEmpty() ? QString() : u": "_s + gaps.front().why());
    if (gaps.isEmpty())
        return u"Fully recorded."_s;
    const auto percent = length.count() > 0 ? 100 * recorded.count() / length.count() : 100;
    const Gap& longest =
        *std::ranges::max_element(gaps, {}, [](const Gap& each) { return each.to - each.from; });
    const QString size = inWords(longest.to - longest.from);
    const QString why = longest.why().isEmpty() ? QString() : u" (%1)"_s.arg(longest.why());
    const QString which = gaps.size() == 1
        ? u"1 gap of %1%2"_s.arg(size, why)
        : u"%1 gaps, the longest of %2%3"_s.arg(QString::number(gaps.size()), size, why);
    return u"Recorded: %1 of %2 (%3 %); %4."_s.arg(
        inWords(recorded), inWords(length), QString::number(percent), which);
}

Result<Coverage> coverageOf(RecordingReader& reader, ServerTime from, ServerTime to)
{
    return CoverageMaker(reader, from, to).make();
}

Result<std::optional<Gap>> gapAt(RecordingReader& reader, ServerTime at)
{
    std::optional<Poll> before;
    std::optional<Poll> after;
    const auto read = reader.polls(at, at, [&](const Poll& poll) {
        if (poll.taken <= at
            && (!before || std::tie(poll.taken, poll.number) > std::tie(before->taken, before->number)))
            before = poll;
        else if (poll.taken > at)
            after = poll;
    });
    if (!read)
        return Failure(read.error());
    if (before && after && after->number < before->number)
        after.reset(); // a clock that was ahead then
    if (!before && !after)
        return std::optional<Gap>();
    Gap gap{before ? before->taken : ServerTime(), after ? after->taken : ServerTime()};
    if (!before) {
        explainBeginning(&*after, gap);
        return std::optional(gap);
    }
    if (before->taken == at || (after && follows(*before, *after) && !after->isLate(*before)))
        return std::optional<Gap>();
    if (const auto explained = explainEnd(reader, before->number, gap); !explained)
        return Failure(explained.error());
    return std::optional(gap);
}

} // namespace lockscope::record
