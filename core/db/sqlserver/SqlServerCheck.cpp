// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"

#include "core/base/Sentences.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QHostAddress>
#include <QHostInfo>
#include <QTcpSocket>

#include <algorithm>
#include <array>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

using Outcome = CheckStep::Outcome;

/// The answers of check/session, check/encryption and check/database; their errors.
struct Answers {
    QString login;
    QString user;
    QString authentication;
    QString transport;
    QStringList roles; ///< of the server and of our schema
    QString encrypted; ///< "TRUE", "FALSE"; empty: unknown
    QString database;
    QString collation;
    int compatibility = 0;
    bool readCommittedSnapshot = false;
    QString snapshotIsolation;
    std::optional<bool> optimizedLocking;
    QString updateability;
    std::optional<Error> sessionError;
    std::optional<Error> databaseError;
};

QString sorted(const QSet<QString>& words)
{
    QStringList list(words.begin(), words.end());
    std::ranges::sort(list);
    return list.join(u", "_s);
}

QString reason(const Error& error)
{
    return u"could not be read: "_s + error.reason();
}

void readSession(const Row& row, Answers& answers)
{
    answers.login = row.text(0);
    answers.user = row.text(1);
    answers.authentication = row.text(2);
    answers.transport = row.text(3);
    static constexpr std::array names{
        u"sysadmin", u"lockscope_reader", u"lockscope_operator", u"lockscope_admin"};
    for (size_t i = 0; i < names.size(); ++i) {
        if (row.int64(4 + static_cast<int>(i)) == 1)
            answers.roles << QString::fromUtf16(names[i]);
    }
}

void readDatabase(const Row& row, Answers& answers)
{
    answers.database = row.text(0);
    answers.collation = row.text(1);
    answers.compatibility = static_cast<int>(row.int64(2));
    answers.readCommittedSnapshot = row.int64(3) != 0;
    answers.snapshotIsolation = row.text(4);
    if (!row.isNull(5))
        answers.optimizedLocking = row.int64(5) != 0;
    answers.updateability = row.text(6);
}

Answers ask(Connection& connection, const std::stop_token& stop)
{
    Answers answers;
    const std::array items{
        BatchItem{.statement = &Statement::get("sqlserver/check/session"),
            .sink = [&answers](const Row& row) { readSession(row, answers); }},
        BatchItem{.statement = &Statement::get("sqlserver/check/database"),
            .sink = [&answers](const Row& row) { readDatabase(row, answers); }},
        BatchItem{.statement = &Statement::get("sqlserver/check/encryption"),
            .sink = [&answers](const Row& row) { answers.encrypted = row.text(0); }},
    };
    const auto results = connection.executeBatch(items, stop);
    if (!results[0])
        answers.sessionError = results[0].error();
    if (!results[1])
        answers.databaseError = results[1].error();
    return answers;
}

CheckStep serverStep(const SqlServerFacts& facts)
{
    QString text = facts.display();
    if (!facts.edition.isEmpty())
        text += u", "_s + facts.edition;
    if (facts.isOtherEngine())
        text += u" (says to be SQL Server %1)"_s.arg(facts.productVersion);
    return {.key = u"server"_s,
        .name = u"Server"_s,
        .finding = text + u", engine edition %1"_s.arg(facts.engineEdition)};
}

CheckStep sessionStep(Connection& connection, const Answers& answers)
{
    CheckStep step{.key = u"session"_s, .name = u"Session"_s};
    const QString driver = u"driver %1"_s.arg(OdbcLink::driverText(connection.nativeHandle()));
    if (answers.sessionError) {
        step.outcome = Outcome::Note;
        step.finding = reason(*answers.sessionError) + u"; "_s + driver;
        return step;
    }
    QStringList parts{u"login %1"_s.arg(answers.login), u"user %1"_s.arg(answers.user)};
    if (!answers.authentication.isEmpty())
        parts << u"authentication %1"_s.arg(answers.authentication);
    if (!answers.transport.isEmpty())
        parts << u"transport %1"_s.arg(answers.transport);
    if (!answers.encrypted.isEmpty())
        parts << (answers.encrypted.compare(u"TRUE"_s, Qt::CaseInsensitive) == 0
                ? u"encrypted, says the server"_s
                : u"not encrypted, says the server"_s);
    step.finding = (parts << driver).join(u", "_s);
    return step;
}

