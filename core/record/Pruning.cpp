// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Pruning.h"

#include "core/record/Database.h"
#include "core/record/RecordingFile.h"

#include <QString>

#include <algorithm>
#include <chrono>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds sliceTime{10};
constexpr qint64 idsPerSlice = 2'000; // of texts, resources, parties and measures
constexpr qint64 placesPerSlice = 4'096; // of a block of intervals
constexpr size_t shrinkParts = 20; // a file that is too large goes by twentieths
// A frame may show what was certainly there only until its poll began: LockInterval::to.
constexpr microseconds maxPollTime = std::chrono::seconds(10);
constexpr ServerTime afterAll{std::numeric_limits<qint64>::max()};

} // namespace

void Pruning::begin(const Retention& retention, ServerTime taken, ServerTime noted, bool leftovers)
{
    m_tasks = {dropUntil(taken - retention.age, noted - retention.age),
        [this, bytes = retention.bytes, taken] { return shrink(bytes, taken); }};
    if (leftovers)
        m_tasks.push_back([this] { return planLeftovers(); });
    m_tasks.push_back([this] { return giveBack(); });
}

Result<void> Pruning::goOn()
{
    if (m_tasks.empty())
        return {};
    const Task task = std::move(m_tasks.front());
    m_tasks.pop_front();
    auto done = task();
    if (!done)
        m_tasks.clear();
    return done;
}

void Pruning::doNext(std::initializer_list<Task> tasks)
{
    m_tasks.insert(m_tasks.begin(), tasks);
}

/// All there are, in the order in which they were written.
Result<std::vector<Pruning::Group>> Pruning::groups()
{
    std::vector<Group> groups;
    const auto read =
        m_database.run("recording/recording/key_frames", {}, [&groups](const Database::Row& row) {
            groups.push_back({row.number(0), {row.number(1)}, {row.number(2)}});
        });
    return ifDone(read, std::move(groups));
}

Result<qint64> Pruning::usedBytes()
{
    return m_database.number("recording/recording/used_bytes");
}

/// Reads the ranges that pins keep.
Result<void> Pruning::readPinned()
{
    TimeRanges pins;
    const auto read = m_database.run("recording/recording/pins", {-1}, [&pins](const Database::Row& row) {
        pins.push_back({{row.number(0)}, {row.number(1)}});
    });
    m_pinned = joined(std::move(pins));
    return read;
}

/// The times of old frames that stay, which are more than pins name, into a table of this connection: what
/// was seen in these frames stays with them.
Result<void> Pruning::writeKept(TimeRanges kept)
{
    for (auto& [from, to] : kept)
        from = from - maxPollTime;
    LOCKSCOPE_TRY(m_database.run("recording/recording/make_kept"));
    LOCKSCOPE_TRY(m_database.run("recording/recording/forget_kept"));
    for (const auto& [from, to] : joined(std::move(kept)))
        LOCKSCOPE_TRY(m_database.run("recording/recording/add_kept", {from.us, to.us}));
    return {};
}

Pruning::Task Pruning::dropUntil(ServerTime before, ServerTime notedBefore)
{
    return [this, before, notedBefore] {
        return planDrop(before, [before, notedBefore](const Group& next) {
            return next.from <= before && next.noted <= notedBefore;
        });
    };
}

/// The key frames with all that follows them whose next one `isOld` go. Of intervals and events what ended
/// before all that is kept, and before `before`.
Result<void> Pruning::planDrop(ServerTime before, const IsOld& isOld)
{
    LOCKSCOPE_TRY_GET(const auto groups, this->groups());
    if (groups.empty())
        return {};
    LOCKSCOPE_TRY(readPinned());
    std::vector<Frames> gone;
    TimeRanges kept;
    qint64 oldest = groups.back().first;
    ServerTime young = groups.back().from; // from then on all is kept
    for (size_t i = 0; i + 1 < groups.size(); ++i) {
        const Group& group = groups[i];
        const Group& next = groups[i + 1];
        const bool old = isOld(next);
        if (!old)
            young = std::min(young, group.from);
        const bool isPinned = meets(m_pinned, group.from, next.from);
        if (old && isPinned)
            kept.emplace_back(
                std::min(group.from, next.from), std::max(group.from, next.from - microseconds(1)));
        if (!old || isPinned)
            oldest = std::min(oldest, group.first);
        else
            gone.emplace_back(group.first, next.first - 1);
    }
    if (gone.empty())
        return {};
    LOCKSCOPE_TRY(writeKept(std::move(kept)));
    std::reverse(gone.begin(), gone.end()); // the oldest are taken from the end
    doNext({[this, gone = std::move(gone)] { return dropFrames(gone); },
        [this, until = std::min(before, young - maxPollTime), oldest] { return planRows(until, oldest); }});
    return {};
}

