// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/AlertEngine.h"
#include "core/alert/rules/RuleFile.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/record/Recording.h"
#include "core/watch/IncidentStore.h"

namespace lockscope::watch {

using record::causeDatabase;
using record::causeServer;

/// The places of the files that incidents need.
struct IncidentOptions {
    QString store; ///< empty: the account's own
    QString rules; ///< empty: the account's own
    QString recording = {}; ///< of the server, whose deadlock families are known; empty: none
};

/// Applies the account's rules to what is seen of one server, and keeps the incidents in the store, with the
/// notices to be sent of them. Mutes and maintenance windows keep notices back, not incidents. Blocks on the
/// disk; one thread.
class IncidentKeeper {
public:
    /// `server`: causeServer(); `database`: of the connection, empty: not known; `address`: of the profile,
    /// for commands in notices.
    IncidentKeeper(QString server, QString database, QString address, IncidentOptions options)
        : m_server(std::move(server))
        , m_database(std::move(database))
        , m_address(std::move(address))
        , m_options(std::move(options))
        , m_rules(m_options.rules)
    {
    }

    struct Outcome {
        QList<alert::Notice> notices; ///< that this program made
        QList<alert::PendingAlert> pending; ///< rules that are met, but not yet for long enough
        std::vector<alert::ChannelSettings> channels; ///< as the rules file names them now
        std::optional<Error> rulesError; ///< of the rules file: the rules before it apply
        std::optional<Error> storeError; ///< what was seen is not kept
        bool isQueued = false; ///< notices wait for a sender
    };
    /// Takes the next observation. `reports` are deadlocks that the server has recorded since the last one;
    /// those from before `since` only make their families known. Nothing: none could be read.
    Outcome take(alert::Observation observation,
        const std::optional<QList<deadlock::ReportPtr>>& reports = {}, ServerTime since = {});

    /// Ends the incidents that this watch keeps: nobody watches from now on. If another database of the
    /// server `isWatched`, those of the whole server go on. `why`: a sentence.
    Outcome end(const QString& why, bool isWatched);
    /// Takes over the incidents of the whole server, which another watch kept that has ended: they end as
    /// soon as they are not seen here.
    void takeOver();

private:
    struct Kept {
        qint64 id = 0; ///< 0: the watch of another database keeps it
        alert::Incident last; ///< as it was written
        ServerTime written{}; ///< this machine's clock
        ServerTime gone{}; ///< since then another program has ended it; by this machine's clock
    };
    void prepare(Outcome& outcome);
    Result<void> adopt();
    void addDeadlocks(
        alert::Observation& observation, const QList<deadlock::ReportPtr>& reports, ServerTime since);
    void learnFamilies(ServerTime until);
    QString whyNew(const QString& family, ServerTime at, ServerTime since);
    void addOwn(alert::Observation& observation);
    std::optional<std::vector<alert::MeasuredElsewhere>> measureOwn(ServerTime now);
    Result<void> keep(const alert::IncidentChange& change, Outcome& outcome);
    Result<void> fire(alert::Incident incident, Outcome& outcome);
    Result<void> change(alert::Incident incident, Outcome& outcome);
    Result<void> resolve(alert::Incident incident, Outcome& outcome);
    QString mutedBy(const alert::Incident& incident);
    Result<void> endVoidMutes(const alert::Incident& incident);
    alert::Notice noticeOf(alert::Notice::Kind kind, const alert::Incident& incident) const;
    /// Returns it for each channel that takes it and is not among `notified`.
    QList<QueuedNotice> queued(const alert::Notice& notice, const QStringList& notified = {}) const;
    Result<bool> isKeptElsewhere(const alert::Incident& incident);
    static void note(const QList<QueuedNotice>& notices, alert::Incident& incident);

    const QString m_server;
    const QString m_database;
    const QString m_address;
    const IncidentOptions m_options;
    std::unique_ptr<IncidentStore> m_store;
    std::optional<alert::AlertEngine> m_engine;
    alert::RuleFollower m_rules;
    QList<alert::Mute> m_mutes;
    std::map<QString, Kept> m_kept; ///< by fingerprint
    QList<alert::Incident> m_unresolved; ///< that are over, which could not be written
    deadlock::KnownDeadlocks m_deadlocks;
    bool m_hasLearned = false; ///< the recording's families
    ServerTime m_ownMeasured; ///< this machine's clock
    std::optional<std::vector<alert::MeasuredElsewhere>> m_own; ///< then; nothing: it could not be
    ServerTime m_pruned;
};

} // namespace lockscope::watch
