// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ChannelTester.h"

#include "core/alert/channels/Secret.h"
#include "core/base/Sentences.h"
#include "core/watch/IncidentStore.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void ChannelTester::send(const alert::ChannelSettings& settings, const QString& secret)
{
    if (m_isSending)
        return;
    m_isSending = true;
    Q_EMIT started();
    m_worker.ask(
        this,
        [settings, secret](const std::stop_token& stop) -> Result<alert::ChannelTest> {
            if (!secret.isEmpty())
                if (const auto written = alert::writeSecret(settings.secret, secret); !written)
                    return Failure(written.error());
            return alert::testChannel(settings, watch::ownAccountText(), stop);
        },
        [this](const Result<alert::ChannelTest>& sent) {
            m_isSending = false;
            Q_EMIT finished(sent.has_value(),
                sent ? sent->toString()
                     : sentences({u"It has not arrived, and is not sent again"_s, sent.error().toString()}));
        });
}

void ChannelTester::writeSecret(
    const QString& reference, const QString& secret, const std::function<void(const Result<void>&)>& show)
{
    m_worker.ask(
        this, [reference, secret](const std::stop_token&) { return alert::writeSecret(reference, secret); },
        show);
}

} // namespace lockscope::ui
