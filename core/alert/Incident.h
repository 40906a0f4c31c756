// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Id.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>
#include <span>

namespace lockscope::alert {

/// Why something is wrong, so that the same cause is one incident however often it comes and whatever number
/// its session has. Empty parts are not known or do not matter.
struct Cause {
    QString kind; ///< "chain", or the key of a condition that has no head blocker
    QString server; ///< host and port, or as shown
    QString database{};
    QString user{}; ///< of the head blocker, as are the next two
    QString program{};
    QString host{};
    QString resource{}; ///< table, lock or entry; of a deadlock its family
    /// A short text that is equal for equal causes.
    QString fingerprint() const;
    bool isSameHead(const Cause& other) const; ///< equal but for the resource
    bool operator==(const Cause&) const = default;
};

/// A cause's resource that is several servers, by their places: "db1:5432, db2:5432"; and back.
QString resourceOf(QStringList servers);
QStringList serversIn(const QString& resource);

/// Returns whether a scope covers a cause, whatever the time. `locks`: the names of all that it is about.
bool covers(const Scope& scope, const Cause& cause, const QStringList& locks);

/// One rule that fires, or did, for an incident.
struct Symptom {
    QString rule;
    Severity severity = Severity::Warning; ///< the worst so far
    bool isFiring = true;
    double value = 0; ///< now, or when last seen
    bool isExact = true; ///< else it is at least that
    ServerTime since; ///< the condition was first met
    QString text; ///< "4 sessions are blocked."

    bool operator==(const Symptom&) const = default;
};

/// The session at the head when it was seen last, as an act needs it.
struct IncidentHead {
    SessionId session; ///< invalid: there is none
    ServerTime started;
    ServerTime transaction; ///< when its transaction began; invalid: not known
    QString title; ///< "51 billing"
    QString doing{}; ///< "idle in transaction for 6 min"
    QString statement{}; ///< may be empty, or redacted by who shows it
    QString remedy{}; ///< what resolves it, in a sentence or two
    QString elsewhere{}; ///< what its client seems to wait for on another server; empty: nothing is seen

    bool operator==(const IncidentHead&) const = default;
};

struct Incident {
    enum class State : quint8 { Firing, Resolved };

    qint64 id = 0; ///< in the store; 0: not stored
    Cause cause;
    State state = State::Firing;
    Severity severity = Severity::Warning; ///< now; of a resolved one when it ended
    Severity worst = Severity::Warning;
    ServerTime since; ///< the condition was first met, by the server's clock
    ServerTime fired; ///< by the server's clock; of an unreachable one this machine's
    ServerTime seen; ///< the last poll that saw it go on
    ServerTime resolved; ///< invalid: it goes on
    ServerTime worstAt; ///< when most waited
    int waiting = 0; ///< sessions behind it at the last poll
    int worstWaiting = 0;
    milliseconds longestWait{0}; ///< the longest so far
    milliseconds waited{0}; ///< by all sessions together so far: at least
    QString title; ///< "25 sessions wait for 990 support-desk, idle in transaction for 4 min."
    QString reason; ///< sentences: why the rules fire
    QStringList chain; ///< lines of the tree at its worst, for people
    IncidentHead head;
    QList<Symptom> symptoms;
    QString clearedBy; ///< a sentence; of a resolved one
    QString mutedBy; ///< why no notice of it is sent at present, in a sentence; empty: nothing keeps it quiet
    bool isReported = false; ///< it was reported, so that its end is reported, too
    QStringList notifiedChannels; ///< names of the channels that notices of it were queued for
    QString acknowledgedBy; ///< empty: by nobody
    QString acknowledgedWhy;

