// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "core/alert/channels/NoticeText.h"
#include "core/alert/channels/ProgramRun.h"

#include <QJsonDocument>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

class ProgramChannel final : public Channel {
public:
    ProgramChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_timeout(options.programTimeout)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override
    {
        setAnswer(u"%1 ended with exit code 0."_s.arg(settings().command.value(0)));
        const QJsonDocument document(noticeDocument(notices, settings().sendsStatements));
        return runProgram(
            settings().command, document.toJson(QJsonDocument::Compact) + '\n', m_timeout, stop);
    }

private:
    const milliseconds m_timeout;
};

} // namespace

Result<std::unique_ptr<Channel>> programChannel(
    const ChannelSettings& settings, const ChannelOptions& options)
{
    // It may be installed or mended later, but for a path that means nothing.
    if (!settings.command.value(0).startsWith(u'/'))
        return Failure(checkProgram(settings.command.value(0)).error());
    return std::make_unique<ProgramChannel>(settings, options);
}

} // namespace lockscope::alert
