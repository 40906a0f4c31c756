// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/PrivateServer.h"

#include "core/base/PlainFile.h"
#include "core/base/Spawn.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QMessageAuthenticationCode>
#include <QProcess>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

/// PostgreSQL adds this to the directory of its socket; the longest name that we put there.
constexpr int maxSocketNameLength = sizeof("/.s.PGSQL.5432.lock");

/// Short enough for a socket's address, and without characters that PostgreSQL's list of directories quotes.
bool fitsSockets(const QString& directory)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9/._+-]+$"_s);
    return plain.match(directory).hasMatch()
        && directory.size() + maxSocketNameLength < qsizetype(sizeof(sockaddr_un::sun_path));
}

QString shortRunDirectory(const QString& directory, const Account& account)
{
    const QByteArray hash = QCryptographicHash::hash(directory.toUtf8(), QCryptographicHash::Sha256).toHex();
    const QString name = u"lockscope-%1-%2"_s.arg(account.uid).arg(QString::fromLatin1(hash.left(16)));
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    // Another account's server could not enter our runtime directory.
    if (!runtime.isEmpty() && geteuid() == account.uid && fitsSockets(runtime + u'/' + name)
        && QFileInfo(runtime).isWritable())
        return QDir::cleanPath(runtime) + u'/' + name;
    return u"/tmp/"_s + name;
}

Result<void> makePrivate(const QString& directory, const Account& account)
{
    const QByteArray path = QFile::encodeName(directory);
    if (mkdir(path.constData(), 0700) != 0 && errno != EEXIST)
        return systemFailure(u"Can't make the directory %1."_s.arg(directory));
    struct stat info { };
    // Not followed: in /tmp somebody else could have put a link there.
    if (lstat(path.constData(), &info) != 0)
        return systemFailure(u"Can't check the directory %1."_s.arg(directory));
    if (!S_ISDIR(info.st_mode) || (info.st_uid != account.uid && info.st_uid != geteuid()))
        return failure(ErrorKind::Permission,
            u"%1 is not a directory of this user: the sandbox can't use it."_s.arg(directory),
            u"Remove it, or set LOCKSCOPE_SANDBOX_DIR to another directory."_s);
    if (info.st_uid != account.uid && chown(path.constData(), account.uid, account.gid) != 0)
        return systemFailure(u"Can't hand %1 to the account of the sandbox's server."_s.arg(directory));
    if ((info.st_mode & 0777) != 0700 && chmod(path.constData(), 0700) != 0)
        return systemFailure(u"Can't make %1 private."_s.arg(directory));
    return {};
}

Result<void> refuseForeign(const QString& directory)
{
    const QDir dir(directory);
    const auto everything = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
    if (!dir.exists() || dir.isEmpty(everything) || dir.exists(u"run"_s) || dir.exists(u"start.lock"_s))
        return {};
    return failure(ErrorKind::BadInput,
        u"The directory %1 holds something else than a Lockscope sandbox."_s.arg(directory),
        u"Set LOCKSCOPE_SANDBOX_DIR to an empty directory, or to one that does not exist yet."_s);
}

QString tailOf(const QString& path)
{
    constexpr int maxTailLength = 2'000;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    if (file.size() > maxTailLength)
        file.seek(file.size() - maxTailLength);
    return QString::fromUtf8(file.readAll()).trimmed();
}

} // namespace

Layout Layout::of(const QString& directory, const Account& account)
{
    Layout layout;
    layout.directory = QDir::cleanPath(QDir(directory).absolutePath());
    const QString inside = layout.directory + u"/run"_s;
    layout.runDirectory = fitsSockets(inside) ? inside : shortRunDirectory(layout.directory, account);
    return layout;
}

QString Layout::defaultDirectory()
{
    const QString named = qEnvironmentVariable("LOCKSCOPE_SANDBOX_DIR");
    if (!named.isEmpty())
        return named;
    if (geteuid() == 0)
        return u"/var/lib/lockscope/sandbox"_s;
    return dataFolder() + u"/sandbox"_s;
}

