// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/NoticeSender.h"

#include "core/base/Backoff.h"
#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/SleepFor.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QSysInfo>

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::Channel;
using alert::ChannelSettings;

/// One channel: its thread, with a connection to the store of its own.
class NoticeSender::Lane {
public:
    Lane(ChannelSettings settings, const NoticeSenderOptions& options, NoticeSender& sender)
        : m_settings(std::move(settings))
        , m_options(options)
        , m_sender(&sender)
        , m_backoff(options.firstPause, options.longestPause)
    {
    }
    void run(const std::stop_token& stop);
    void wake()
    {
        const MutexLock lock(m_mutex);
        m_isWoken = true;
        m_rests = false;
        m_changed.notifyAll();
    }
    bool waitUntilItRests(milliseconds atMost)
    {
        const MutexLock lock(m_mutex);
        return m_changed.waitFor(m_mutex, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_rests; });
    }

private:
    /// True: there may be more to send at once.
    bool sendNext(const std::stop_token& stop);
    Result<void> send(
        Channel* channel, const QList<QueuedNotice>& message, const std::stop_token& stop) const;
    Result<int> waiting();
    bool isGivenUp(const QueuedNotice& first) const;
    Result<void> note(const QList<QueuedNotice>& message, const Result<void>& sent, milliseconds retryAfter);
    void rest(const std::stop_token& stop, milliseconds atMost);
    void tell(const Result<void>& result) const;

    const ChannelSettings m_settings;
    const NoticeSenderOptions m_options;
    const QPointer<NoticeSender> m_sender;
    const QString m_name =
        u"%1:%2"_s.arg(QSysInfo::machineHostName()).arg(QCoreApplication::applicationPid());
    // The lane's thread only.
    std::unique_ptr<IncidentStore> m_store;
    Backoff m_backoff;
    std::optional<qint64> m_idleVersion; ///< of the store when nothing waited
    int m_singles = 0; ///< so many are sent one by one: together they were refused

    Mutex m_mutex;
    ConditionVariable m_changed;
    bool m_isWoken LOCKSCOPE_GUARDED_BY(m_mutex) = false;
    bool m_rests LOCKSCOPE_GUARDED_BY(m_mutex) = false;
};

void NoticeSender::Lane::run(const std::stop_token& stop)
{
    Backoff opening(milliseconds(1'000), milliseconds(60'000));
    while (!stop.stop_requested()) {
        if (m_store && !m_store->hasMoved()) {
            if (!sendNext(stop))
                rest(stop, m_options.pollInterval);
        } else if (auto opened = IncidentStore::open(m_options.path)) {
            m_store = std::move(*opened);
            m_idleVersion.reset();
            opening.reset();
        } else {
            tell(Failure(opened.error()));
            rest(stop, opening.next());
        }
    }
    m_store.reset();
}

bool NoticeSender::Lane::sendNext(const std::stop_token& stop)
{
    const Result<qint64> version = m_store->version();
    if (version && m_idleVersion == *version)
        return false;
    const Result<int> count = waiting();
    if (!version || !count) {
        tell(Failure(version ? count.error() : version.error()));
        return false;
    }
    if (*count == 0) {
        m_idleVersion = *version;
        return false;
    }
    // Made for each message: what its settings lack may be mended meanwhile.
    const auto channel = Channel::make(m_settings, m_options.channels);
    const ServerTime now = ownClock();
    const auto message = m_store->take(m_settings.name, m_name, now, now + m_options.claim,
        channel && m_singles == 0 ? static_cast<int>((*channel)->messageSize(*count)) : 1);
    if (!message)
        tell(Failure(message.error()));
    if (!message || message->isEmpty()) // it is not time yet, or another program sends
        return false;
    Result<void> sent =
        channel ? send(channel->get(), *message, stop) : Result<void>(Failure(channel.error()));
    if (!channel)
        sent.error().kind = ErrorKind::Login; // the channel is at fault, and not the notice
    else if (!sent && sent.error().kind == ErrorKind::Server && isGivenUp(message->first()))
        sent.error().kind = ErrorKind::BadInput; // others that its receiver would take wait behind it
    const milliseconds retryAfter = channel ? (*channel)->retryAfter() : milliseconds(0);
    Result<void> noted = note(*message, sent, retryAfter);
    while (!noted && sleepFor(m_options.pollInterval, stop)) {
        tell(noted);
        noted = note(*message, sent, retryAfter);
    }
    m_singles = std::max(0, m_singles - 1);
    if (!sent && sent.error().kind == ErrorKind::BadInput && message->size() > 1) {
        m_singles = static_cast<int>(message->size());
        return true;
    }
    const bool isOver = sent || sent.error().kind == ErrorKind::BadInput;
    if (isOver || sent.error().kind != ErrorKind::Cancelled)
        tell(sent);
    return isOver;
}

