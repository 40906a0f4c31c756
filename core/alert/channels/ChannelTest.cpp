// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/ChannelTest.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"

#include <QSysInfo>
#include <QUuid>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

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