Result<void> Pruning::dropFrames(std::vector<Frames> frames)
{
    auto dropped = inTransaction(m_database, [&]() -> Result<void> {
        const auto began = Clock::now();
        do {
            const auto [first, last] = frames.back();
            frames.pop_back();
            LOCKSCOPE_TRY(m_database.run("recording/recording/drop_frames", {first, last}));
            LOCKSCOPE_TRY(m_database.run("recording/recording/leave_gap", {last + 1}));
        } while (!frames.empty() && Clock::now() - began < sliceTime);
        return {};
    });
    if (dropped && !frames.empty())
        doNext({[this, frames = std::move(frames)] { return dropFrames(frames); }});
    return dropped;
}

/// Plans to drop the rows that only the dropped frames needed: intervals and events that ended before
/// `until`, texts that were used before the key frame `oldestKey`.
Result<void> Pruning::planRows(ServerTime until, qint64 oldestKey)
{
    m_numbers.dropped(oldestKey); // before any text goes: none of them is named again
    const auto run = [this](const char* statement, qint64 value) -> Task {
        return [this, statement, value] { return m_database.run(statement, {value}); };
    };
    std::vector<Task> tasks;
    LOCKSCOPE_TRY(
        m_database.run("recording/recording/blocks_before", {until.us}, [&](const Database::Row& row) {
            for (qint64 place = 0; place < intervalsPerBlock; place += placesPerSlice) {
                const bool isLast = place + placesPerSlice >= intervalsPerBlock;
                tasks.push_back([this, until, block = row.number(0), place,
                                    last = isLast ? afterAll.us : place + placesPerSlice - 1] {
                    return m_database.run("recording/recording/drop_packed", {until.us, block, place, last});
                });
            }
        }));
    tasks.push_back([this] { return m_database.run("recording/recording/drop_blocks"); });
    tasks.push_back(run("recording/recording/drop_recent", until.us));
    tasks.push_back(run("recording/recording/drop_events", until.us));
    tasks.push_back([this, until] { return dropSurroundings(ServerTime{0}, until); });
    tasks.push_back([this, oldestKey] { return dropTexts(0, oldestKey); });
    tasks.push_back(run("recording/recording/drop_segments", until.us));
    m_tasks.insert(m_tasks.begin(), tasks.begin(), tasks.end());
    return {};
}

Result<void> Pruning::dropSurroundings(ServerTime after, ServerTime until)
{
    LOCKSCOPE_TRY_GET(const qint64 next,
        m_database.number("recording/recording/surroundings_slice", {after.us, until.us, idsPerSlice}));
    if (next == 0)
        return {};
    doNext({[this, next, until] { return dropSurroundings(ServerTime{next}, until); }});
    return m_database.run("recording/recording/drop_surroundings", {after.us, next});
}

Result<void> Pruning::dropTexts(qint64 from, qint64 oldestKey)
{
    LOCKSCOPE_TRY_GET(const qint64 next, m_database.number("recording/recording/text_after", {from}));
    if (next == 0)
        return {};
    doNext({[this, next, oldestKey] { return dropTexts(next + idsPerSlice - 1, oldestKey); }});
    return m_database.run("recording/recording/drop_texts", {oldestKey, next, next + idsPerSlice - 1});
}

/// Too much: a twentieth of the key frames after the other, in the order in which they were written: clocks
/// may have been anywhere. What is pinned stays, but may not keep all else away: the oldest pins go before
/// the younger half of what there is does.
Result<void> Pruning::shrink(qint64 bytes, ServerTime taken)
{
    auto groups = this->groups();
    if (!groups)
        return Failure(groups.error());
    const ServerTime last = groups->empty() ? taken : std::max(taken, groups->back().from);
    doNext({[this, groups = std::move(*groups), bytes, last] { return shrinkPart(groups, 1, bytes, last); },
        [this, bytes, last] { return planPins(bytes, last, last); }});
    return {};
}