CheckStep databaseStep(const Answers& answers)
{
    if (answers.databaseError)
        return {.key = u"database"_s,
            .name = u"Database"_s,
            .outcome = Outcome::Note,
            .finding = reason(*answers.databaseError)};
    QStringList parts{answers.database, u"compatibility level %1"_s.arg(answers.compatibility)};
    if (!answers.collation.isEmpty())
        parts << u"collation %1"_s.arg(answers.collation);
    const bool readOnly = answers.updateability == u"READ_ONLY";
    if (readOnly)
        parts << u"read-only"_s;
    return {.key = u"database"_s,
        .name = u"Database"_s,
        .outcome = readOnly ? Outcome::Note : Outcome::Good,
        .finding = parts.join(u", "_s)};
}

QString onOff(bool on)
{
    return on ? u"on"_s : u"off"_s;
}

void reportLocking(const Answers& answers, const CheckSink& tell)
{
    if (answers.databaseError)
        return;
    tell({.key = u"read_committed_snapshot"_s,
        .name = u"Read committed snapshot"_s,
        .finding = onOff(answers.readCommittedSnapshot)
            + (answers.readCommittedSnapshot ? u": readers do not wait for writers"_s
                                             : u": readers wait for writers, and writers for readers"_s)});
    tell({.key = u"snapshot_isolation"_s,
        .name = u"Snapshot isolation"_s,
        .finding = answers.snapshotIsolation.isEmpty() ? u"unknown"_s : answers.snapshotIsolation.toLower()});
    tell({.key = u"optimized_locking"_s,
        .name = u"Optimized locking"_s,
        .finding = !answers.optimizedLocking ? u"not known to this version"_s
            : *answers.optimizedLocking      ? u"on: row locks end early, a lock on the transaction stays"_s
                                             : u"off"_s});
}

CheckStep rightsStep(const Connection& connection, const SqlServerFacts& facts, const Answers& answers)
{
    CheckStep step{.key = u"rights"_s, .name = u"Rights"_s, .outcome = Outcome::Note};
    QStringList held;
    if (!facts.rights.isEmpty())
        held << sorted(facts.rights);
    if (!answers.roles.isEmpty())
        held << u"member of %1"_s.arg(answers.roles.join(u", "_s));
    const QString list = held.isEmpty() ? u"none of those that Lockscope uses"_s : held.join(u"; "_s);
    if (facts.isOtherEngine() && !facts.hasView(u"dm_tran_locks"_s)) {
        step.finding = list + u". "_s + connection.dialect().reasonAgainst(Capability::LockView);
        return step;
    }
    const Dialect& dialect = connection.dialect();
    const QString whom = facts.isAzureDatabase() ? answers.user : answers.login;
    const auto granted = [&](const QString& right) {
        return facts.grantOf(right, whom.isEmpty() ? QString() : dialect.quoted(whom));
    };
    if (!facts.maySeeOthers()) {
        step.finding = list + u": you see your own sessions and the lock table only"_s;
        step.remedy = granted(facts.viewStateRight());
    } else if (!facts.hasRight(facts.endSessionRight())) {
        step.finding = list + u": may see all sessions and locks, may not end sessions"_s;
        step.remedy = granted(facts.endSessionRight());
    } else {
        step.outcome = Outcome::Good;
        step.finding = list + u": may see all sessions and locks, and end sessions"_s;
    }
    return step;
}

CheckStep viewsStep(const SqlServerFacts& facts)
{
    const QStringList missing = facts.missingViews();
    CheckStep step{.key = u"views"_s, .name = u"Views"_s, .finding = u"there are "_s + sorted(facts.views)};
    if (facts.views.isEmpty())
        step.finding = u"none of those that Lockscope reads"_s;
    if (!missing.isEmpty()) {
        step.outcome = Outcome::Note;
        step.finding += u"; missing: "_s + missing.join(u", "_s);
    }
    return step;
}

/// Reports the findings of a session, whose engine() is SqlServer, about its server: version and edition,
/// itself, its database and the settings for locks there, its rights, its views, Lockscope's schema. What
/// can't be read is a note. Blocks for a few round trips, ends soon after `stop`; false if it ended, or if
/// not even the schema could be asked for.
bool reportFindings(Connection& connection, const CheckSink& tell, const std::stop_token& stop)
{
    const SqlServerFacts& facts = SqlServerConnection::factsOf(connection);
    tell(serverStep(facts));
    const Answers answers = ask(connection, stop);
    if (stop.stop_requested())
        return false;
    tell(sessionStep(connection, answers));
    tell(databaseStep(answers));
    reportLocking(answers, tell);
    tell(rightsStep(connection, facts, answers));
    tell(viewsStep(facts));
    const CheckStep schema = checkSchema(connection);
    if (stop.stop_requested())
        return false;
    tell(schema);
    return schema.outcome != Outcome::Failed;
}

