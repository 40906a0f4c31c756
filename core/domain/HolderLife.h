// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Session.h"

#include <QList>
#include <QRegularExpression>
#include <QString>

#include <optional>
#include <span>
#include <vector>

namespace lockscope {

struct LockTableEntry;
struct Snapshot;

/// One text for each machine: "::ffff:10.0.0.5" is "10.0.0.5", "fe80::1%eth0" is "fe80::1", "Web-3" is
/// "web-3".
QString plainAddress(const QString& address);
/// Returns whether each machine calls itself so: "localhost", "127.0.0.2", "<local machine>". An address is
/// to be plain.
bool isOwnName(const QString& plain);

/// The parts of the text in which a row names its holder.
struct HolderParts {
    QString host; ///< a name
    QString address;
    QString owner;
    QString program;
    qint64 processId = 0; ///< 0: unknown
    SessionId session{}; ///< of the server; invalid: unknown
    std::optional<ServerTime> since;

    bool operator==(const HolderParts&) const = default;
};

/// FrameworkRow::holderPattern, compiled once. One thread.
class HolderPattern {
public:
    /// Without a pattern, or with one that is none, nothing can be taken apart.
    explicit HolderPattern(const QString& pattern = {});
    HolderParts partsOf(const QString& text) const;

private:
    QRegularExpression m_whole;
    bool m_isUsable = false;
};

/// The machine that a holder runs on, as its row names it: by name, by address or by both.
class HolderPlace {
public:
    enum class Match : quint8 {
        Other, ///< the session comes from another machine
        Unclear, ///< from this one perhaps: a name can't be compared with an address, machines have several
        Same,
    };

    explicit HolderPlace(const HolderParts& holder);
    bool isKnown() const { return !m_host.isEmpty() || !m_address.isEmpty(); }
    QString name() const { return m_host.isEmpty() ? m_address : m_host; }
    /// Compares by name and by address, as far as both sides have them: where one agrees and the other
    /// doesn't, it is Unclear.
    Match compare(const Session& session) const;

private:
    QString m_host;
    QString m_address;
};

/// A time as far as it is known: not before `earliest` and not after `latest`.
struct PossibleTime {
    ServerTime earliest;
    ServerTime latest;

    bool operator==(const PossibleTime&) const = default;
};

/// The time for which a living holder may give no sign of life.
struct SilenceLimit {
    std::optional<milliseconds> byDefault{}; ///< as the framework does unless its program says otherwise
    std::optional<milliseconds> configured{}; ///< set by the user for this server
    std::optional<milliseconds> givenInterval{}; ///< between two signs; set by the user for this server
    std::optional<milliseconds> seenInterval{}; ///< between two signs, as they were seen here

    /// Returns nothing where nobody knows. What was seen only makes the default longer.
    std::optional<milliseconds> value() const;
    bool operator==(const SilenceLimit&) const = default;
};

/// A session that was tied to the row in an earlier snapshot of this connection, and has ended since.
struct EndedHolder {
    SessionId id;
    QString user;
    QString program;
    ServerTime lastSeen;
    /// The first poll that showed neither it nor another session that may be of its program; all polls since
    /// then, without a gap, showed the same.
    ServerTime missedSince{};
    bool wasAtWork = false; ///< when last seen, it was in a transaction or ran a statement
    bool isByMachine = false; ///< only that it came from the holder's machine tied it to the row
    bool isFollowed = false; ///< a session that may be of its program was seen that began later