QString Layout::logTail() const
{
    const QStringList tails{tailOf(supervisorLog()), tailOf(serverLog())};
    return tails.join(u'\n').trimmed();
}

Result<void> Layout::prepare(const Account& account) const
{
    LOCKSCOPE_TRY(refuseForeign(directory));
    const QString parent = QFileInfo(directory).path();
    if (!QDir().mkpath(parent))
        return systemFailure(u"Can't make the directory %1."_s.arg(parent));
    LOCKSCOPE_TRY(makePrivate(directory, account));
    LOCKSCOPE_TRY(checkReachable(directory, account));
    return makePrivate(runDirectory, account);
}

Result<ChildProcess> ChildProcess::start(const Command& command)
{
    // PGDATA, PGOPTIONS and passwords are none of PostgreSQL's business.
    std::vector<QByteArray> environment = ourEnvironment({"PATH=", "TZ=", "LD_LIBRARY_PATH=", "TMPDIR="});
    environment.insert(environment.end(), {"LC_ALL=C", "LANG=C"});
    const auto pid = spawn({.arguments = inFileEncoding(QStringList{command.program} + command.arguments),
        .environment = environment,
        .descriptors = {command.input, command.output, command.output},
        .kept = command.lock < 0 ? std::vector<int>() : std::vector{command.lock},
        .signalIfWeDie = command.signalIfParentDies});
    if (!pid)
        return systemFailure(u"Can't start %1."_s.arg(command.program), pid.error());
    return ChildProcess(*pid);
}

std::optional<int> ChildProcess::status()
{
    int status = 0;
    if (!m_status && waitpid(m_pid, &status, WNOHANG) == m_pid)
        m_status = status;
    return m_status;
}

int ChildProcess::wait()
{
    int status = 0;
    while (!m_status) {
        if (waitpid(m_pid, &status, 0) == m_pid)
            m_status = status;
        else if (errno != EINTR)
            m_status = -1;
    }
    return *m_status;
}

void ChildProcess::signal(int number) const
{
    if (!m_status)
        kill(m_pid, number);
}