    bool isFiring() const { return state == State::Firing; }
    QStringList rules() const; ///< of the symptoms
    /// Returns when it was resolved, or last seen.
    ServerTime end() const { return resolved.isValid() ? resolved : seen; }
    milliseconds lasted() const; ///< until its end
    bool operator==(const Incident&) const = default;
};

/// As it is stored and sent to programs: resources/alerts/incident.schema.json. Without `id`.
QJsonObject toJson(const Incident& incident, bool withStatements = true);
/// BadInput: it is none.
Result<Incident> incidentFromJson(const QJsonObject& json);
/// Returns the sentences for people, one a line: what, since when, whom it blocks, why, what resolves it.
/// For an incident that is over: what cleared it and how long it lasted.
QStringList linesOf(const Incident& incident, bool withStatements);
/// "lockctl tree --server … --at …", by which to look at its worst second; `server` is the profile's address.
/// Empty: there is no server to look at.
QString inspectCommand(const Incident& incident, const QString& server);

/// Keeps incidents from being reported. They are still found, shown and kept.
struct Mute {
    enum class Of : quint8 { Fingerprint, Family, Rule, Server, Program };
    enum class End : quint8 { At, WhenCleared, Never };

    qint64 id = 0; ///< in the store
    Of of = Of::Fingerprint;
    QString value; ///< the fingerprint, family, rule, server or program
    QString shown; ///< the same for people
    End end = End::At;
    ServerTime until; ///< if it ends at a time; this machine's clock
    std::optional<int> maxWaiting; ///< from more waiting sessions on it is void
    std::optional<milliseconds> maxWait; ///< from a longer wait on it is void
    QString why;
    QString by; ///< account and machine
    ServerTime made; ///< this machine's clock
    ServerTime ended; ///< invalid: it is in force
    QString endedWhy; ///< "its time was over", "1,200 sessions waited, and it was for at most 100", "by ann"

    bool operator==(const Mute&) const = default;
};
QString muteOfName(Mute::Of of); ///< "fingerprint" …

/// Returns the mutes that are possible for an incident: of its cause, its deadlock family, each of its rules,
/// its head's program, its server. The nearest first; they have no end, author or reason yet.
QList<Mute> mutesFor(const Incident& incident);
/// Returns whether the mute is about that incident, whatever the time. One of a rule is about each incident
/// of that rule, but keeps it from being reported only if each rule of it is muted: see muteOf().
bool isAbout(const Mute& mute, const Incident& incident);
/// Returns the mute that keeps it from being reported; null: none. Void ones do not count.
const Mute* muteOf(const QList<Mute>& mutes, const Incident& incident);
/// Returns why the mute is void for this incident: its ceiling is passed. Empty: it holds.
QString voidedBy(const Mute& mute, const Incident& incident);
/// "until tomorrow 08:00", "until it is cleared", "for ever".
QString endText(const Mute& mute);

/// A message about an incident, made once for each change that matters. A value; it is kept in the queue on
/// disk.
struct Notice {
    enum class Kind : quint8 { Fired, Escalated, Resolved, Test };

    QString key{}; ///< equal for the same notice, whenever it is sent: for who receives it twice
    Kind kind = Kind::Fired;
    QString server; ///< the profile's address without secrets, for inspectCommand()
    Incident incident;
    QString text{}; ///< of the rule: Rule::text
    QStringList channels{}; ///< names; empty: all

    bool operator==(const Notice&) const = default;
};
QString noticeKindName(Notice::Kind kind); ///< "fired" …
/// One line: "CRITICAL shop: 25 sessions wait for …", "Resolved shop after 4 min: …"
QString subjectOf(const Notice& notice);
QJsonObject toJson(const Notice& notice, bool withStatements = true);
Result<Notice> noticeFromJson(const QJsonObject& json);

/// A message for people, about one notice or several. Text of others is neutralised (ShownText).
struct NoticeText {
    QString subject;
    QStringList lines;

    /// Returns all of it, cut where it is longer, line by line.
    QString toString(qsizetype maxSize) const;
};
/// For several: counts as the subject, and a line each.
NoticeText noticeText(std::span<const Notice> notices, bool withStatements);
/// Returns the key of a message: of one notice its own, so that a message that is sent twice has the same.
QString messageKey(std::span<const Notice> notices);
/// {"notices": […]}, by resources/alerts/notice.schema.json: each with what a person is to read.
QJsonObject noticeDocument(std::span<const Notice> notices, bool withStatements);
/// `text`, with an ellipsis at its end if it is longer.
QString cutTo(const QString& text, qsizetype maxSize);

} // namespace lockscope::alert
