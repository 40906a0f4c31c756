// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/SessionProtocol.h"

#include <QProcess>

namespace lockscope::scenario {

/// A process of lockscope-session, seen from the program that started it. It ends with this object, and
/// with this program. Bound to a thread with an event loop.
class SessionProcess : public QObject {
public:
    /// Everything that it tells, in its order. Not called any more after the end.
    using NewsHandler = std::function<void(const SessionNews& news)>;
    /// Called once, when there is no process any more. An error: it did not tell before that it would end.
    /// May not destroy the object yet: deleteLater().
    using EndHandler = std::function<void(const std::optional<Error>& error)>;

    SessionProcess(QString program, NewsHandler onNews, EndHandler onEnd);
    ~SessionProcess() override;

    /// Does not wait. The password goes through the pipe; the command line has the session's name only.
    void start(const SessionTask& task);
    void tell(const SessionOrder& order);
    /// At once. What it has not told yet is lost; that is no error.
    void kill();

private:
    void read();
    void noteEnd();
    void end(const std::optional<Error>& error);
    Error unexpectedEnd() const;

    const QString m_program;
    const NewsHandler m_onNews;
    EndHandler m_onEnd;
    QProcess m_process;
    FrameReader m_frames;
    QString m_session;
    bool m_isConnected = false;
    bool m_hasToldEnd = false;
    bool m_isKilled = false; ///< by us
    std::optional<Error> m_nonsense;
};

} // namespace lockscope::scenario
