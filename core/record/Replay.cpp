// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Replay.h"

#include "core/record/Damage.h"
#include "core/record/FrameCodec.h"
#include "core/record/Store.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxBytesAtOnce = 32 * 1024 * 1024; // packed, in memory
constexpr qint64 pageSize = 10'000; // places that are read at once

} // namespace

Result<SnapshotPtr> Replay::at(ServerTime at)
{
    qint64 number = 0;
    qint64 keyFrame = 0;
    const auto note = [&](const Store::Row& row) {
        number = row.number(0);
        keyFrame = row.number(1);
    };
    auto read = m_store.run("recording/recording/frame_at", {at.us}, note);
    if (read && number == 0)
        read = m_store.run("recording/recording/first_frame", {}, note);
    if (!read)
        return Failure(read.error());
    if (number == 0)
        return failure(ErrorKind::MissingObject, u"The recording has no snapshot yet."_s);
    return frame(number, keyFrame);
}

Result<SnapshotPtr> Replay::frame(qint64 number, qint64 keyFrame)
{
    auto frame = decoded(number, keyFrame);
    if (!frame && isDamage(frame.error()))
        m_store.noteDamage(frame.error());
    return frame;
}

Result<SnapshotPtr> Replay::decoded(qint64 number, qint64 keyFrame)
{
    if (keyFrame < 1 || keyFrame > number || number - keyFrame >= maxFrames)
        return damaged(u"A snapshot of the recording has no beginning: it is damaged."_s);
    const bool goesOn = m_last && m_lastNumber >= keyFrame && m_lastNumber <= number;
    static const auto nothing = std::make_shared<const Snapshot>();
    SnapshotPtr snapshot = goesOn ? m_last : nothing;
    qint64 reached = goesOn ? m_lastNumber : keyFrame - 1;
    while (reached < number) {
        std::vector<QByteArray> frames;
        LOCKSCOPE_TRY(readFrames(reached + 1, number, frames));
        if (frames.empty())
            break;
        for (const QByteArray& frame : frames) {
            const auto inner = unsealed(frame, reached + 1, keyFrame);
            const auto bytes = inner ? unpacked(*inner) : Failure(inner.error());
            const auto next = bytes ? decodeFrame(*snapshot, *bytes, m_texts) : Failure(bytes.error());
            if (const auto unread = m_texts.takeError(); !next && unread)
                return Failure(*unread);
            if (!next)
                return damaged(next.error().what);
            snapshot = *next;
            ++reached;
        }
    }
    if (reached != number)
        return damaged(u"A snapshot of the recording is missing: it is damaged."_s);
    m_last = snapshot;
    m_lastNumber = number;
    return snapshot;
}

/// Reads the frames that follow each other from `first` on, as many as memory should have at once.
Result<void> Replay::readFrames(qint64 first, qint64 last, std::vector<QByteArray>& frames)
{
    qsizetype bytes = 0;
    return m_store.run("recording/recording/frames", {first, last}, [&](const Store::Row& row) {
        if (row.number(0) != first + static_cast<qint64>(frames.size()))
            return false;
        frames.push_back(row.bytes(1));
        bytes += frames.back().size();
        return bytes < maxBytesAtOnce;
    });
}

Result<void> Replay::each(qint64 after, const std::function<bool(const Place&)>& onPlace)
{
    std::vector<Place> places;
    do {
        places.clear();
        const auto read =
            m_store.run("recording/recording/places", {after, pageSize}, [&places](const Store::Row& row) {
                places.push_back({.number = row.number(0),
                    .keyFrame = row.number(1),
                    .taken = {row.number(2)},
                    .noted = {row.number(3)},
                    .segment = row.number(4),
                    .interval = milliseconds(row.number(5))});
            });
        if (!read)
            return read;
        for (const Place& place : places) {
            if (!onPlace(place))
                return {};
            after = place.number;
        }
    } while (!places.empty());
    return {};
}

} // namespace lockscope::record
