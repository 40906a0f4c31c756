// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/EventPicture.h"
#include "tests/support/tds/TdsServer.h"

#include <memory>

namespace lockscope::test::tds {

/// Answers what is asked of event sessions by running the statements on the rows of a picture. As with
/// MonitorAnswers, a statement that the catalogue contradicts ends the program.
class EventAnswers {
public:
    enum class Session {
        Own, ///< sessions can be opened, and the clock is the picture's
        Others, ///< that is answered by others already
    };
    explicit EventAnswers(TdsServer& server, Session session = Session::Own);
    ~EventAnswers();
    Q_DISABLE_COPY_MOVE(EventAnswers)

    /// Changes what the server shows, from the next statement on.
    void change(const std::function<void(EventPicture&)>& change);

private:
    struct State;
    TdsServer& m_server;
    std::shared_ptr<State> m_state; ///< server thread only
};

} // namespace lockscope::test::tds