    bool operator==(const EndedHolder&) const = default;
};

/// All parts of a row that are about its holder's life.
struct HolderSigns {
    bool namesHolder = false; ///< the table has a column for the holder
    QString holderText; ///< its text; a null string for NULL
    HolderParts holder;
    std::optional<PossibleTime> taken{}; ///< when the lock was taken
    std::optional<ServerTime> heartbeat;
    SilenceLimit silence{};
    std::optional<ServerTime> expires;
    std::optional<milliseconds> lockAtMostFor{}; ///< as set for this server
    bool keepsSession = false; ///< FrameworkRow::keepsSession
    /// The name of the table that lists processes, where there is one; then the row's process (a null string
    /// for none), and whether it is in that table.
    QString processTable;
    QString process;
    bool isListed = false;
    bool areOthersListed = false; ///< so that the list was not simply emptied
    /// Sentences: how its times are to be read, as long as nobody knows their zone …
    QStringList readings{};
    bool dependsOnZone = false; ///< … and by some of them it is not held any more
    std::vector<EndedHolder> ended{};
    /// Advisory keys of which the holder's session has one as long as it works, and the session that has it.
    QList<qint64> keys{};
    std::optional<SessionId> keyHolder{};
};

/// The part of the server's sessions that a snapshot shows.
enum class SessionsSeen : quint8 {
    None,
    Some,
    All,
    OfCopy, ///< the database is a copy: the holder's sessions are at the original
};

struct HolderJudgement {
    HolderLife life;
    std::vector<const Session*> tied{}; ///< the sessions by which the holder works
    bool isByMachine = false; ///< EndedHolder::isByMachine, of all of them
    bool isAnyLeft = false; ///< a session may be of the program whose session ended (HolderSigns::ended)
    bool isFollowed = false; ///< EndedHolder::isFollowed
};

/// A pooler closes a session that has just become idle, and opens the next one when its client asks for
/// something. So the end of a session proves something only after polls over so long without another one.
inline constexpr std::chrono::seconds endIsProofAfter{15};

/// The one place where it is judged whether the holder of a row works. Sessions go before signs of life, and
/// both prove only what they can:
/// - A session is the holder's if it has the advisory key that goes with the row, or if the row names it, or
///   the machine and process that it comes from. It began before the lock was taken, or before the holder's
///   last sign of life: a later one may be that of the program started again.
/// - Where the holder has a session as long as it has the lock, the machine is enough if all sessions that
///   come from it have one user and program, began before the lock was taken, and none of them ended at work.
/// - Gone is only whose session ended while it was watched and was at work when last seen, of a program that
///   has shown no other one for endIsProofAfter. That no session is seen proves nothing: poolers, restarts,
///   hosts with two names.
/// - A process that is silent, or was struck off a list for that, may be at work.
/// `now` is the server's clock.
HolderJudgement judgeHolder(
    const HolderSigns& signs, std::span<const Session> sessions, SessionsSeen seen, ServerTime now);

/// Judges a lock that belongs to a session: the server frees it with that session. `session` is null where it
/// can't be seen, or where a prepared transaction holds it.
HolderLife lifeOfSession(SessionId id, const Session* session);

/// Judges the holder of a row of Lockscope's own lock table by the session that wrote it and by its lease.
/// `session` has the number that the row names; null if none has. The end of a session proves nothing here:
/// the row outlives it. A lease that has expired is silence, and no proof either.
HolderLife lifeOfWriter(
    const LockTableEntry& entry, const Session* session, SessionsSeen seen, ServerTime now);

/// Returns the verdict that the snapshot has on the same row, for rows that were read by themselves.
HolderLife lifeIn(const Snapshot& snapshot, const LockTableEntry& entry);

/// "silent": as window, text and JSON call it.
QString verdictName(HolderLife::Verdict verdict);
/// Returns what is concluded of the holder, what that rests on and what would overturn it, with their labels;
/// for dialogs and details.
QList<std::pair<QString, QString>> verdictLines(const HolderLife& life);
/// "silent: No sign of life for 34 min. …"
QString verdictText(const HolderLife& life);
/// The first sentence of it without its particulars, for a cell.
QString verdictInBrief(const HolderLife& life);
/// Returns the risk of freeing a lock whose holder was not proven to be gone; empty if it was.
QString riskOfFreeing(const HolderLife& life);
/// The same of a row of our own or an attached lock table, whose holder may be told from the next one by its
/// fencing number.
QString riskOfReleasing(const HolderLife& life);

} // namespace lockscope
