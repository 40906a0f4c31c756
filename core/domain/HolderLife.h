// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Session.h"

#include <QRegularExpression>
#include <QString>

#include <optional>
#include <span>

namespace lockscope {

/// What a row tells of its holder, taken apart.
struct HolderParts {
    QString host; ///< a name
    QString address;
    QString owner;
    QString program;
    qint64 processId = 0; ///< 0: not told
    std::optional<ServerTime> since;

    bool operator==(const HolderParts&) const = default;
};

/// FrameworkRow::holderPattern, compiled once. One thread.
class HolderPattern {
public:
    /// Without a pattern, or with one that is none, nothing can be taken apart.
    explicit HolderPattern(const QString& pattern = {});
    HolderParts partsOf(const QString& told) const;

private:
    QRegularExpression m_whole;
    bool m_isUsable = false;
};

/// Everything by which a row tells of its holder's life.
struct HolderSigns {
    bool namesHolder = false; ///< the table has a column for the holder
    QString told; ///< what stands in it; a null string for NULL
    HolderParts holder;
    std::optional<ServerTime> heartbeat;
    std::optional<milliseconds> deadAfter;
    std::optional<ServerTime> expires;
    bool keepsSession = false; ///< FrameworkRow::keepsSession
    /// Where processes are listed in a table of their own, its name, and of the row's process: which it is, a
    /// null string for none, and whether it is there.
    QString processTable;
    QString process;
    bool isListed = false;
};

/// How many of the server's sessions a snapshot shows.
enum class SessionsSeen : quint8 { None, Some, All };

/// Judges by, in this order: the table of processes, the heartbeat, the sessions of the holder's machine and
/// process, the end of the lease. What can't be known is Unknown with a reason: sessions that are hidden, or
/// known by address only (machines have several), prove
/// nothing; nor does it that there is none where the holder needs none. `now` is the server's clock.
HolderLife holderLife(
    const HolderSigns& signs, std::span<const Session> sessions, SessionsSeen seen, ServerTime now);

} // namespace lockscope