Result<void> NoticeSender::Lane::send(
    Channel* channel, const QList<QueuedNotice>& message, const std::stop_token& stop) const
{
    std::vector<alert::Notice> notices;
    for (const QueuedNotice& each : message)
        notices.push_back(each.notice);
    return channel->send(notices, stop);
}

Result<int> NoticeSender::Lane::waiting()
{
    const auto states = m_store->queue();
    if (!states)
        return Failure(states.error());
    const auto own = std::find_if(states->begin(), states->end(),
        [this](const IncidentStore::QueueState& each) { return each.channel == m_settings.name; });
    return own == states->end() ? 0 : own->waiting;
}

bool NoticeSender::Lane::isGivenUp(const QueuedNotice& first) const
{
    return first.refusedSince.isValid() && first.attempts + 1 >= m_options.maxRefusals
        && ownClock() - first.refusedSince >= m_options.refusedFor;
}

Result<void> NoticeSender::Lane::note(
    const QList<QueuedNotice>& message, const Result<void>& sent, milliseconds retryAfter)
{
    if (sent) {
        m_backoff.reset();
        return m_store->sent(message);
    }
    const Error& error = sent.error();
    if (error.kind == ErrorKind::Cancelled)
        return m_store->release(message.first().number);
    const int attempts = message.first().attempts + 1;
    if (error.kind == ErrorKind::BadInput && message.size() > 1)
        return m_store->split(message.first().number); // the others are not at fault
    if (error.kind == ErrorKind::BadInput) {
        m_backoff.reset();
        const QString tries = attempts > 1 ? u" It was tried %1 times."_s.arg(attempts) : QString();
        return m_store->refused(message,
            sentences({u"%1 does not take this notice.%2"_s.arg(m_settings.name, tries), error.toString()}),
            error.toString());
    }
    return m_store->failed(message.first().number, ownClock() + std::max(retryAfter, m_backoff.next()),
        error.toString(), error.kind == ErrorKind::Server);
}

void NoticeSender::Lane::rest(const std::stop_token& stop, milliseconds atMost)
{
    const MutexLock lock(m_mutex);
    m_rests = !m_isWoken;
    m_changed.notifyAll();
    m_changed.waitFor(m_mutex, stop, atMost, [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_isWoken; });
    m_isWoken = false;
}

void NoticeSender::Lane::tell(const Result<void>& result) const
{
    postTo(m_sender, [name = m_settings.name, result](NoticeSender& sender) {
        if (result)
            Q_EMIT sender.delivered(name);
        else
            Q_EMIT sender.failed(name, result.error());
    });
}

NoticeSender::NoticeSender(
    const std::vector<ChannelSettings>& channels, NoticeSenderOptions options, QObject* parent)
    : QObject(parent)
    , m_options(std::move(options))
{
    setChannels(channels);
}

NoticeSender::~NoticeSender() = default;

void NoticeSender::setChannels(const std::vector<ChannelSettings>& channels)
{
    std::erase_if(m_lanes, [&](const Running& each) {
        return std::find(channels.begin(), channels.end(), each.settings) == channels.end();
    });
    for (const ChannelSettings& settings : channels) {
        if (std::any_of(m_lanes.begin(), m_lanes.end(),
                [&](const Running& each) { return each.settings == settings; }))
            continue;
        auto lane = std::make_shared<Lane>(settings, m_options, *this);
        m_lanes.push_back(
            {settings, lane, BackgroundThread([lane](const std::stop_token& stop) { lane->run(stop); })});
    }
}

void NoticeSender::wake()
{
    for (const Running& each : m_lanes)
        each.lane->wake();
}

bool NoticeSender::waitUntilSent(milliseconds atMost)
{
    wake();
    const QDeadlineTimer deadline(atMost);
    return std::all_of(m_lanes.begin(), m_lanes.end(), [&](const Running& each) {
        return each.lane->waitUntilItRests(milliseconds(deadline.remainingTime()));
    });
}

} // namespace lockscope::watch
