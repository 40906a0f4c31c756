// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"
#include "core/record/RecordingCopy.h"

#include <QHash>

namespace lockscope::record {

/// Whether a clock shows such a time.
bool isTold(ServerTime time);

/// Puts frames of a damaged recording into the table of an empty one, ascending, in segments that end
/// wherever some are missing: what is left never looks as if somebody had watched in between. Frames whose
/// key frame, or one between, is missing are left out, and so are those whose numbers and times can't be
/// true. All calls in a transaction of the caller's.
class SalvagedFrames {
public:
    struct Frame {
        qint64 number;
        qint64 segment;
        qint64 keyFrame;
        ServerTime taken;
        ServerTime noted;
        QByteArray data;
    };
    /// `segments`: what the damaged file says of them, by their numbers.
    SalvagedFrames(Database& to, QHash<qint64, Segment> segments);

    Result<void> add(const Frame& frame, bool isBehindDamage);
    /// No more of them; whether some behind the last one could not be read.
    Result<void> end(bool isBehindDamage);
    qint64 count() const { return m_count; }
    const QList<Unread>& unread() const { return m_unread; }

private:
    bool isPossible(const Frame& frame) const;
    /// Why the last segment ends here; nothing: it goes on.
    std::optional<QString> endBefore(const Frame& frame) const;
    Result<void> endSegment(const QString& reason);
    Result<void> beginSegment(const Frame& frame);
    /// What lies between the last frame and `to` could not be read.
    Result<void> tellUnread(ServerTime to);
    const Segment* of(qint64 segment) const;

    Database& m_to;
    QHash<qint64, Segment> m_segments;
    std::optional<Frame> m_last; // without its data
    qint64 m_segment = 0; // in the new file
    qint64 m_count = 0;
    bool m_isBehindDamage = false;
    QList<Unread> m_unread;
};

} // namespace lockscope::record