constexpr int stopEveryMs = 50;

class Check {
public:
    Check(const Server& server, const ConnectOptions& options, const CheckSink& tell,
        const std::stop_token& stop)
        : m_server(server)
        , m_url(server.profile.url)
        , m_options(options)
        , m_tell(tell)
        , m_stop(stop)
    {
    }

    bool run()
    {
        // A named instance tells its port only to its driver, a data source has a host of its own.
        const bool knowsPort = portOf(m_url.engine, m_url.hosts().first()) != 0;
        return findDriver() && (!m_requested.dsn.isEmpty() || (findHost() && (!knowsPort || reachPort())))
            && logIn() && reportFindings(*m_connection, m_tell, m_stop);
    }

private:
    struct Step {
        const char16_t* key;
        const char16_t* name;
    };
    static constexpr Step optionsStep{u"options", u"Options"};
    static constexpr Step driverStep{u"driver", u"ODBC driver"};
    static constexpr Step apiStep{u"api", u"Interface"};
    static constexpr Step hostStep{u"host", u"Host name"};
    static constexpr Step portStep{u"port", u"Port"};
    static constexpr Step encryptionStep{u"encryption", u"Encryption"};
    static constexpr Step serverStep{u"server", u"Server"};
    static constexpr Step loginStep{u"login", u"Login"};
    static constexpr Step databaseStep{u"database", u"Database"};

    bool tell(const Step& step, CheckStep::Outcome outcome, const QString& finding)
    {
        m_tell({.key = QString::fromUtf16(step.key),
            .name = QString::fromUtf16(step.name),
            .outcome = outcome,
            .finding = finding});
        return !m_stop.stop_requested();
    }
    bool good(const Step& step, const QString& finding)
    {
        return tell(step, CheckStep::Outcome::Good, finding);
    }
    bool note(const Step& step, const QString& finding)
    {
        return tell(step, CheckStep::Outcome::Note, finding);
    }
    bool failed(const Step& step, const QString& finding)
    {
        if (!m_stop.stop_requested())
            tell(step, CheckStep::Outcome::Failed, finding);
        return false;
    }

    bool findDriver()
    {
        const Result<SqlServerOptions> requested = SqlServerOptions::fromUrl(m_url);
        if (!requested)
            return failed(optionsStep, requested.error().toString());
        m_requested = *requested;
        const Result<OdbcDriver> driver = chooseDriver(m_requested, installedOdbcDrivers(), odbcSources());
        if (!driver)
            return failed(driverStep, driver.error().toString());
        const Result<QString> possible = connectionString(m_url, m_requested, *driver, {}, {});
        if (!possible)
            return failed(driverStep, possible.error().toString());
        m_driver = *driver;
        return good(driverStep, driverText())
            && (!m_requested.byQt
                || note(apiStep,
                    u"Qt's QODBC, as api=qodbc says: slower; why a login fails is not known, so none is tried again by itself; a login that the server never answers can't be ended everywhere: its thread is left alone."_s));
    }

    QString hostName() const { return m_url.host.section(u'\\', 0, 0); }

    bool findHost()
    {
        const QHostInfo info = QHostInfo::fromName(hostName());
        if (info.error() != QHostInfo::NoError)
            return failed(hostStep,
                u"'%1' can't be resolved: %2. Check the host name, and the name server of this machine."_s
                    .arg(hostName(), info.errorString()));
        const QStringList addresses = textOfEach(info.addresses(), &QHostAddress::toString);
        return good(hostStep, u"%1 is %2"_s.arg(hostName(), addresses.join(u", "_s)));
    }