namespace {

bool holdsPrograms(const QString& directory)
{
    return QFileInfo(directory + u"/initdb"_s).isExecutable()
        && QFileInfo(directory + u"/postgres"_s).isExecutable();
}

/// "15", "9.6": PostgreSQL's idea of a major version, as in the file PG_VERSION.
QString majorVersionOf(const QString& directory)
{
    QProcess postgres;
    postgres.start(directory + u"/postgres"_s, {u"--version"_s}, QIODevice::ReadOnly);
    if (!postgres.waitForFinished(10'000))
        return {};
    static const QRegularExpression version(u"(\\d+)(\\.\\d+)?"_s);
    const auto match = version.match(QString::fromLocal8Bit(postgres.readAllStandardOutput()));
    return match.captured(1).toInt() >= 10 ? match.captured(1) : match.captured();
}

/// Newest first; a version below 10 sorts rightly too, being a number.
QStringList versionedDirectories()
{
    QStringList found;
    for (const QString& root : {u"/usr/lib/postgresql"_s, u"/usr/local/lib/postgresql"_s}) {
        QStringList versions = QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        std::ranges::sort(
            versions, std::greater<>(), [](const QString& version) { return version.toDouble(); });
        for (const QString& version : std::as_const(versions))
            found << root + u'/' + version + u"/bin"_s;
    }
    return found;
}

QStringList candidates()
{
    const QString named = qEnvironmentVariable("LOCKSCOPE_PG_BINDIR");
    if (!named.isEmpty())
        return {named};
    QStringList found = versionedDirectories();
    const QString onPath = QStandardPaths::findExecutable(u"postgres"_s);
    if (!onPath.isEmpty())
        found << QFileInfo(onPath).canonicalPath();
    return found;
}

} // namespace

Result<QString> findPostgresPrograms(const QString& majorVersion)
{
    bool otherVersion = false;
    for (const QString& directory : candidates()) {
        if (!holdsPrograms(directory))
            continue;
        if (majorVersion.isEmpty() || majorVersionOf(directory) == majorVersion)
            return directory;
        otherVersion = true;
    }
    const QString named = qEnvironmentVariable("LOCKSCOPE_PG_BINDIR");
    if (otherVersion && !named.isEmpty())
        return failure(ErrorKind::MissingObject,
            u"The sandbox was made by PostgreSQL %1, and LOCKSCOPE_PG_BINDIR (%2) has only another version."_s
                .arg(majorVersion, named),
            u"Unset LOCKSCOPE_PG_BINDIR to open that sandbox, or set LOCKSCOPE_SANDBOX_DIR to an empty directory: a sandbox of the other version is made there."_s);
    if (otherVersion)
        return failure(ErrorKind::MissingObject,
            u"The sandbox was made by PostgreSQL %1, which is not installed."_s.arg(majorVersion),
            u"Install it (apt install postgresql-%1), or delete the sandbox's directory to start afresh."_s
                .arg(majorVersion));
    return failure(ErrorKind::MissingObject,
        named.isEmpty()
            ? u"The sandbox needs PostgreSQL's server programs (initdb, postgres), and there are none here."_s
            : u"LOCKSCOPE_PG_BINDIR is %1, but initdb and postgres are not there."_s.arg(named),
        u"Install them (Debian, Ubuntu: apt install postgresql), or set LOCKSCOPE_PG_BINDIR to the directory that holds them."_s);
}

namespace {

QByteArray hmac(const QByteArray& key, const QByteArray& text)
{
    return QMessageAuthenticationCode::hash(text, key, QCryptographicHash::Sha256);
}

/// Returns the form in which a PostgreSQL server stores a password (RFC 5803), to be sent instead of it.
/// Iterations make the guessing of weak passwords slow, and every login: a random password needs one only,
/// and 200 sessions connect in half the time.
QByteArray scramSecret(const QByteArray& password, const QByteArray& salt)
{
    // PBKDF2 with one iteration is one HMAC over the salt and the number of the block.
    const QByteArray salted = hmac(password, salt + QByteArray("\0\0\0\1", 4));
    const QByteArray stored =
        QCryptographicHash::hash(hmac(salted, "Client Key"), QCryptographicHash::Sha256);
    const QByteArray server = hmac(salted, "Server Key");
    return "SCRAM-SHA-256$1:" + salt.toBase64() + '$' + stored.toBase64() + ':' + server.toBase64();
}

constexpr auto role = "lockscope"_L1;

QByteArray randomPassword()
{
    std::array<quint32, 8> random{};
    QRandomGenerator::system()->fillRange(random.data(), random.size());
    return QByteArray(reinterpret_cast<const char*>(random.data()), sizeof random)
        .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

Result<void> writePrivate(const QString& path, const QByteArray& text)
{
    QFile::remove(path);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly, QFile::ReadOwner | QFile::WriteOwner)
        || file.write(text) != text.size() || !file.flush())
        return failure(ErrorKind::Server, u"Can't write %1: %2."_s.arg(path, file.errorString()));
    return {};
}

QString onOff(bool on)
{
    return on ? u"on"_s : u"off"_s;
}

/// Returns whether this process is a PostgreSQL server in `data`: its process id may be another program's by
/// now.
bool servesDirectory(qint64 pid, const QString& data)
{
    return QFileInfo(u"/proc/%1/cwd"_s.arg(pid)).canonicalFilePath() == QFileInfo(data).canonicalFilePath();
}

} // namespace

Result<void> PrivateServer::start(const QDeadlineTimer& deadline)
{
    // As long as a process of an earlier server lives (its supervisor was killed), this waits.
    LOCKSCOPE_TRY_GET(m_lock, FileLock::take(m_layout.serverLock(), {geteuid(), getegid()}, deadline));
    LOCKSCOPE_TRY_GET(m_log, openOwned(m_layout.serverLog(), {geteuid(), getegid()}));
    trimLog();

    if (!QFile::exists(m_layout.dataDirectory()))
        LOCKSCOPE_TRY(makeCluster());
    LOCKSCOPE_TRY(removeStalePidFile());
    ChildProcess::Command command;
    command.program = m_programs + u"/postgres"_s;
    command.arguments = settings();
    command.output = m_log.number();
    command.lock = m_lock->number();
    command.signalIfParentDies = SIGQUIT;
    LOCKSCOPE_TRY_GET(m_postgres, ChildProcess::start(command));
    return waitUntilReady(deadline);
}

/// Made beside its final place and renamed when it is whole: an interrupted attempt is simply made again.
Result<void> PrivateServer::makeCluster()
{
    const QString data = m_layout.dataInTheMaking();
    if (!QDir(data).removeRecursively())
        return failure(ErrorKind::Server, u"Can't remove %1, left by an earlier attempt."_s.arg(data));
    const QByteArray password = randomPassword();
    LOCKSCOPE_TRY(writePrivate(m_layout.passwordFile(), scramSecret(password, randomPassword())));
    LOCKSCOPE_TRY(runInitdb(data, m_layout.passwordFile()));
    LOCKSCOPE_TRY(writePrivate(m_layout.passwordFile(), password));
    LOCKSCOPE_TRY(createDatabase(data));
    if (!QDir().rename(data, m_layout.dataDirectory()))
        return failure(ErrorKind::Server, u"Can't rename %1."_s.arg(data));
    return {};
}

Result<void> PrivateServer::runInitdb(const QString& data, const QString& passwordFile)
{
    ChildProcess::Command command;
    command.program = m_programs + u"/initdb"_s;
    // Small WAL segments: a fresh cluster is half the size.
    command.arguments = {u"-D"_s, data, u"-U"_s, role, u"-A"_s, u"scram-sha-256"_s, u"--pwfile"_s,
        passwordFile, u"--locale=C"_s, u"-E"_s, u"UTF8"_s, u"--wal-segsize=1"_s};
    if (!m_durable)
        command.arguments << u"--no-sync"_s;
    command.signalIfParentDies = SIGTERM;
    return run(command, u"PostgreSQL's initdb failed in %1."_s.arg(data));
}

Result<void> PrivateServer::createDatabase(const QString& data)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return systemFailure(u"Can't make a pipe."_s);
    const Descriptor readEnd(ends[0]);
    Descriptor writeEnd(ends[1]);
    const QByteArray sql = db::Statement::get("postgres/sandbox/create_database").sql() + '\n';
    // Far below the capacity of a pipe: never blocks.
    if (write(writeEnd.number(), sql.constData(), size_t(sql.size())) != sql.size())
        return systemFailure(u"Can't write to a pipe."_s);
    writeEnd.close();

