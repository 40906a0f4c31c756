// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Keychain.h"

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"
#include "core/db/credentials/BusProbe.h"
#include "core/db/credentials/Secrets.h"

#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QThread>
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
#include <QDBusConnection>
#include <QDBusError>
#include <QDBusMessage>
#endif

#include <algorithm>
#include <memory>
#include <qt6keychain/keychain.h>

namespace lockscope::db {

namespace {

/// A wallet may ask the user to unlock it, and users are slow.
constexpr milliseconds userLimit{60'000};

/// The result of a job on another thread.
struct JobResult {
    Mutex mutex;
    Keychain::Answer answer LOCKSCOPE_GUARDED_BY(mutex);
};

/// A keychain that does not answer a simple request within this time hangs.
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

/// A keychain that runs must answer; one that does not run yet is started by its first job. Where there is
/// neither, as on a server without a desktop, a job would only fail with a riddle.
Presence presenceOn(const QDBusConnection& bus)
{
    const auto ask = [&bus](const QString& service, const QString& path, const QString& interface,
                         const QString& method, const QVariantList& arguments) {
        QDBusMessage question = QDBusMessage::createMethodCall(service, path, interface, method);
        question.setArguments(arguments);
        return bus.call(question, QDBus::Block, static_cast<int>(patience.count()) / 2);
    };
    const QString busName = QStringLiteral("org.freedesktop.DBus");
    const QStringList keychains{QStringLiteral("org.freedesktop.secrets"),
        QStringLiteral("org.kde.kwalletd6"), QStringLiteral("org.kde.kwalletd5")};
    for (const QString& service : keychains) {
        const QDBusMessage owner =
            ask(busName, QStringLiteral("/"), busName, QStringLiteral("NameHasOwner"), {service});
        if (!owner.arguments().value(0).toBool())
            continue;
        const QDBusMessage answer = ask(service, QStringLiteral("/"),
            QStringLiteral("org.freedesktop.DBus.Peer"), QStringLiteral("Ping"), {});
        // Any answer will do, a refusal too.
        const bool none =
            answer.type() == QDBusMessage::ErrorMessage && QDBusError(answer).type() == QDBusError::NoReply;
        return none ? Presence::Hanging : Presence::Usable;
    }
    const QDBusMessage startable =
        ask(busName, QStringLiteral("/"), busName, QStringLiteral("ListActivatableNames"), {});
    if (startable.type() != QDBusMessage::ReplyMessage)
        return Presence::Usable;
    const QStringList names = startable.arguments().value(0).toStringList();
    const bool any = std::any_of(
        keychains.begin(), keychains.end(), [&names](const QString& name) { return names.contains(name); });
    return any ? Presence::Usable : Presence::Absent;
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
    return presenceOn(QDBusConnection::sessionBus());
}

#else

Presence presence()
{
    return Presence::Usable;
}

#endif

Keychain::Outcome outcomeOf(QKeychain::Error error)
{
    switch (error) {
    case QKeychain::NoError:
        return Keychain::Outcome::Done;
    case QKeychain::EntryNotFound:
        return Keychain::Outcome::NotFound;
    case QKeychain::NoBackendAvailable:
        return Keychain::Outcome::NoBackend;
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return Keychain::Outcome::Denied;
    default:
        return Keychain::Outcome::Failed;
    }
}

class DesktopKeychain : public Keychain {
public:
    Answer read(const QString& key) override
    {
        return onWorker(
            key, [] { return std::make_unique<QKeychain::ReadPasswordJob>(QStringLiteral("lockscope")); });
    }
    Answer write(const QString& key, const QString& password) override
    {
        return onWorker(key, [password] {
            auto job = std::make_unique<QKeychain::WritePasswordJob>(QStringLiteral("lockscope"));
            job->setTextData(password);
            return job;
        });
    }
    Answer remove(const QString& key) override
    {
        return onWorker(
            key, [] { return std::make_unique<QKeychain::DeletePasswordJob>(QStringLiteral("lockscope")); });
    }

private:
    static QString textOf(const QKeychain::Job& job)
    {
        const auto* reading = dynamic_cast<const QKeychain::ReadPasswordJob*>(&job);
        return reading && job.error() == QKeychain::NoError ? reading->textData() : job.errorString();
    }

    /// Runs a job on a thread of its own, because it needs an event loop and our caller may have none.
    template <class MakeJob> Answer onWorker(const QString& key, MakeJob make)
    {
        switch (presence()) {
        case Presence::Absent:
            return {Outcome::NoBackend, {}};
        case Presence::Hanging:
            return {Outcome::NoAnswer, {}};
        case Presence::Usable:
            break;
        }
        auto result = std::make_shared<JobResult>();
        QThread* worker = QThread::create([result, key, make] {
            const auto job = make();
            QEventLoop loop;
            QObject::connect(job.get(), &QKeychain::Job::finished, &loop, &QEventLoop::quit);
            job->setAutoDelete(false);
            job->setKey(key);
            job->start();
            loop.exec();
            const MutexLock guard(result->mutex);
            result->answer = {outcomeOf(job->error()), textOf(*job)};
        });
        worker->start();
        // The thread of a keychain that never answers is left behind: a job under way can't be taken back.
        if (!worker->wait(QDeadlineTimer(userLimit)))
            return {Outcome::NoAnswer, {}};
        delete worker;
        const MutexLock guard(result->mutex);
        return result->answer;
    }
};

Failure hanging()
{
    return failure(ErrorKind::Timeout, QStringLiteral("The desktop keychain does not answer."),
        QStringLiteral(
            "Unlock it, restart it or the desktop session, or set LOCKSCOPE_PASSWORD (to nothing where no password is needed)."));
}

} // namespace

KeychainPtr desktopKeychain()
{
    return std::make_shared<DesktopKeychain>();
}

Result<std::optional<QString>> readKeychain(const QString& key, const KeychainPtr& keychain)
{
    const Keychain::Answer answer = keychain->read(key);
    switch (answer.outcome) {
    case Keychain::Outcome::Done:
        return std::optional(answer.text);
    case Keychain::Outcome::NotFound:
    case Keychain::Outcome::NoBackend:
        return std::nullopt;
    case Keychain::Outcome::NoAnswer:
        return hanging();
    case Keychain::Outcome::Denied:
    case Keychain::Outcome::Failed:
        break;
    }
    Failure failed = failure(ErrorKind::Permission,
        answer.outcome == Keychain::Outcome::Denied
            ? QStringLiteral("The desktop keychain is locked or refuses the password.")
            : QStringLiteral("Can't read the password from the desktop keychain."),
        QStringLiteral(
            "Unlock the keychain and try again, or set LOCKSCOPE_PASSWORD (to nothing where no password is needed)."));
    failed.value().detail = answer.text;
    return failed;
}

Result<void> writeKeychain(const QString& key, const QString& password, const KeychainPtr& keychain)
{
    using Outcome = Keychain::Outcome;
    const bool forget = password.isEmpty();
    const Keychain::Answer answer = forget ? keychain->remove(key) : keychain->write(key, password);
    const bool isGone =
        forget && (answer.outcome == Outcome::NotFound || answer.outcome == Outcome::NoBackend);
    if (answer.outcome == Outcome::Done || isGone)
        return {};
    if (answer.outcome == Outcome::NoAnswer)
        return hanging();
    Failure failed = forget
        ? failure(ErrorKind::Permission, QStringLiteral("Can't remove the password from the keychain."),
            QStringLiteral("Unlock the keychain, or remove the entry of “lockscope” there by hand."))
        : failure(ErrorKind::Permission, QStringLiteral("Can't store the password in the keychain."),
            QStringLiteral(
                "Start or unlock a keychain (GNOME Keyring, KWallet), or set LOCKSCOPE_PASSWORD instead."));
    failed.value().detail = scrubbed(answer.text, password);
    return failed;
}

} // namespace lockscope::db
