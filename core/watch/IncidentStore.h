// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/record/Store.h"

#include <QList>

#include <functional>
#include <memory>
#include <optional>

namespace lockscope::record {
class Database;
}

namespace lockscope::watch {

/// One line of what happened to an incident.
struct IncidentStep {
    ServerTime at; ///< this machine's clock
    QString what; ///< a sentence: "Fired.", "Critical.", "Acknowledged by ann: deploying."
};

/// The incidents that fire, and the latest that are over.
struct ListedIncidents {
    /// Those that fire, the worst and newest first; then those that are over, the latest end first.
    QList<alert::Incident> all;
    qint64 leftOut = 0; ///< that ended before those in `all`
    static constexpr int maxOver = 1'000; ///< of those that are over
};

/// A notice that waits to be sent through one channel.
struct QueuedNotice {
    qint64 number = 0; ///< in the queue: earlier ones are smaller
    QString channel;
    alert::Notice notice;
    int attempts = 0; ///< that failed
    ServerTime nextTry{}; ///< this machine's clock
    QString lastError{}; ///< of the last attempt
    ServerTime refusedSince{}; ///< this machine's clock: its receiver was reached then, and failed on it
};

/// The cure of a deadlock family on one server, as a person has marked it.
struct FamilyCure {
    QString cure; ///< "One order for all"
    QString by; ///< account and machine
    ServerTime at; ///< this machine's clock
};

/// Incidents, mutes and the queue of notices: one SQLite file of this account beside the recordings, shared
/// by the window, lockctl and whatever else watches. A change is one transaction, so that two programs which
/// see the same cause make one incident and one notice of it. Blocks on the disk; one thread.
class IncidentStore {
public:
    /// Empty: the account's own file. Makes it if it is not there.
    static Result<std::unique_ptr<IncidentStore>> open(const QString& path = {});
    /// Opens it to read it, and neither makes nor writes a file: an empty store where there is none.
    static Result<std::unique_ptr<const IncidentStore>> openToRead(const QString& path = {});
    static QString ownPath();
    ~IncidentStore();
    Q_DISABLE_COPY_MOVE(IncidentStore)

    /// The file is not at its place any more: what is written would be lost.
    bool hasMoved() const;

    // Incidents.
    struct Noted {
        qint64 id = 0;
        bool isNew = false; ///< else another program had it already, or this one before it was started again
    };
    /// Notes an incident that fires, with the notices of it to send, each for one channel. If one of that
    /// fingerprint fires already, that is changed instead and no notice is queued.
    Result<Noted> fire(
        const alert::Incident& incident, const QList<QueuedNotice>& notices, const QString& step);
    struct Changed {
        bool isThere = false; ///< else it is over, by another program
        bool isNews = false; ///< nobody had noted this change before
    };
    /// Writes its present state. Steps and notices that another program has made already are left out: of an
    /// escalation, and of channels that were notified.
    Result<Changed> change(
        const alert::Incident& incident, const QList<QueuedNotice>& notices, const QString& step);
    /// Ends it. False: another program has done that already; then nothing is queued.
    Result<bool> resolve(
        const alert::Incident& incident, const QList<QueuedNotice>& notices, const QString& step);
    /// Returns those that fire, the worst and newest first; of one server (Cause::server), or all.
    Result<QList<alert::Incident>> firing(const QString& server = {}) const
    {
        return incidents("incidents/incidents/firing", {server});
    }
    /// Returns those that fire, and those that ended from `from` on, by this machine's clock.
    Result<ListedIncidents> list(ServerTime from) const;
    Result<std::optional<alert::Incident>> incident(qint64 id) const;
    /// Returns resolved ones of the same cause (Cause::isSameHead or its resource), newest first.
    Result<QList<alert::Incident>> similar(const alert::Incident& incident, int maxCount) const;
    /// Returns the number of the newest one; 0: there is none.
    Result<qint64> newest() const { return number("incidents/incidents/newest"); }
    struct Counts {
        QString server; ///< Cause::server
        qint64 added = 0; ///< after that number
        qint64 newest = 0; ///< of those; 0: there is none
        ServerTime newestFired;
        int warning = 0; ///< that fire
        int critical = 0; ///< the same
    };
    /// Counts by server those that came after that number, and those that fire.
    Result<QList<Counts>> counts(qint64 after) const;
    Result<QList<IncidentStep>> steps(qint64 incident) const;
    Result<void> addStep(qint64 incident, const QString& what);
    /// MissingObject: it does not fire.
    Result<void> acknowledge(qint64 incident, const QString& by, const QString& why);