    ChildProcess::Command command;
    command.program = m_programs + u"/postgres"_s;
    command.arguments = {u"--single"_s, u"-D"_s, data, u"-c"_s, u"fsync="_s + onOff(m_durable), u"-c"_s,
        u"exit_on_error=on"_s, u"template1"_s};
    command.input = readEnd.number();
    command.signalIfParentDies = SIGTERM;
    return run(command, u"Can't create the sandbox's database."_s);
}

Result<void> PrivateServer::run(ChildProcess::Command command, const QString& whatFailed)
{
    command.output = m_log.number();
    command.lock = m_lock->number();
    LOCKSCOPE_TRY_GET(auto child, ChildProcess::start(command));
    if (child.wait() == 0)
        return {};
    return failure(ErrorKind::Server, whatFailed, u"The end of its log says why."_s);
}

Result<void> PrivateServer::removeStalePidFile() const
{
    QFile file(m_layout.dataDirectory() + u"/postmaster.pid"_s);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const qint64 pid = file.readLine().trimmed().toLongLong();
    if (servesDirectory(pid, m_layout.dataDirectory()))
        return failure(ErrorKind::Server,
            u"A PostgreSQL server that Lockscope did not start runs in %1 (process %2)."_s.arg(
                m_layout.dataDirectory(), QString::number(pid)),
            u"Stop it, then try again."_s);
    // We hold the lock that every process of an earlier server was given: none is left.
    file.remove();
    return {};
}

