// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Keychain.h"

#include "core/db/Secrets.h"
#include "core/domain/ServerTime.h"

#include <QEventLoop>
#include <QFileInfo>
#include <QThread>

#include <memory>
#include <mutex>
#include <qt6keychain/keychain.h>

namespace lockscope::db {

namespace {

/// A wallet may ask the user to unlock it, and users are slow.
constexpr milliseconds userLimit{60'000};

struct Answer {
    std::mutex mutex;
    QKeychain::Error code = QKeychain::NoBackendAvailable; // under mutex
    QString text; // under mutex: the password read, or what went wrong
};

/// Without a session bus QtKeychain's backends would try to launch one, slowly and with complaints on stderr.
bool mayHaveKeychain()
{
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")
        || QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
#else
    return true;
#endif
}

void run(QKeychain::Job& job, const QString& key)
{
    QEventLoop loop;
    QObject::connect(&job, &QKeychain::Job::finished, &loop, &QEventLoop::quit);
    job.setAutoDelete(false);
    job.setKey(key);
    job.start();
    loop.exec();
}

/// Runs `work` on a thread of its own, because a job needs an event loop and our caller may have none.
template <class Work> QKeychain::Error onWorker(const std::shared_ptr<Answer>& answer, Work work)
{
    if (!mayHaveKeychain())
        return QKeychain::NoBackendAvailable;
    QThread* worker = QThread::create(std::move(work));
    worker->start();
    // The thread of a keychain that never answers is left behind: a job under way can't be taken back.
    if (!worker->wait(QDeadlineTimer(userLimit)))
        return QKeychain::OtherError;
    delete worker;
    const std::lock_guard guard(answer->mutex);
    return answer->code;
}

} // namespace

std::optional<QString> readKeychain(const QString& key)
{
    auto answer = std::make_shared<Answer>();
    const QKeychain::Error code = onWorker(answer, [answer, key] {
        QKeychain::ReadPasswordJob job(QStringLiteral("lockscope"));
        run(job, key);
        const std::lock_guard guard(answer->mutex);
        answer->code = job.error();
        answer->text = job.textData();
    });
    if (code != QKeychain::NoError)
        return std::nullopt;
    const std::lock_guard guard(answer->mutex);
    return answer->text;
}

Result<void> writeKeychain(const QString& key, const QString& password)
{
    auto answer = std::make_shared<Answer>();
    const QKeychain::Error code = onWorker(answer, [answer, key, password] {
        QKeychain::WritePasswordJob store(QStringLiteral("lockscope"));
        QKeychain::DeletePasswordJob forget(QStringLiteral("lockscope"));
        store.setTextData(password);
        QKeychain::Job& job = password.isEmpty() ? static_cast<QKeychain::Job&>(forget) : store;
        run(job, key);
        const std::lock_guard guard(answer->mutex);
        answer->code = job.error();
        answer->text = job.errorString();
    });
    const bool alreadyForgotten = password.isEmpty() && code == QKeychain::EntryNotFound;
    if (code == QKeychain::NoError || alreadyForgotten)
        return {};
    Failure failed =
        failure(ErrorKind::Permission, QStringLiteral("Can't store the password in the keychain."),
            QStringLiteral(
                "Start or unlock a keychain (GNOME Keyring, KWallet), or set LOCKSCOPE_PASSWORD instead."));
    const std::lock_guard guard(answer->mutex);
    failed.value().detail = scrubbed(answer->text, password);
    return failed;
}

} // namespace lockscope::db
