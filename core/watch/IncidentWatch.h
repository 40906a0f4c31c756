// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/watch/IncidentKeeper.h"
#include "core/watch/NoticeSender.h"
#include "core/watch/SeenServers.h"
#include "core/watch/ServerWatch.h"

#include <QDeadlineTimer>
#include <QTimer>

namespace lockscope::watch {

/// Finds the incidents of the servers that are watched, keeps them in the store and sends their notices: one
/// for a program, beside the watches of its servers. Rules, store and channels are used on other threads;
/// this object belongs to the main thread, and nothing here waits.
class IncidentWatch : public QObject {
    Q_OBJECT

public:
    explicit IncidentWatch(IncidentOptions options = {}, QObject* parent = nullptr);
    ~IncidentWatch() override;

    /// Begins with a server. It ends by itself when `watch` is destroyed.
    void add(ServerWatch* watch);
    /// Ends the incidents of a server that nobody is to watch any more, and takes no more of what `watch`
    /// sees. `why`: a sentence.
    void end(const ServerWatch* watch, const QString& why);
    /// Returns why incidents can't be kept at present: the store, else the rules file.
    std::optional<Error> error() const;
    /// Returns, of all servers, the rules that are met but not yet for long enough, the next to fire first.
    QList<alert::PendingAlert> pending() const;
    /// Waits until what was seen is kept, and until each channel has sent what waits or has failed.
    bool waitUntilSent(milliseconds atMost);

Q_SIGNALS:
    /// This program has noted a change that somebody should learn of.
    void notified(const QList<lockscope::alert::Notice>& notices);
    void errorChanged();
    void pendingChanged();
    /// A channel did not deliver.
    void failed(const QString& channel, const lockscope::Error& error);

private:
    class Observer;
    void take(const IncidentKeeper::Outcome& outcome);
    const SeenTogether& together();

    const IncidentOptions m_options;
    std::unique_ptr<NoticeSender> m_sender;
    std::vector<alert::ChannelSettings> m_channels;
    std::optional<Error> m_storeError;
    std::optional<Error> m_rulesError;
    QList<Observer*> m_observers;
    SeenTogether m_together; ///< its servers are those of the observers, in that order
    QDeadlineTimer m_togetherIsFresh;
};

} // namespace lockscope::watch
