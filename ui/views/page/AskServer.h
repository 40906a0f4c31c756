// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"

namespace lockscope::ui {

/// `question(connection, stop)` on a connection of its own of the worker's thread; its Result is given to
/// `show` on ours, unless `asker` has gone by then. What was asked before ends.
template <class Question, class Show>
void askServer(Worker& worker, const db::Server& server, milliseconds statementTimeout, QObject* asker,
    Question question, Show show)
{
    using Answer = std::invoke_result_t<Question, db::Connection&, const std::stop_token&>;
    worker.cancel();
    worker.ask(
        asker,
        [server, statementTimeout, question = std::move(question)](const std::stop_token& stop) -> Answer {
            db::ConnectOptions options;
            options.purpose = db::Purpose::Monitor;
            options.statementTimeout = statementTimeout;
            const auto connection = server.connect(options);
            if (!connection)
                return Failure(connection.error());
            return question(**connection, stop);
        },
        std::move(show));
}

} // namespace lockscope::ui
