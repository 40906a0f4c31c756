// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/EventAnswers.h"
#include "tests/support/tds/Picture.h"
#include "tests/support/tds/SessionAnswers.h"

#include <memory>

namespace lockscope::test::tds {

/// Answers the monitor's statements by running them on the rows of a picture. A picture that contradicts the
/// catalogue of the server's views, and a statement that names a column which they don't have, end the
/// program: no test can pass with them.
class MonitorAnswers {
public:
    explicit MonitorAnswers(TdsServer& server);
    ~MonitorAnswers();
    Q_DISABLE_COPY_MOVE(MonitorAnswers)

    /// Sets the picture from the next statement on.
    void show(const Picture& picture);
    /// Returns the event sessions: there are none until this one has some.
    EventAnswers& events() { return m_events; }

private:
    struct State;
    TdsServer& m_server;
    EventAnswers m_events{m_server, EventAnswers::Session::Others};
    std::shared_ptr<State> m_state; ///< server thread only
};

} // namespace lockscope::test::tds