Result<void> Pruning::shrinkPart(std::vector<Group> groups, size_t part, qint64 bytes, ServerTime last)
{
    LOCKSCOPE_TRY_GET(const auto used, usedBytes());
    if (used <= bytes || groups.empty() || part == shrinkParts)
        return {};
    const Group at = groups[groups.size() * part / shrinkParts];
    const auto drop = [this, first = at.first, bytes]() -> Result<void> {
        const auto left = usedBytes(); // pins that went may have been enough
        if (!left || *left <= bytes)
            return ifDone(left);
        return planDrop(afterAll, [first](const Group& next) { return next.first <= first; });
    };
    doNext({drop, [this, groups = std::move(groups), part, bytes, last] {
                return shrinkPart(groups, part + 1, bytes, last);
            }});
    if (part == shrinkParts / 2)
        doNext({[this, bytes, before = at.from, last] { return planPins(bytes, before, last); }});
    return {};
}

/// Drops pins, the oldest first, with the frames that only they kept, until no more than that is left. None
/// that ends after `before`.
Result<void> Pruning::planPins(qint64 bytes, ServerTime before, ServerTime now)
{
    QList<Pin> pins;
    const auto read =
        m_database.run("recording/recording/pins_before", {before.us}, [&pins](const Database::Row& row) {
            pins.prepend({.from = {row.number(0)},
                .to = {row.number(1)},
                .why = row.text(2),
                .number = row.number(3)});
        });
    if (read)
        doNext({[this, pins, bytes, now] { return releasePins(pins, bytes, now); }});
    return read;
}

Result<void> Pruning::releasePins(QList<Pin> pins, qint64 bytes, ServerTime now)
{
    LOCKSCOPE_TRY_GET(const auto used, usedBytes());
    if (used <= bytes || pins.isEmpty())
        return {};
    const Pin pin = pins.takeLast();
    const QString what = u"A pin of %1 is dropped, because more is recorded than is kept: %2"_s.arg(
        pin.from.toIsoString(), pin.why);
    doNext({dropUntil(pin.to, afterAll),
        [this, pins = std::move(pins), bytes, now] { return releasePins(pins, bytes, now); }});
    return inTransaction(m_database, [&] {
        const auto unpinned = m_database.run("recording/recording/drop_pin", {pin.number});
        return unpinned ? addEvent(m_database, now, now, eventKindName(Event::Kind::Note), what) : unpinned;
    });
}

/// Free pages go back to the disk, but for those that what comes next will soon need.
Result<void> Pruning::giveBack()
{
    LOCKSCOPE_TRY_GET(const qint64 tooMany, m_database.number("recording/recording/free_pages"));
    if (tooMany <= 0)
        return {};
    doNext({[this] { return giveBack(); }});
    return m_database.run("recording/recording/give_back");
}

Result<void> Pruning::planLeftovers()
{
    m_lastBlock = 0;
    for (const char* step :
        {"recording/recording/make_used_resources", "recording/recording/make_used_parties",
            "recording/recording/forget_used_resources", "recording/recording/forget_used_parties"})
        LOCKSCOPE_TRY(m_database.run(step));
    LOCKSCOPE_TRY_GET(const qint64 resource, m_database.number("recording/recording/last_resource"));
    LOCKSCOPE_TRY_GET(const qint64 party, m_database.number("recording/recording/last_party"));
    doNext({[this] { return readUsed(0); },
        [this, until = std::max(resource, party)] { return dropUnused(0, until); }});
    return {};
}

/// Reads the resources and parties that the blocks after this one name.
Result<void> Pruning::readUsed(qint64 after)
{
    LOCKSCOPE_TRY_GET(const qint64 block, m_database.number("recording/recording/block_after", {after}));
    if (block == 0)
        return {};
    m_lastBlock = block;
    doNext({[this, block] { return m_database.run("recording/recording/use_parties", {block}); },
        [this, block] { return readUsed(block); }});
    return m_database.run("recording/recording/use_resources", {block});
}

Result<void> Pruning::dropUnused(qint64 from, qint64 until)
{
    if (from >= until)
        return {};
    LOCKSCOPE_TRY_GET(const qint64 last, m_database.number("recording/recording/last_block"));
    if (last > m_lastBlock) { // intervals were packed since
        doNext({[this] { return readUsed(m_lastBlock); },
            [this, from, until] { return dropUnused(from, until); }});
        return {};
    }
    m_numbers.dropped(0); // what it remembers of resources and parties
    doNext({[this, from, until] { return dropUnused(from + idsPerSlice, until); }});
    return inTransaction(m_database, [&]() -> Result<void> {
        LOCKSCOPE_TRY(m_database.run("recording/recording/drop_resources", {from + 1, from + idsPerSlice}));
        return m_database.run("recording/recording/drop_parties", {from + 1, from + idsPerSlice});
    });
}

} // namespace lockscope::record
