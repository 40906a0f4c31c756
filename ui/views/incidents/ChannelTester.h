// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/channels/Channel.h"
#include "core/base/Worker.h"

#include <QObject>

namespace lockscope::ui {

/// Sends test messages on a thread of its own, one at a time; and keeps secrets for it. GUI thread.
class ChannelTester : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// `secret`: written to the place that the settings name first; empty: it is there.
    void send(const alert::ChannelSettings& settings, const QString& secret = {});
    /// Gives up the message that is being sent.
    void stop() { m_worker.cancel(); }
    bool isSending() const { return m_isSending; }
    /// `show(Result<void>)` follows.
    void writeSecret(const QString& reference, const QString& secret,
        const std::function<void(const Result<void>&)>& show);

Q_SIGNALS:
    void started();
    /// `text`: what the receiver said, or why it has not arrived.
    void finished(bool hasArrived, const QString& text);

private:
    bool m_isSending = false;
    Worker m_worker;
};

} // namespace lockscope::ui
