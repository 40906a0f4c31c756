// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Pruning.h"

#include "core/record/Changes.h"

#include <QList>

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

/// All there are, in the order in which they were written.
Result<std::vector<Pruning::Group>> Pruning::groups()
{
    std::vector<Group> groups;
    const auto read =
        m_database.run("recording/recording/key_frames", {}, [&groups](const Database::Row& row) {
            groups.push_back({row.number(0), {row.number(1)}, {row.number(2)}});
            return true;
        });
    if (!read)
        return Failure(read.error());
    return groups;
}

Result<void> Pruning::run(const Retention& retention, ServerTime taken, ServerTime noted, bool leftovers)
{
    if (auto dropped = dropUntil(taken - retention.age, noted - retention.age); !dropped)
        return Failure(dropped.error());
    // Too much: a twentieth of the key frames after the other, in the order in which they were written:
    // clocks may have been anywhere. What is pinned stays, but may not keep all else away: the oldest pins go
    // before the younger half of what there is does.
    const auto groups = this->groups();
    if (!groups)
        return Failure(groups.error());
    const ServerTime last = groups->empty() ? taken : std::max(taken, groups->back().from);
    constexpr size_t parts = 20;
    for (size_t part = 1; part < parts && !groups->empty(); ++part) {
        const auto at = [&groups](size_t which) { return (*groups)[groups->size() * which / parts]; };
        if (part == parts / 2) {
            if (auto released = releasePins(retention.bytes, at(part).from, last); !released)
                return released;
        }
        const auto used = usedBytes();
        if (!used)
            return Failure(used.error());
        if (*used <= retention.bytes)
            break;
        if (const auto dropped = dropBefore(at(part).first); !dropped)
            return Failure(dropped.error());
    }
    if (auto released = releasePins(retention.bytes, last, last); !released)
        return released;
    return leftovers ? dropLeftovers() : Result<void>();
}

Result<qint64> Pruning::usedBytes()
{
    qint64 used = 0;
    Steps steps(m_database);
    if (!steps.number("recording/recording/used_bytes", used).result())
        return Failure(steps.result().error());
    return used;
}

/// Lets go of pins, the oldest first, with what only they kept, until no more than that is left. None that
/// ends after `before`.
Result<void> Pruning::releasePins(qint64 bytes, ServerTime before, ServerTime now)
{
    QList<Pin> pins;
    const auto read =
        m_database.run("recording/recording/pins_before", {before.us}, [&pins](const Database::Row& row) {
            pins.append({{row.number(0)}, {row.number(1)}, row.text(2), row.number(3)});
            return true;
        });
    if (!read)
        return read;
    for (const Pin& pin : pins) {
        const auto used = usedBytes();
        if (!used)
            return Failure(used.error());
        if (*used <= bytes)
            break;
        const QString what = u"A pin of %1 is let go, because more is recorded than is kept: %2"_s.arg(
            pin.from.toIsoString(), pin.why);
        auto released = inTransaction(m_database, [&] {
            return Steps(m_database)
                .run("recording/recording/drop_pin", {pin.number})
                .run("recording/recording/add_event",
                    {now.us, now.us, eventKindName(Event::Kind::Note), what, u""_s, Value()})
                .result();
        });
        if (!released)
            return released;
        const auto dropped = dropUntil(pin.to, {std::numeric_limits<qint64>::max()});
        if (!dropped)
            return Failure(dropped.error());
    }
    return {};
}

Result<void> Pruning::dropLeftovers()
{
    m_numbers.dropped(0); // what it remembers of resources and parties
    return inTransaction(m_database, [this] {
        return Steps(m_database)
            .run("recording/recording/drop_resources")
            .run("recording/recording/drop_parties")
            .result();
    });
}

Result<qint64> Pruning::dropUntil(ServerTime before, ServerTime notedBefore)
{
    return drop(before, [&](const Group& next) { return next.from <= before && next.noted <= notedBefore; });
}

Result<qint64> Pruning::dropBefore(qint64 keyFrame)
{
    return drop({std::numeric_limits<qint64>::max()},
        [keyFrame](const Group& next) { return next.first <= keyFrame; });
}

/// Drops the key frames with all that follows them whose next one `isOld`; gives how many. Of intervals and
/// events what ended before all that is kept, and before `before`.
Result<qint64> Pruning::drop(ServerTime before, const std::function<bool(const Group&)>& isOld)
{
    const auto groups = this->groups();
    if (!groups)
        return Failure(groups.error());
    qint64 dropped = 0;
    qint64 oldest = groups->empty() ? 0 : groups->back().first;
    ServerTime young = groups->empty() ? before : groups->back().from; // from then on all is kept
    const auto result = inTransaction(m_database, [&]() -> Result<void> {
        for (size_t i = 0; i + 1 < groups->size(); ++i) {
            const Group& group = (*groups)[i];
            const Group& next = (*groups)[i + 1];
            bool pinned = !isOld(next);
            if (pinned)
                young = std::min(young, group.from);
            else {
                const auto asked = m_database.run("recording/recording/is_pinned",
                    {group.from.us, next.from.us}, [&pinned](const Database::Row&) {
                        pinned = true;
                        return false;
                    });
                if (!asked)
                    return asked;
            }
            if (pinned) {
                oldest = std::min(oldest, group.first);
                continue;
            }
            if (auto gone = m_database.run("recording/recording/drop_frames", {group.first, next.first - 1});
                !gone)
                return gone;
            ++dropped;
        }
        if (dropped == 0)
            return {};
        const qint64 until = std::min(before, young).us;
        return Steps(m_database)
            .run("recording/recording/drop_packed", {until})
            .run("recording/recording/drop_blocks")
            .run("recording/recording/drop_recent", {until})
            .run("recording/recording/drop_events", {until})
            .run("recording/recording/drop_texts", {oldest})
            .run("recording/recording/drop_segments", {until})
            .result();
    });
    if (!result)
        return Failure(result.error());
    if (dropped > 0)
        m_numbers.dropped(oldest);
    return dropped;
}

} // namespace lockscope::record
