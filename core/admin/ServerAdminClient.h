// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/base/BackgroundThread.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/credentials/Secrets.h"

#include <QObject>

#include <functional>
#include <memory>

namespace lockscope::admin {

/// ServerAdmin on a thread of its own, for windows: each call returns at once, the answer arrives as a
/// callback on the thread of `context`, or never if `context` is gone by then; what a destroyed client has
/// not answered stays unanswered. Requests of one client run in order. Re-connects by itself. `context` must
/// live on the thread that calls.
class ServerAdminClient : public QObject {
    Q_OBJECT

public:
    /// `resolve` gives the profile to connect to; called on the worker thread (it may start the sandbox).
    using ProfileResolver = std::function<Result<db::ServerProfile>()>;
    ServerAdminClient(ProfileResolver resolve, db::PasswordProvider passwords, QObject* parent = nullptr);
    ~ServerAdminClient() override; ///< returns at once; a request under way is cancelled

    template <class T> using Reply = std::function<void(Result<T>)>;

    void releaseEntry(
        const LockTableEntry& shown, const QString& reason, QObject* context, Reply<Done> reply);
    void previewPurge(QObject* context, Reply<QList<LockTableEntry>> reply);
    void purgeStale(
        const QList<LockTableEntry>& shown, const QString& reason, QObject* context, Reply<Done> reply);
    void cancelSession(const Session& shown, const QString& reason, QObject* context, Reply<Done> reply);
    void endSession(const Session& shown, const QString& reason, QObject* context, Reply<Done> reply);
    void rollbackProgress(const Session& shown, QObject* context, Reply<RollbackProgress> reply);
    void audit(int limit, QObject* context, Reply<QList<AuditRecord>> reply);
    void installSchema(QObject* context, Reply<db::InstallReport> reply);

private:
    struct RequestQueue;
    template <class T>
    void ask(
        QObject* context, Reply<T> reply, std::function<Result<T>(ServerAdmin&, db::Connection&)> question);

    std::shared_ptr<RequestQueue> m_queue;
    BackgroundThread m_thread;
};

} // namespace lockscope::admin
