// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/SqlServerRig.h"

#include "core/db/SchemaInstaller.h"
#include "core/db/Server.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "tests/support/OrDie.h"
#include "tests/support/Waiting.h"
#include "tests/support/tds/DatabaseAnswers.h"
#include "tests/support/tds/QueueAnswers.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QSysInfo>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

constexpr auto variable = "LOCKSCOPE_TEST_SQLSERVER";

db::Statement filled(const char* file, const char* place, const QString& text)
{
    return db::Statement::filled(
        (QByteArray("test/sqlserver/") + file).constData(), {{QLatin1StringView(place), text}});
}

const db::Statement& statement(const char* file)
{
    return db::Statement::get((QByteArray("test/sqlserver/") + file).constData());
}

qint64 ask(db::Connection& connection, const char* file, std::span<const db::Param> parameters = {})
{
    qint64 answer = 0;
    orDie(connection.execute(
        statement(file), parameters, [&answer](const db::Row& row) { answer = row.int64(0); }));
    return answer;
}

db::ServerUrl realUrl()
{
    return orDie(db::ServerUrl::parse(qEnvironmentVariable(variable)));
}

db::PasswordProvider realPasswords()
{
    return db::fixedPassword(qEnvironmentVariable(
        "LOCKSCOPE_TEST_SQLSERVER_PASSWORD", qEnvironmentVariable("LOCKSCOPE_PASSWORD")));
}

/// "lockscope_test_1a2b3c4d_": the machine by a hash, because its name is nobody's business.
QString namesOfThisMachine()
{
    const QByteArray hash = QCryptographicHash::hash(
        QSysInfo::machineUniqueId() + QSysInfo::machineHostName().toUtf8(), QCryptographicHash::Sha256);
    return u"lockscope_test_%1_"_s.arg(QString::fromLatin1(hash.toHex().left(8)));
}

Result<qint64> drop(db::Connection& connection, const QString& database)
{
    return connection.execute(filled("rig/drop_database", "name", connection.dialect().quoted(database)));
}

bool isRunning(const QString& process)
{
    const auto id = static_cast<pid_t>(process.toLongLong());
    return id <= 0 || kill(id, 0) == 0 || errno != ESRCH;
}

void dropWhatCrashedProgramsLeft(db::Connection& connection)
{
    QStringList names;
    const QString start = namesOfThisMachine();
    orDie(connection.execute(statement("rig/databases"), std::array<db::Param, 1>{start},
        [&names](const db::Row& row) { names << row.text(0); }));
    for (const QString& name : names)
        if (!isRunning(name.mid(start.size()).section(u'_', 0, 0)))
            std::ignore = drop(connection, name); // or another program does, right now
}

} // namespace

/// SQL Server, as far as locks, work queues and databases go.
struct SqlServerRig::Double {
    Double()
    {
        tds::addSessionAnswers(server); // the others know better
        locks = std::make_unique<tds::LockAnswers>(server);
        databases = std::make_unique<tds::DatabaseAnswers>(server, *locks);
        queues = std::make_unique<tds::QueueAnswers>(server);
    }

    std::unique_ptr<tds::LockAnswers> locks; ///< these outlive the server
    std::unique_ptr<tds::DatabaseAnswers> databases;
    std::unique_ptr<tds::QueueAnswers> queues;
    tds::TdsServer server;
};

bool SqlServerRig::isReal()
{
    return qEnvironmentVariableIsSet(variable);
}

QString SqlServerRig::use(tds::OdbcDriver driver)
{
    if (isReal())
        return driver == tds::OdbcDriver::FreeTds
            ? QString()
            : u"The driver is the one that %1 names."_s.arg(QLatin1StringView(variable));
    return tds::use(driver) ? QString() : u"The driver is not installed: %1."_s.arg(tds::driverName(driver));
}

SqlServerRig::SqlServerRig()
    : m_double(isReal() ? nullptr : std::make_unique<Double>())
{
    if (m_double) {
        m_url = tds::urlOf(m_double->server);
    } else {
        m_url = realUrl();
        m_owner = connect();
        makeDatabase();
    }
    m_witness = connect();
}

void SqlServerRig::makeDatabase()
{
    static std::atomic<int> number = 0;
    dropWhatCrashedProgramsLeft(*m_owner);
    const QString name =
        namesOfThisMachine() + u"%1_%2"_s.arg(QCoreApplication::applicationPid()).arg(++number);
    const auto made =
        m_owner->execute(filled("rig/create_database", "name", m_owner->dialect().quoted(name)));
    if (made) {
        m_made = name;
        m_url.database = name;
        orDie(db::installSchema(*connect()));
    } else if (made.error().kind == ErrorKind::Permission) {
        borrowDatabase();
    } else {
        orDie(made);
    }
}

/// The lock of rig/take_turn distinguishes a test that runs from one that crashed: its holder finds no
/// other's work.
void SqlServerRig::borrowDatabase()
{
    if (ask(*m_owner, "rig/take_turn") < 0)
        qFatal("SQL Server rig: other tests keep the database that %s names.", variable);
    if (ask(*m_owner, "rig/is_marked") != 0)
        orDie(db::uninstallSchema(*m_owner));
    else if (orDie(db::installedSchemaVersion(*m_owner)) != 0)
        qFatal(
            "SQL Server rig: Lockscope is installed in the database that %s names, and no other can be created there.",
            variable);
    else
        orDie(m_owner->execute(statement("rig/mark")));
    orDie(db::installSchema(*m_owner));
}

SqlServerRig::~SqlServerRig()
{
    if (!m_owner)
        return;
    m_witness.reset();
    if (!m_made.isEmpty()) {
        // If dropping does not end sessions, those of the test's last action may still be there.
        Result<qint64> dropped;
        if (!waitUntil([&] { return bool(dropped = drop(*m_owner, m_made)); }))
            qWarning("SQL Server rig: %s", qPrintable(dropped.error().toString()));
        return;
    }
    orDie(db::uninstallSchema(*m_owner));
    orDie(m_owner->execute(statement("rig/unmark")));
}

db::PasswordProvider SqlServerRig::passwords() const
{
    return m_double ? db::fixedPassword(tds::passwordOf(m_double->server)) : realPasswords();
}

std::unique_ptr<db::Connection> SqlServerRig::connect(const db::ConnectOptions& options) const
{
    return orDie(db::Server::at(m_url, passwords()).connect(options));
}

qint64 SqlServerRig::number(const char* file, std::initializer_list<db::Param> parameters) const
{
    return ask(*m_witness, file, std::span(parameters.begin(), parameters.size()));
}

void SqlServerRig::endSession(qint64 id) const
{
    orDie(m_witness->execute(filled("rig/end_session", "session", QString::number(id))));
}

QString SqlServerRig::reasonAgainst(locks::LockKind kind)
{
    if (!isReal())
        return {};
    const auto connection = orDie(db::Server::at(realUrl(), realPasswords()).connect());
    if (const auto strategy = locks::LockStrategy::create(kind, *connection); !strategy)
        return strategy.error().kind == ErrorKind::Unsupported ? strategy.error().toString() : QString();
    return {};
}

bool SqlServerRig::hasLockView() const
{
    return db::SqlServerConnection::factsOf(*m_witness).hasView(u"dm_tran_locks"_s);
}

bool SqlServerRig::isBabelfish() const
{
    return db::SqlServerConnection::factsOf(*m_witness).isOtherEngine();
}

} // namespace lockscope::test
