// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/Sandbox.h"

#include "core/base/Mutex.h"
#include "core/base/OwnProgram.h"
#include "core/db/SchemaInstaller.h"
#include "core/sandbox/PostgresPrograms.h"
#include "core/sandbox/SandboxLink.h"
#include "core/sandbox/SystemError.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

Result<QString> findSupervisor(const QString& named)
{
    if (!named.isEmpty())
        return named;
    return findOwnProgram(u"lockscope-sandbox"_s, u"which runs the sandbox's server"_s);
}

QString versionOfData(const Layout& layout)
{
    QFile file(layout.dataDirectory() + u"/PG_VERSION"_s);
    return file.open(QIODevice::ReadOnly) ? QString::fromLatin1(file.readAll()).trimmed() : QString();
}

Result<SandboxTask> taskFor(const Sandbox::Options& options)
{
    const QString directory = options.directory.isEmpty() ? Layout::defaultDirectory() : options.directory;
    SandboxTask task;
    auto account = Account::forDirectory(directory);
    if (!account)
        return Failure(account.error());
    task.account = *account;
    task.layout = Layout::of(directory, task.account);
    auto programs = findPostgresPrograms(versionOfData(task.layout));
    if (!programs)
        return Failure(programs.error());
    task.programs = *programs;
    task.startTimeout = options.startTimeout;
    task.durable = options.durable;
    task.temporary = options.temporary;
    task.capacity = options.capacity;
    return task;
}

class KeptSandbox final : public Sandbox {
public:
    KeptSandbox(SandboxLink link, const SandboxTask& task, QString password)
        : m_link(std::move(link))
        , m_temporary(task.temporary)
        , m_directory(task.layout.directory)
        , m_password(std::move(password))
    {
        m_url.user = m_url.database = u"lockscope"_s;
        m_url.host = task.layout.runDirectory;
        m_url.port = task.capacity.port;
    }
    ~KeptSandbox() override
    {
        if (!m_temporary)
            return;
        m_link.leaveAndWait(QDeadlineTimer(milliseconds(30'000)));
        // The supervisor emptied it, but its account may lack the right to remove it from our directory.
        QDir().rmdir(m_directory);
    }
    db::ServerUrl url() const override { return m_url; }
    QString password() const override { return m_password; }
    bool isRunning() const override { return m_link.isAlive(); }

private:
    SandboxLink m_link;
    const bool m_temporary;
    const QString m_directory;
    db::ServerUrl m_url;
    const QString m_password;
};

Result<QString> readPassword(const Layout& layout)
{
    QFile file(layout.passwordFile());
    if (!file.open(QIODevice::ReadOnly))
        return failure(
            ErrorKind::Permission, u"Can't read the sandbox's password file %1."_s.arg(file.fileName()));
    return QString::fromLatin1(file.readAll()).trimmed();
}

/// The script changes tables, for which it waits until nobody uses them, and everybody waits for it
/// meanwhile. So only those run it who bring another one than the last.
class SchemaMark {
public:
    explicit SchemaMark(const Layout& layout)
        : m_file(layout.schemaMark())
    {
    }

    bool isSet(db::Connection& connection)
    {
        if (!m_file.open(QIODevice::ReadOnly))
            return false;
        const QByteArray mark = m_file.readAll();
        m_file.close();
        return mark == ours()
            && db::installedSchemaVersion(connection) == db::currentSchemaVersion(connection.engine());
    }
    /// Without it the next one runs the script again.
    void set()
    {
        if (m_file.open(QIODevice::WriteOnly))
            m_file.write(ours());
        m_file.close();
    }

private:
    static QByteArray ours()
    {
        return QCryptographicHash::hash(
            db::Statement::get("postgres/install.sql").sql(), QCryptographicHash::Sha256)
            .toHex();
    }

    QFile m_file;
};

/// One program at a time, and not while a supervisor is being started.
Result<void> installSchema(
    const KeptSandbox& sandbox, const SandboxTask& task, const QDeadlineTimer& deadline)
{
    const auto lock =
        FileLock::take(task.layout.startLock(), task.account, FileLock::Children::DoNotInherit, deadline);
    if (!lock)
        return Failure(lock.error());
    auto connection =
        db::Server::at(sandbox.url(), db::fixedPassword(sandbox.password())).connect(db::Purpose::Admin);
    if (!connection)
        return Failure(connection.error());
    SchemaMark mark(task.layout);
    if (mark.isSet(**connection))
        return {};
    if (auto installed = db::installSchema(**connection); !installed)
        return Failure(installed.error());
    mark.set();
    return {};
}

} // namespace

Result<std::unique_ptr<Sandbox>> Sandbox::open(const Options& options)
{
    const QDeadlineTimer deadline(options.startTimeout);
    const auto task = taskFor(options);
    if (!task)
        return Failure(task.error());
    const auto program = findSupervisor(options.supervisorProgram);
    if (!program)
        return Failure(program.error());
    auto link = SandboxLink::open(*task, *program, deadline);
    if (!link)
        return Failure(link.error());
    const auto password = readPassword(task->layout);
    if (!password)
        return Failure(password.error());
    auto sandbox = std::make_unique<KeptSandbox>(std::move(*link), *task, *password);
    if (auto installed = installSchema(*sandbox, *task, deadline); !installed)
        return Failure(installed.error());
    return sandbox;
}

Result<db::Server> resolve(const db::Server& server)
{
    static Mutex mutex;
    static std::unique_ptr<Sandbox> shared LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock guard(mutex);
    if (!shared || !shared->isRunning()) {
        auto opened = Sandbox::open();
        if (!opened)
            return Failure(opened.error());
        shared = std::move(*opened);
    }
    db::Server resolved = server;
    resolved.profile.name = server.display();
    resolved.profile.url = shared->url();
    resolved.passwords = db::fixedPassword(shared->password());
    return resolved;
}

} // namespace lockscope::sandbox
