// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerCheck.h"

#include "core/db/sqlserver/SqlServerConnection.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "core/db/sqlserver/SqlServerFindings.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QHostAddress>
#include <QHostInfo>
#include <QTcpSocket>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

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
        QStringList addresses;
        for (const QHostAddress& address : info.addresses())
            addresses << address.toString();
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
