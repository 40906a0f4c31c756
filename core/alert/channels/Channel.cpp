// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"

#include "core/alert/channels/Secret.h"

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mergedFrom = 5;
constexpr qsizetype maxMerged = 100;

bool hasControl(const QString& text)
{
    return std::any_of(
        text.begin(), text.end(), [](QChar each) { return each < u' ' || each == QChar(0x7f); });
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
    if (std::any_of(texts.begin(), texts.end(), hasControl))
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

} // namespace lockscope::alert
