// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"

#include "core/base/PostToThread.h"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace lockscope::admin {

namespace {

/// The way back to whoever asked, as long as they live.
template <class T> class ReplyBox {
public:
    static std::shared_ptr<ReplyBox> forContext(QObject* context, std::function<void(Result<T>)> reply)
    {
        auto box = std::make_shared<ReplyBox>();
        box->m_context = context;
        box->m_reply = std::move(reply);
        box->m_watch = QObject::connect(context, &QObject::destroyed, [box] {
            const std::lock_guard lock(box->m_mutex);
            box->m_context = nullptr;
        });
        return box;
    }

    /// Any thread. Holding the mutex keeps the context's destructor waiting until this is posted.
    static void deliver(const std::shared_ptr<ReplyBox>& box, Result<T> answer)
    {
        const std::lock_guard lock(box->m_mutex);
        if (!box->m_context)
            return;
        postTo(box->m_context, [box, answer = std::move(answer)] {
            QObject::disconnect(box->m_watch);
            box->m_reply(answer);
        });
    }

private:
    std::mutex m_mutex;
    QObject* m_context = nullptr; // guarded by m_mutex
    std::function<void(Result<T>)> m_reply; // the context's thread only
    QMetaObject::Connection m_watch; // the context's thread only
};

} // namespace

/// What the client's thread and the worker share.
struct ServerAdminClient::RequestQueue {
    struct Job {
        std::function<void(ServerAdmin&, db::Connection&)> run;
        std::function<void(const Error&)> fail;
    };

    ProfileResolver resolve; ///< worker thread only, as all below but the guarded
    db::PasswordProvider passwords;
    std::unique_ptr<db::Connection> connection; ///< replaced under cancelMutex
    db::ServerProfile profile;

    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<Job> jobs; ///< guarded by mutex

    std::mutex cancelMutex; ///< held while another thread cancels

    void run(const std::stop_token& stop)
    {
        const std::stop_callback cancelling(stop, [this] {
            const std::lock_guard lock(cancelMutex);
            if (connection)
                connection->cancel();
        });
        while (auto job = next(stop)) {
            if (const Result<void> ready = ensureOpen(); !ready) {
                job->fail(ready.error());
                continue;
            }
            ServerAdmin admin(*connection, profile);
            job->run(admin, *connection);
        }
        setConnection({});
    }

    std::optional<Job> next(const std::stop_token& stop)
    {
        std::unique_lock lock(mutex);
        wake.wait(lock, stop, [this] { return !jobs.empty(); });
        if (stop.stop_requested())
            return std::nullopt;
        Job job = std::move(jobs.front());
        jobs.pop_front();
        return job;
    }

    Result<void> ensureOpen()
    {
        if (connection && connection->isOpen())
            return {};
        setConnection({});
        auto resolved = resolve();
        if (!resolved)
            return Failure(resolved.error());
        profile = std::move(*resolved);
        db::ConnectOptions options;
        options.purpose = db::Purpose::Admin;
        auto opened = db::Connection::open(profile.url, passwords, options);
        if (!opened)
            return Failure(opened.error());
        setConnection(std::move(*opened));
        return {};
    }

    void setConnection(std::unique_ptr<db::Connection> other)
    {
        const std::lock_guard lock(cancelMutex);
        connection = std::move(other);
    }
};

ServerAdminClient::ServerAdminClient(ProfileResolver resolve, db::PasswordProvider passwords, QObject* parent)
    : QObject(parent)
    , m_queue(std::make_shared<RequestQueue>())
{
    m_queue->resolve = std::move(resolve);
    m_queue->passwords = std::move(passwords);
    m_thread = BackgroundThread([queue = m_queue](const std::stop_token& stop) { queue->run(stop); });
}

ServerAdminClient::~ServerAdminClient() = default;

template <class T>
void ServerAdminClient::ask(
    QObject* context, Reply<T> reply, std::function<Result<T>(ServerAdmin&, db::Connection&)> question)
{
    const auto box = ReplyBox<T>::forContext(context, std::move(reply));
    const std::lock_guard lock(m_queue->mutex);
    m_queue->jobs.push_back(
        {[box, question = std::move(question)](ServerAdmin& admin, db::Connection& connection) {
             auto answer = question(admin, connection);
             if (!answer && answer.error().server.isEmpty())
                 answer.error().server = admin.server();
             ReplyBox<T>::deliver(box, std::move(answer));
         },
            [box](const Error& error) { ReplyBox<T>::deliver(box, Failure(error)); }});
    m_queue->wake.notify_one();
}

void ServerAdminClient::releaseEntry(
    const LockTableEntry& shown, const QString& reason, QObject* context, Reply<Done> reply)
{
    ask<Done>(context, std::move(reply),
        [shown, reason](ServerAdmin& admin, db::Connection&) { return admin.releaseEntry(shown, reason); });
}

void ServerAdminClient::previewPurge(QObject* context, Reply<QList<LockTableEntry>> reply)
{
    ask<QList<LockTableEntry>>(
        context, std::move(reply), [](ServerAdmin& admin, db::Connection&) { return admin.previewPurge(); });
}

void ServerAdminClient::purgeStale(
    const QList<LockTableEntry>& shown, const QString& reason, QObject* context, Reply<Done> reply)
{
    ask<Done>(context, std::move(reply),
        [shown, reason](ServerAdmin& admin, db::Connection&) { return admin.purgeStale(shown, reason); });
}

void ServerAdminClient::cancelSession(
    const Session& shown, const QString& reason, QObject* context, Reply<Done> reply)
{
    ask<Done>(context, std::move(reply),
        [shown, reason](ServerAdmin& admin, db::Connection&) { return admin.cancelSession(shown, reason); });
}

void ServerAdminClient::endSession(
    const Session& shown, const QString& reason, QObject* context, Reply<Done> reply)
{
    ask<Done>(context, std::move(reply),
        [shown, reason](ServerAdmin& admin, db::Connection&) { return admin.endSession(shown, reason); });
}

void ServerAdminClient::rollbackProgress(
    const Session& shown, QObject* context, Reply<RollbackProgress> reply)
{
    ask<RollbackProgress>(context, std::move(reply),
        [shown](ServerAdmin& admin, db::Connection&) { return admin.rollbackProgress(shown); });
}

void ServerAdminClient::audit(int limit, QObject* context, Reply<QList<AuditRecord>> reply)
{
    ask<QList<AuditRecord>>(context, std::move(reply),
        [limit](ServerAdmin& admin, db::Connection&) { return admin.audit(limit); });
}

void ServerAdminClient::installSchema(QObject* context, Reply<db::InstallReport> reply)
{
    ask<db::InstallReport>(context, std::move(reply),
        [](ServerAdmin& admin, db::Connection& connection) -> Result<db::InstallReport> {
            if (const auto allowed = admin.checkWritable(); !allowed)
                return Failure(allowed.error());
            return db::installSchema(connection);
        });
}

} // namespace lockscope::admin
