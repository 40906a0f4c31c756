// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Replay.h"

#include "core/record/FrameCodec.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostFrames = 1'000; // after a key frame; a writer makes one much sooner

} // namespace

Result<SnapshotPtr> Replay::at(ServerTime at)
{
    qint64 number = 0;
    qint64 keyFrame = 0;
    const auto note = [&](const Database::Row& row) {
        number = row.number(0);
        keyFrame = row.number(1);
        return true;
    };
    auto read = m_database.run("recording/recording/frame_at", {at.us}, note);
    if (read && number == 0)
        read = m_database.run("recording/recording/first_frame", {}, note);
    if (!read)
        return Failure(read.error());
    if (number == 0)
        return failure(ErrorKind::MissingObject, u"The recording has no moment yet."_s);
    return frame(number, keyFrame);
}

Result<SnapshotPtr> Replay::frame(qint64 number, qint64 keyFrame)
{
    if (keyFrame < 1 || keyFrame > number || number - keyFrame >= mostFrames)
        return failure(ErrorKind::BadInput, u"A moment of the recording has no beginning: it is damaged."_s,
            u"The moments around it may be whole."_s);
    const bool goesOn = m_last && m_lastNumber >= keyFrame && m_lastNumber <= number;
    static const auto nothing = std::make_shared<const Snapshot>();
    SnapshotPtr snapshot = goesOn ? m_last : nothing;
    qint64 reached = goesOn ? m_lastNumber : keyFrame - 1;
    Result<void> decoded;
    const auto read =
        m_database.run("recording/recording/frames", {reached + 1, number}, [&](const Database::Row& row) {
            if (row.number(0) != reached + 1)
                return false;
            const auto bytes = unpacked(row.bytes(1));
            const auto next = bytes ? decodeFrame(*snapshot, *bytes, m_texts) : Failure(bytes.error());
            if (!next) {
                decoded = Failure(next.error());
                return false;
            }
            snapshot = *next;
            ++reached;
            return true;
        });
    if (!read)
        return Failure(read.error());
    if (!decoded)
        return Failure(decoded.error());
    if (reached != number)
        return failure(ErrorKind::BadInput, u"A moment of the recording is missing: it is damaged."_s,
            u"The moments around it may be whole."_s);
    m_last = snapshot;
    m_lastNumber = number;
    return snapshot;
}

Result<void> Replay::each(const std::function<void(ServerTime at, bool whole)>& told)
{
    struct Place {
        qint64 number;
        qint64 keyFrame;
        ServerTime at;
    };
    std::vector<Place> places;
    const auto read = m_database.run("recording/recording/places", {}, [&places](const Database::Row& row) {
        places.push_back({row.number(0), row.number(1), {row.number(2)}});
        return true;
    });
    if (!read)
        return read;
    for (const Place& place : places)
        told(place.at, frame(place.number, place.keyFrame).has_value());
    return {};
}

} // namespace lockscope::record
