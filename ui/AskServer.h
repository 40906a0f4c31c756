// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/PostToThread.h"
#include "core/db/Connection.h"
#include "ui/ServerReach.h"

#include <QCoreApplication>
#include <QPointer>

namespace lockscope::ui {

/// `question` on a connection and a thread of its own, which end with the thread that is returned; the answer
/// on ours, unless `asker` has gone by then.
template <class Answer>
BackgroundThread askServer(const ServerReach& reach, const QPointer<QObject>& asker,
    milliseconds statementTimeout,
    std::function<Result<Answer>(db::Connection&, const std::stop_token&)> question,
    std::function<void(const Result<Answer>&)> show)
{
    return BackgroundThread([=](const std::stop_token& stop) {
        db::ConnectOptions options;
        options.purpose = db::Purpose::Monitor;
        options.statementTimeout = statementTimeout;
        auto connection = reach.resolve().and_then(
            [&](const db::ServerUrl& url) { return db::Connection::open(url, reach.passwords, options); });
        Result<Answer> answer =
            connection ? question(**connection, stop) : Result<Answer>(Failure(connection.error()));
        postTo(QCoreApplication::instance(), [asker, show, answer = std::move(answer)] {
            if (asker)
                show(answer);
        });
    });
}

} // namespace lockscope::ui
