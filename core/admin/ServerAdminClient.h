// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/Worker.h"
#include "core/db/LiveConnection.h"

namespace lockscope::admin {

/// ServerAdmin on a thread and a connection of its own, for windows: each call returns at once, the answer
/// arrives as a callback, or never if `context` is gone by then; requests that a destroyed client has not
/// answered stay unanswered. Requests of one client run in order. Re-connects by itself; after a refused
/// login only when a person asks. Of the main thread.
class ServerAdminClient {
public:
    explicit ServerAdminClient(db::Server server)
        : m_connection(std::make_shared<db::LiveConnection>(
            std::move(server), db::ConnectOptions{.purpose = db::Purpose::Admin}))
        , m_worker([connection = m_connection] { connection->close(); })
    {
    }
    /// Returns at once; a request under way is cancelled.
    ~ServerAdminClient() = default;
    Q_DISABLE_COPY_MOVE(ServerAdminClient)

    /// `request(ServerAdmin&)` gives a Result, on the other thread, and must own what it touches:
    ///
    ///   client.ask(this, [shown, reason](ServerAdmin& admin) { return admin.releaseEntry(shown, reason); },
    ///       [this](const Result<Done>& done) { … });
    template <class Request, class Reply> void ask(QObject* context, Request request, Reply reply)
    {
        put(context, std::move(request), std::move(reply), &db::LiveConnection::tryNow);
    }
    /// Does the same where no person asks, but a window by itself: after a refused login there is no further
    /// try.
    template <class Request, class Reply> void askUnattended(QObject* context, Request request, Reply reply)
    {
        put(context, std::move(request), std::move(reply), &db::LiveConnection::ensureOpen);
    }

private:
    using Open = Result<bool> (db::LiveConnection::*)();

    template <class Request, class Reply> void put(QObject* context, Request request, Reply reply, Open open)
    {
        m_worker.ask(
            context,
            [connection = m_connection, request = std::move(request), open](
                const std::stop_token& stop) { return answer(*connection, request, open, stop); },
            std::move(reply));
    }
    template <class Request>
    static std::invoke_result_t<Request, ServerAdmin&> answer(
        db::LiveConnection& connection, const Request& request, Open open, const std::stop_token& stop)
    {
        const std::stop_callback cancelling(stop, [&connection] { connection.cancel(); });
        LOCKSCOPE_TRY((connection.*open)());
        ServerAdmin admin(*connection, connection.server().profile);
        auto answered = request(admin);
        if (!answered && answered.error().server.isEmpty())
            answered.error().server = admin.server();
        return answered;
    }

    std::shared_ptr<db::LiveConnection> m_connection; ///< the worker's
    Worker m_worker;
};

} // namespace lockscope::admin
