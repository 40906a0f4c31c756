// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"

#include "core/alert/channels/Secret.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"

#include <QSysInfo>
#include <QUuid>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mergedFrom = 5;
constexpr qsizetype maxMerged = 100;

bool hasControl(const QString& text)
{
    return std::ranges::any_of(text, [](QChar each) { return each < u' ' || each == QChar(0x7f); });
}

Notice testNotice(const QString& channel, const QString& by)
{
    Notice notice;
    notice.key = u"test-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    notice.kind = Notice::Kind::Test;
    Incident& incident = notice.incident;
    incident.cause.kind = u"test"_s;
    incident.cause.server = QSysInfo::machineHostName();
    incident.since = incident.fired = incident.seen = ownClock();
    incident.title = u"This is a test of the channel “%1”. Nothing is wrong."_s.arg(channel);
    incident.reason = u"%1 has asked for it."_s.arg(by);
    return notice;
}

} // namespace

Channel::Channel(ChannelSettings settings)
    : m_settings(std::move(settings))
{
}

Result<std::unique_ptr<Channel>> Channel::make(const ChannelSettings& settings, const ChannelOptions& options)
{
    // A line end in any of them would be a header of somebody else.
    QStringList texts{settings.name, settings.url, settings.secret, settings.user, settings.from};
    texts << settings.to << settings.command;
    if (std::ranges::any_of(texts, hasControl))
        return failure(ErrorKind::BadInput,
            u"A setting of the channel has a line end or another control character in it."_s);
    if (!settings.secret.isEmpty()) {
        if (const Result<void> checked = checkSecretReference(settings.secret); !checked)
            return Failure(checked.error());
    }
    switch (settings.kind) {
    case ChannelSettings::Kind::Webhook:
        return webhookChannel(settings, options);
    case ChannelSettings::Kind::Mail:
        return mailChannel(settings, options);
    case ChannelSettings::Kind::Program:
        return programChannel(settings, options);
    case ChannelSettings::Kind::Journal:
        break;
    }
    return journalChannel(settings, options);
}

qsizetype Channel::messageSize(qsizetype waiting) const
{
    const bool isWebhook = m_settings.kind == ChannelSettings::Kind::Webhook;
    const bool takesOne = m_settings.kind == ChannelSettings::Kind::Journal
        || (isWebhook && m_settings.form == ChannelSettings::Form::PagerDuty);
    const bool takesList = isWebhook && m_settings.form == ChannelSettings::Form::Alertmanager;
    if (takesOne || (!takesList && waiting < mergedFrom))
        return std::min<qsizetype>(waiting, 1);
    return std::min(waiting, maxMerged);
}

QString ChannelTest::toString() const
{
    return sentences({u"It has arrived after %1."_s.arg(shortDuration(took.count() * 1'000)), answer});
}

Result<ChannelTest> testChannel(
    const ChannelSettings& settings, const QString& by, const std::stop_token& stop)
{
    const auto channel = Channel::make(settings);
    if (!channel)
        return Failure(channel.error());
    const Notice notice = testNotice(settings.name, by);
    const auto begin = std::chrono::steady_clock::now();
    if (const Result<void> sent = (*channel)->send({&notice, 1}, stop); !sent)
        return Failure(sent.error());
    return ChannelTest{(*channel)->answer(),
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin)};
}

} // namespace lockscope::alert