    // Mutes.
    Result<alert::Mute> mute(const alert::Mute& mute); ///< with its number
    /// Ends it. MissingObject: it is not in force.
    Result<void> unmute(qint64 mute, const QString& why);
    /// Returns those in force, and those that ended within the last week, newest first.
    Result<QList<alert::Mute>> mutes(ServerTime now) const;

    // The queue. Full (`maxQueued` of one channel): the oldest that waits is dropped, which is counted.
    /// Takes the first ones of a channel that are due, in their order, for who sends them as one message:
    /// until `until` nobody else gets them, or later ones of that channel. What was one message and may have
    /// arrived is the same one again, however much more waits by now. `by` names the program.
    Result<QList<QueuedNotice>> take(
        const QString& channel, const QString& by, ServerTime now, ServerTime until, int maxCount);
    // Of what was taken: by the number of each, or of the first one of the message.
    Result<void> sent(const QList<QueuedNotice>& message);
    /// `isRefusal`: the receiver was reached, and failed on it.
    Result<void> failed(qint64 first, ServerTime nextTry, const QString& error, bool isRefusal = false);
    /// Will not be sent, ever; that is a step of its incident, and counted.
    Result<void> refused(const QList<QueuedNotice>& message, const QString& step, const QString& why);
    /// The receiver has refused a message of several: each is to be sent by itself.
    Result<void> split(qint64 first) { return endClaim("incidents/incidents/split", first); }
    /// Sending was given up, for no fault of the channel.
    Result<void> release(qint64 first) { return endClaim("incidents/incidents/release", first); }
    struct QueueState {
        QString channel;
        int waiting = 0;
        int dropped = 0; ///< given up, until one is delivered an hour after the last of them
        int attempts = 0; ///< of the first one that waits
        QString lastError;
        ServerTime lastSent; ///< invalid: never
        ServerTime failingSince; ///< invalid: it is not
        ServerTime droppedAt; ///< the last of `dropped`
        QString droppedWhy;
    };
    Result<QList<QueueState>> queue() const;
    static constexpr int maxQueued = 1'000;

    // Deadlock families that are known on a server, so that a new one is news once.
    /// False: it was known.
    Result<bool> noteFamily(const QString& server, const QString& family, ServerTime at);
    /// Takes the cure of a family, which somebody has proven.
    Result<void> markCured(const QString& server, const QString& family, const FamilyCure& cure);
    Result<std::optional<FamilyCure>> cureOf(const QString& server, const QString& family) const;
    /// Notes that a deadlock of a family happened. Returns its cure if it was cured before that and nobody
    /// has noted this deadlock or a later one.
    Result<std::optional<FamilyCure>> noteBack(const QString& server, const QString& family, ServerTime at);

    /// Another number after each change, by any program: for who shows it.
    Result<qint64> version();
    /// Deletes what ended before that.
    Result<void> prune(ServerTime before);

private:
    explicit IncidentStore(std::unique_ptr<record::Database> database);
    /// False: the file at `place` has no tables yet. An error if it is not one of ours.
    Result<bool> isMade(const QString& place) const;
    Result<void> run(const char* name, std::initializer_list<record::Value> values = {},
        const record::Store::Sink& each = {}) const;
    Result<void> inTransaction(const std::function<Result<void>()>& change);
    Result<qint64> number(const char* name, std::initializer_list<record::Value> values = {}) const;
    Result<QList<alert::Incident>> incidents(const char* name, std::initializer_list<record::Value> values,
        const record::Store::Sink& each = {}) const;
    Result<void> enqueue(qint64 incident, const QList<QueuedNotice>& notices);
    Result<void> endClaim(const char* name, qint64 first);
    Result<QString> channelOf(qint64 queued); ///< empty: it is gone

    std::unique_ptr<record::Database> m_database; ///< null: there is no file to read
};

/// "ann on db-admin1": this account, as incidents and mutes name it.
QString ownAccountText();

} // namespace lockscope::watch
