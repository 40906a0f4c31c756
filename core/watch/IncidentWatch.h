// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/channels/Channel.h"
#include "core/base/BackgroundThread.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentStore.h"
#include "core/watch/ObservationParts.h"
#include "core/watch/ServerWatch.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace lockscope::watch {

struct NoticeSenderOptions {
    QString path = {}; ///< of the store; empty: the account's own
    alert::ChannelOptions channels = {};
    milliseconds firstPause{2'000}; ///< after the first failure; it doubles
    milliseconds longestPause{300'000};
    int maxRefusals = 10; ///< so many attempts are made at least, and
    milliseconds refusedFor{3'600'000}; ///< for so long, before one on which its receiver fails is given up
    milliseconds claim{60'000}; ///< longer than any message takes: then another program may send it
    milliseconds pollInterval{1'000}; ///< of the store, for what other programs queue
};

/// Sends the notices that wait in the store, those of each channel in their order on a thread of its own, so
/// that no channel delays another. Several programs may do so at once: each message is sent by one of them.
/// One that fails is tried again, longer and longer after, or when its receiver asks for it; one that its
/// receiver refuses for good, or fails on for too long, is given up, which is a step of its incident. If a
/// program ends between sending and noting that, the message is sent twice with the same key. Belongs to the
/// main thread; nothing but waitUntilSent() waits.
class NoticeSender : public QObject {
    Q_OBJECT

public:
    explicit NoticeSender(const std::vector<alert::ChannelSettings>& channels,
        NoticeSenderOptions options = {}, QObject* parent = nullptr);
    /// Returns at once; what is being sent is given up within 100 ms.
    ~NoticeSender() override;

    /// Begins and ends what has changed. Notices of channels that are no more stay in the store.
    void setChannels(const std::vector<alert::ChannelSettings>& channels);
    void wake(); ///< something was queued
    /// Waits until each of these channels has nothing left or has failed since; false if that takes longer.
    bool waitUntilSent(milliseconds atMost);

Q_SIGNALS:
    void delivered(const QString& channel);
    /// Each attempt that failed, and what was refused (BadInput). Of the store itself: the channel that
    /// noticed it.
    void failed(const QString& channel, const lockscope::Error& error);

private:
    class Lane;
    struct Running {
        alert::ChannelSettings settings;
        std::shared_ptr<Lane> lane;
        BackgroundThread thread;
    };
    const NoticeSenderOptions m_options;
    std::vector<Running> m_lanes;
};

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
    std::optional<Error> error() const { return m_storeError ? m_storeError : m_rulesError; }
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
