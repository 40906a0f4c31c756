// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Coverage.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/ServerTime.h"
#include "core/record/RecordingReader.h"
#include "core/record/Store.h"

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
static_assert(reasons.size() == enumeratorCount<Reason>);

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

/// Returns why nothing is recorded behind that poll.
Result<QString> endOf(RecordingReader& reader, qint64 number, Gap& gap)
{
    LOCKSCOPE_TRY_GET(const auto after, reader.whatFollows(number));
    if (after.number > number + 1)
        gap.reason = Reason::Pruned;
    else if (after.isSameSegment)
        gap.reason = Reason::SlowServer;
    else if (after.number != 0 || !after.endReason.isEmpty())
        explain(gap, after.endReason);
    return gap.reason == Reason::Pruned ? gapReasonName(gap.reason) : after.endReason;
}

Result<void> explainEnd(RecordingReader& reader, qint64 number, Gap& gap)
{
    return ifDone(endOf(reader, number, gap));
}

/// Explains the time before the first poll: it was pruned, unless that poll has the first number.
void explainBeginning(qint64 first, Gap& gap)
{
    gap.reason = first > 1 ? Reason::Pruned : Reason::NotRecorded;
}

using Piece = RecordingReader::Piece;

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
        LOCKSCOPE_TRY(
            m_reader.pieces(m_from, m_to, [this](const Piece& piece) { m_pieces.push_back(piece); }));
        LOCKSCOPE_TRY(joinRanges());
        addPolls();
        return ifDone(addGaps(), m_coverage);
    }

private:
    Result<void> joinRanges();
    Result<void> endRange(const Poll& last);
    Result<void> addGaps();
    void addPolls();

    RecordingReader& m_reader;
    const ServerTime m_from;
    const ServerTime m_to;
    Coverage m_coverage;
    std::vector<Piece> m_pieces; // by number, then by time
};

/// Joins the pieces into which a slow server cuts a range.
Result<void> CoverageMaker::joinRanges()
{
    const Poll* before = nullptr;
    for (const Piece& piece : m_pieces) {
        const bool goesOn =
            before && before->number + 1 == piece.first.number && before->segment == piece.segment;
        if (!goesOn) {
            LOCKSCOPE_TRY(before ? endRange(*before) : Result<void>());
            m_coverage.intactParts.append(
                {.from = piece.first.taken, .to = piece.last.taken, .segment = piece.segment});
        }
        Coverage::IntactPart& part = m_coverage.intactParts.back();
        part.to = std::max(part.to, piece.last.taken);
        before = &piece.last;
    }
    return before ? endRange(*before) : Result<void>();
}

/// Ends a range at `last`. A poll beyond the range only shows that the time between is recorded.
Result<void> CoverageMaker::endRange(const Poll& last)
{
    Coverage::IntactPart& part = m_coverage.intactParts.back();
    if (part.to < m_from || part.from > m_to) {
        m_coverage.intactParts.removeLast();
        return {};
    }
    if (part.to <= m_to) {
        Gap unused;
        LOCKSCOPE_TRY_GET(part.endReason, endOf(m_reader, last.number, unused));
    }
    part.from = std::max(part.from, m_from);
    part.to = std::min(part.to, m_to);
    return {};
}

/// Goes by the server's clock, which may have been set back: a time is recorded that any piece has.
Result<void> CoverageMaker::addGaps()
{
    const auto beginning = [](const Piece& piece) { return piece.first.taken; };
    std::ranges::stable_sort(m_pieces, {}, beginning);
    std::ranges::stable_sort(m_coverage.intactParts, {}, &Coverage::IntactPart::from);
    ServerTime until = m_from;
    const Piece* latest = nullptr; // of those before, the one that reaches furthest
    const auto gapUntil = [&](ServerTime end) -> Result<void> {
        end = std::min(end, m_to);
        if (end <= until)
            return {};
        Gap gap{.from = until, .to = end};
        if (latest) {
            LOCKSCOPE_TRY(explainEnd(m_reader, latest->last.number, gap));
        } else {
            LOCKSCOPE_TRY_GET(const auto first, m_reader.firstFrame());
            explainBeginning(first, gap);
        }
        m_coverage.gaps.append(gap);
        return {};
    };
    for (const Piece& piece : m_pieces) {
        LOCKSCOPE_TRY(gapUntil(piece.first.taken));
        const ServerTime from = std::clamp(piece.first.taken, until, m_to);
        const ServerTime to = std::clamp(piece.last.taken, from, m_to);
        m_coverage.recorded += to - from;
        until = std::max(until, to);
        if (!latest || piece.last.taken >= latest->last.taken)
            latest = &piece;
    }
    return gapUntil(m_to);
}

/// Within a piece polls are as far apart as they were meant to be, so that its mean will do.
void CoverageMaker::addPolls()
{
    std::vector<std::pair<microseconds, qint64>> pauses; // with how many there are
    qint64 all = 0;
    for (const Piece& piece : m_pieces) {
        if (piece.firstInside.number == 0 || piece.lastInside.number == 0)
            continue;
        const qint64 count = piece.lastInside.number - piece.firstInside.number;
        m_coverage.polls += count + 1;
        if (count > 0)
            pauses.emplace_back((piece.lastInside.taken - piece.firstInside.taken) / count, count);
        all += count;
    }
    std::ranges::sort(pauses);
    qint64 shorter = 0;
    for (const auto& [pause, count] : pauses) {
        if (shorter * 2 < all)
            m_coverage.usualPause = pause;
        shorter += count;
    }
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
    const QString size = lengthInWords(longest.to - longest.from);
    const QString why = longest.why().isEmpty() ? QString() : u" (%1)"_s.arg(longest.why());
    const QString which = gaps.size() == 1
        ? u"1 gap of %1%2"_s.arg(size, why)
        : u"%1 gaps, the longest of %2%3"_s.arg(QString::number(gaps.size()), size, why);
    return u"Recorded: %1 of %2 (%3 %); %4."_s.arg(
        lengthInWords(recorded), lengthInWords(length), QString::number(percent), which);
}

Result<Coverage> coverageOf(RecordingReader& reader, ServerTime from, ServerTime to)
{
    return CoverageMaker(reader, from, to).make();
}

Result<std::optional<Gap>> gapAt(RecordingReader& reader, ServerTime at)
{
    std::optional<Poll> before;
    std::optional<Poll> after;
    LOCKSCOPE_TRY(reader.polls(at, at, [&](const Poll& poll) {
        if (poll.taken <= at
            && (!before || std::tie(poll.taken, poll.number) > std::tie(before->taken, before->number)))
            before = poll;
        else if (poll.taken > at)
            after = poll;
    }));
    if (before && after && after->number < before->number)
        after.reset(); // a clock that was ahead then
    if (!before && !after)
        return std::optional<Gap>();
    Gap gap{.from = before ? before->taken : ServerTime(), .to = after ? after->taken : ServerTime()};
    if (!before) {
        explainBeginning(after->number, gap);
        return std::optional(gap);
    }
    const bool follows = after && after->number == before->number + 1 && after->segment == before->segment;
    if (before->taken == at || (follows && !after->isLate(*before)))
        return std::optional<Gap>();
    LOCKSCOPE_TRY(explainEnd(reader, before->number, gap));
    return std::optional(gap);
}

} // namespace lockscope::record
