// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"

#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QThread>
#ifndef Q_OS_DARWIN
#include <QByteArrayList>
#include <QDBusConnection>
#include <QDBusError>
#include <QDBusMessage>
#include <QScopeGuard>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
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

#ifndef Q_OS_DARWIN

QByteArray busAddress()
{
    if (qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return qgetenv("DBUS_SESSION_BUS_ADDRESS");
    const QString socket = qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus");
    return QFileInfo::exists(socket) ? "unix:path=" + QFile::encodeName(socket) : QByteArray();
}

/// The state of the D-Bus session bus at an address: "unix:path=/run/user/1000/bus".
enum class BusState {
    Missing, ///< nobody listens
    Silent, ///< somebody does, and does not answer
    Answers,
    Unknown, ///< an address of a kind that is not looked into
};

/// The socket of the first "unix:" address; an abstract one begins with NUL. Empty if there is none.
QByteArray socketOf(const QByteArray& address)
{
    const QByteArray first = address.split(';').constFirst();
    if (!first.startsWith("unix:"))
        return {};
    for (const QByteArray& part : first.mid(qsizetype(qstrlen("unix:"))).split(',')) {
        if (part.startsWith("path="))
            return QByteArray::fromPercentEncoding(part.mid(5));
        if (part.startsWith("abstract="))
            return QByteArray(1, '\0') + QByteArray::fromPercentEncoding(part.mid(9));
    }
    return {};
}

/// Greets the bus as a client does (D-Bus specification, "Authentication Protocol") and waits `patience` for
/// the first answer. Without the D-Bus library, which would wait for a silent bus for 25 seconds, even as the
/// program ends. Any thread.
BusState probeBus(const QByteArray& address)
{
    const QByteArray path = socketOf(address);
    sockaddr_un target{};
    if (path.isEmpty() || path.size() >= static_cast<qsizetype>(sizeof target.sun_path))
        return BusState::Unknown;
    target.sun_family = AF_UNIX;
    std::memcpy(target.sun_path, path.constData(), static_cast<size_t>(path.size()));
    const bool isAbstract = path.startsWith('\0');
    const auto size =
        offsetof(sockaddr_un, sun_path) + static_cast<size_t>(path.size()) + (isAbstract ? 0 : 1);

    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return BusState::Unknown;
    const auto closed = qScopeGuard([fd] { close(fd); });
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&target), static_cast<socklen_t>(size)) != 0)
        return errno == EAGAIN ? BusState::Silent
                               : BusState::Missing; // nobody takes the calls that came before
    const QByteArray greeting =
        QByteArray(1, '\0') + "AUTH EXTERNAL " + QByteArray::number(getuid()).toHex() + "\r\n";
    if (send(fd, greeting.constData(), static_cast<size_t>(greeting.size()), MSG_NOSIGNAL) != greeting.size())
        return BusState::Silent;
    pollfd answer{fd, POLLIN, 0};
    char byte = 0;
    const bool isReady = poll(&answer, 1, static_cast<int>(patience.count())) > 0;
    return isReady && recv(fd, &byte, 1, 0) == 1 ? BusState::Answers : BusState::Silent;
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
    switch (probeBus(address)) {
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