QStringList PrivateServer::settings() const
{
    QStringList arguments{u"-D"_s, m_layout.dataDirectory()};
    const std::initializer_list<std::pair<QString, QString>> values{
        {u"listen_addresses"_s, m_capacity.port > 0 ? u"127.0.0.1"_s : QString()},
        {u"port"_s, QString::number(m_capacity.port > 0 ? m_capacity.port : defaultPort.postgres)},
        {u"unix_socket_directories"_s, m_layout.runDirectory},
        {u"unix_socket_permissions"_s, u"0700"_s},
        {u"max_connections"_s, QString::number(m_capacity.connections)},
        {u"max_locks_per_transaction"_s, QString::number(m_capacity.locksPerConnection)},
        {u"shared_buffers"_s, u"64MB"_s},
        // Operators meet prepared transactions: they hold locks without a session.
        {u"max_prepared_transactions"_s, u"10"_s},
        {u"track_activity_query_size"_s, u"16kB"_s},
        {u"deadlock_timeout"_s, u"1s"_s},
        {u"log_lock_waits"_s, u"off"_s}, // its waits are what it is for
        // Without a collector: one file, in which deadlocks stand from the first day
        // (deadlock::DeadlockSource).
        {u"logging_collector"_s, u"off"_s},
        {u"log_destination"_s, u"stderr"_s},
        {u"log_line_prefix"_s, u"%m [%p] %q%u@%d "_s},
        // The role is named as our schema is: by default its tables would land in there.
        {u"search_path"_s, u"public"_s},
        // Without replication there is less to write.
        {u"wal_level"_s, m_capacity.replicates ? u"replica"_s : u"minimal"_s},
        {u"max_wal_senders"_s, m_capacity.replicates ? u"8"_s : u"0"_s},
        {u"fsync"_s, onOff(m_durable)},
        {u"synchronous_commit"_s, onOff(m_durable || m_capacity.replicates)},
        {u"full_page_writes"_s, onOff(m_durable)},
    };
    for (const auto& [name, value] : values)
        arguments << u"-c"_s << name + u'=' + value;
    return arguments;
}

/// The last line of postmaster.pid says so: what pg_ctl waits for, too.
Result<void> PrivateServer::waitUntilReady(const QDeadlineTimer& deadline)
{
    constexpr int statusLine = 7;
    while (!deadline.hasExpired()) {
        const QList<QByteArray> lines =
            fileContent(m_layout.dataDirectory() + u"/postmaster.pid"_s).split('\n');
        const QByteArray status = lines.value(statusLine).trimmed();
        if ((status == "ready" || status == "standby") && lines[0].toLongLong() == m_postgres->pid())
            return {};
        if (hasEnded())
            return failure(ErrorKind::Server, u"The sandbox's PostgreSQL server ended as it started."_s);
        std::this_thread::sleep_for(milliseconds(5));
    }
    return failure(ErrorKind::Timeout, u"The sandbox's PostgreSQL server did not get ready in time."_s);
}

void PrivateServer::stop(Manner manner)
{
    const std::pair<int, milliseconds> steps[]{
        {manner == Manner::Clean ? SIGINT : SIGQUIT, milliseconds(20'000)},
        {SIGQUIT, milliseconds(10'000)},
        {SIGKILL, milliseconds(10'000)},
    };
    for (const auto& [number, patience] : steps) {
        if (hasEnded())
            return;
        m_postgres->signal(number);
        const QDeadlineTimer deadline(patience);
        while (!hasEnded() && !deadline.hasExpired())
            std::this_thread::sleep_for(milliseconds(2));
    }
}

void PrivateServer::trimLog() const
{
    constexpr off_t largest = 16 << 20;
    struct stat info { };
    if (fstat(m_log.number(), &info) == 0 && info.st_size > largest && ftruncate(m_log.number(), 0) != 0)
        qWarning("can't shorten the server's log");
}

} // namespace lockscope::sandbox
