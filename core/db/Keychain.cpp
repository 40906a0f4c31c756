// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Keychain.h"

#include "core/db/BusProbe.h"
#include "core/db/Secrets.h"
#include "core/domain/ServerTime.h"

#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QThread>
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
#include <QDBusConnection>
#include <QDBusError>
#include <QDBusMessage>
#endif

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

/// Who does not answer a simple question within this time hangs.
constexpr milliseconds patience{500};

enum class Presence { Absent, Hanging, Usable };

#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)

QByteArray busAddress()
{
    if (qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return qgetenv("DBUS_SESSION_BUS_ADDRESS");
    const QString socket = qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus");
    return QFileInfo::exists(socket) ? "unix:path=" + QFile::encodeName(socket) : QByteArray();
}

/// Does a keychain that runs answer? One that does not run yet is started by its first job.
bool servicesAnswer(const QDBusConnection& bus)
{
    const auto ask = [&bus](const QString& service, const QString& path, const QString& interface,
                         const QString& method, const QVariantList& arguments) {
        QDBusMessage question = QDBusMessage::createMethodCall(service, path, interface, method);
        question.setArguments(arguments);
        return bus.call(question, QDBus::Block, static_cast<int>(patience.count()) / 2);
    };
    const QString busName = QStringLiteral("org.freedesktop.DBus");
    for (const auto& service : {QStringLiteral("org.freedesktop.secrets"),
             QStringLiteral("org.kde.kwalletd6"), QStringLiteral("org.kde.kwalletd5")}) {
        const QDBusMessage owner =
            ask(busName, QStringLiteral("/"), busName, QStringLiteral("NameHasOwner"), {service});
        if (!owner.arguments().value(0).toBool())
            continue;
        const QDBusMessage answer = ask(service, QStringLiteral("/"),
            QStringLiteral("org.freedesktop.DBus.Peer"), QStringLiteral("Ping"), {});
        // Any answer will do, a refusal too.
        const bool none =
            answer.type() == QDBusMessage::ErrorMessage && QDBusError(answer).type() == QDBusError::NoReply;
        return !none;
    }
    return true;
}

/// Without a session bus QtKeychain's backends would try to launch one, slowly and with complaints on stderr.
Presence presence()
{
    const QByteArray address = busAddress();
    if (address.isEmpty())
        return Presence::Absent;
    switch (probeBus(address, patience)) {
    case BusState::Missing:
        return Presence::Absent;
    case BusState::Silent:
        return Presence::Hanging;
    case BusState::Answers:
    case BusState::Unknown:
        break;
    }
    return servicesAnswer(QDBusConnection::sessionBus()) ? Presence::Usable : Presence::Hanging;
}

#else

Presence presence()
{
    return Presence::Usable;
}

#endif

Failure hanging()
{
    return failure(ErrorKind::Timeout, QStringLiteral("The desktop keychain does not answer."),
        QStringLiteral("Restart the keychain or the desktop session, or set LOCKSCOPE_PASSWORD (to nothing "
                       "where no password is needed)."));
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

Result<std::optional<QString>> readKeychain(const QString& key)
{
    const Presence keychain = presence();
    if (keychain == Presence::Hanging)
        return hanging();
    if (keychain == Presence::Absent)
        return std::nullopt;
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
    return std::optional(answer->text);
}

Result<void> writeKeychain(const QString& key, const QString& password)
{
    const Presence keychain = presence();
    if (keychain == Presence::Hanging)
        return hanging();
    auto answer = std::make_shared<Answer>();
    const auto store = [answer, key, password] {
        QKeychain::WritePasswordJob write(QStringLiteral("lockscope"));
        QKeychain::DeletePasswordJob forget(QStringLiteral("lockscope"));
        write.setTextData(password);
        QKeychain::Job& job = password.isEmpty() ? static_cast<QKeychain::Job&>(forget) : write;
        run(job, key);
        const std::lock_guard guard(answer->mutex);
        answer->code = job.error();
        answer->text = job.errorString();
    };
    const QKeychain::Error code =
        keychain == Presence::Absent ? QKeychain::NoBackendAvailable : onWorker(answer, store);
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