    bool reachPort()
    {
        const int port = portOf(m_url.engine, m_url.hosts().first());
        QTcpSocket socket;
        QElapsedTimer taken;
        taken.start();
        const QDeadlineTimer deadline(m_options.connectTimeout);
        socket.connectToHost(hostName(), static_cast<quint16>(port));
        while (!socket.waitForConnected(stopEveryMs)) {
            if (m_stop.stop_requested())
                return false;
            const bool waits = socket.error() == QAbstractSocket::SocketTimeoutError
                && socket.state() != QAbstractSocket::UnconnectedState;
            if (!waits)
                return failed(portStep,
                    u"%1 refuses connections to port %2: %3. Check that the server runs, accepts TCP, and listens there."_s
                        .arg(hostName(), QString::number(port), socket.errorString()));
            if (deadline.hasExpired())
                return failed(portStep,
                    u"Port %1 of %2 does not answer. Check that no firewall drops the connection."_s.arg(
                        QString::number(port), hostName()));
        }
        m_portReached = true;
        return good(
            portStep, u"%1 reached in %2 ms"_s.arg(QString::number(port), QString::number(taken.elapsed())));
    }

    bool logIn()
    {
        auto opened = m_server.connect(m_options);
        if (m_stop.stop_requested())
            return false;
        if (!opened) {
            const Step& step = stepOf(opened.error());
            const bool isEncryption = &step == &encryptionStep;
            if (!isEncryption)
                reportEncryption();
            return failed(step,
                isEncryption
                    ? u"No encrypted connection came about: %1 If the server offers no TLS, it takes encrypt=no; if its certificate is its own, trust=yes."_s
                          .arg(opened.error().toString())
                    : opened.error().toString());
        }
        m_connection = std::move(*opened);
        return reportEncryption() && good(loginStep, accountText());
    }

    QString driverText() const
    {
        QStringList others;
        for (const OdbcDriver& driver : installedOdbcDrivers()) {
            if (driver != m_driver)
                others << driver.name;
        }
        return others.isEmpty() ? m_driver.name
                                : u"%1 (also installed: %2)"_s.arg(m_driver.name, others.join(u", "_s));
    }

    QString accountText() const
    {
        return m_url.user.isEmpty() ? u"with the account of this program"_s : u"as %1"_s.arg(m_url.user);
    }

    /// The port was reached, so what failed is what the driver and the server said to each other.
    const Step& stepOf(const Error& error) const
    {
        static const QStringList databaseErrors{u"4060"_s, u"911"_s, u"916"_s};
        if (error.nativeCode == tooOldCode)
            return serverStep;
        switch (error.kind) {
        case ErrorKind::Unsupported:
        case ErrorKind::BadInput:
            return driverStep;
        case ErrorKind::Login:
            return databaseErrors.contains(error.nativeCode) ? databaseStep : loginStep;
        default:
            break;
        }
        const bool saysSo = error.detail.contains(u"SSL"_s) || error.detail.contains(u"TLS"_s)
            || error.detail.contains(u"certificate"_s, Qt::CaseInsensitive);
        // FreeTDS has no words for a handshake that failed: the port was reached, and then nothing came of
        // it.
        const bool looksRefused = m_requested.encryption != Encryption::No && m_portReached
            && error.nativeCode == u"08001"_s && !error.detail.contains(u"Timeout"_s, Qt::CaseInsensitive);
        return saysSo || looksRefused ? encryptionStep : serverStep;
    }

    bool reportEncryption()
    {
        if (m_requested.encryption == Encryption::No)
            return tell(encryptionStep,
                isThisHost(hostName()) ? CheckStep::Outcome::Note : CheckStep::Outcome::Failed,
                isThisHost(hostName())
                    ? u"None, on a way that does not leave this machine."_s
                    : u"None: anyone in between can read everything but, if the server requires it, the login, and can answer in the server's place."_s);
        if (m_driver.kind == OdbcDriverKind::FreeTds && !m_requested.dsn.isEmpty()
            && !m_requested.trustCertificate)
            return note(encryptionStep,
                u"On; whether the certificate is verified is up to the data source's freetds.conf."_s);
        if (m_requested.trustCertificate && m_requested.encryption != Encryption::Strict)
            return note(encryptionStep,
                u"On, but the certificate is taken as it comes: who answers is not proven."_s);
        return good(encryptionStep, u"On, certificate verified"_s);
    }

    const Server& m_server;
    const ServerUrl& m_url;
    const ConnectOptions& m_options;
    const CheckSink& m_tell;
    const std::stop_token& m_stop;
    SqlServerOptions m_requested;
    OdbcDriver m_driver;
    std::unique_ptr<Connection> m_connection;
    bool m_portReached = false;
};

} // namespace

bool checkSqlServer(
    const Server& server, const ConnectOptions& options, const CheckSink& tell, const std::stop_token& stop)
{
    return Check(server, options, tell, stop).run();
}

} // namespace lockscope::db
