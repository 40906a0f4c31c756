// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Encrypted or not at all, and the certificate verified unless an option says otherwise: with both drivers.

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/Odbc.h"
#include "tests/support/tds/SessionAnswers.h"

#include <deque>

namespace tst_SqlServerTls {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test::tds;
using lockscope::test::runSql;

constexpr int manyRows = 3'000;

/// Returns the parts of a session that it can read on the wire.
class Double : public TdsServer {
public:
    Double()
    {
        addSessionAnswers(*this);
        onLogin([this](test::tds::Session&) { ++m_logins; });
        answer(u"SELECT encrypted"_s, [](const Request& request, Reply& reply) {
            reply.table({{u"encrypted"_s, bit()}}, {{request.session->isEncrypted}});
        });
        answer(u"SELECT much"_s, [](const Request&, Reply& reply) {
            reply.columns({{u"n"_s, integer()}, {u"text"_s, nvarchar(200)}});
            for (int n = 0; n < manyRows; ++n)
                reply.row({n, QString(100, QChar(u'a' + n % 26))});
        });
        answer(u"WAITFOR"_s, [this](const Request&, Reply& reply) {
            reply.defer();
            ++m_waiting;
        });
    }
    Result<std::unique_ptr<Connection>> open(const std::map<QString, QString>& options) const
    {
        ServerUrl url = urlOf(*this);
        url.host = u"localhost"_s;
        for (const auto& [name, value] : options)
            url.options[name] = value;
        if (url.options.contains(u"dsn"_s))
            url.options.remove(u"driver"_s);
        return db::Server::at(url, fixedPassword(passwordOf(*this))).connect();
    }
    int logins() const { return m_logins; }
    int waiting() const { return m_waiting; }

private:
    std::atomic<int> m_logins = 0;
    std::atomic<int> m_waiting = 0;
};

/// Makes this program's drivers trust an authority: as the system's (OpenSSL, for Microsoft's driver), or by
/// the data source "verified", which leads to `server` (FreeTDS).
class TrustedAuthority {
public:
    TrustedAuthority(const QByteArray& certificate, const Double& server)
    {
        const QString file = write(u"authority.pem"_s, certificate);
        m_variables.emplace_back("SSL_CERT_FILE", file);
        m_variables.emplace_back("FREETDSCONF",
            write(u"freetds.conf"_s,
                u"[verified]\nhost = localhost\nport = %1\ntds version = 7.4\nencryption = require\nca file = %2\n"
                "check certificate hostname = yes\n"_s.arg(QString::number(server.port()), file)
                    .toUtf8()));
        m_variables.emplace_back(
            "ODBCINI", write(u"odbc.ini"_s, "[verified]\nDriver = FreeTDS\nServername = verified\n"));
    }
    std::map<QString, QString> options() const
    {
        if (driverInUse() == test::tds::OdbcDriver::Microsoft)
            return {{u"encrypt"_s, u"yes"_s}};
        return {{u"encrypt"_s, u"yes"_s}, {u"dsn"_s, u"verified"_s}};
    }

private:
    QString write(const QString& name, const QByteArray& content) const
    {
        return test::makeFile(m_folder.filePath(name), content);
    }

    const QTemporaryDir m_folder;
    std::deque<test::Variable> m_variables;
};

static bool isEncrypted(Connection& connection)
{
    bool is = false;
    test::orDie(
        runSql(connection, u"SELECT encrypted"_s, {}, [&is](const Row& row) { is = row.boolean(0); }));
    return is;
}

class SqlServerTls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { addDrivers(); }
    void init()
    {
        if (!useDriverOfRow())
            QSKIP("This driver is not installed.");
    }

    void unknownCertificateIsRefusedAndTheChoiceNamed()
    {
        Double server;
        server.offerTls();
        const auto refused = server.open({{u"encrypt"_s, u"yes"_s}});
        QVERIFY(!refused);
        QVERIFY2(refused.error().hint.contains(u"trust=yes"_s), qPrintable(refused.error().toString()));
        VERIFY_CONTAINS(refused.error().toString(), u"certificate"_s);
        QCOMPARE(server.logins(), 0); // and the password was not sent
    }

    void certificateOfAKnownAuthorityIsVerified()
    {
        Double server;
        const TrustedAuthority authority(server.offerTls(), server);
        const auto connection = server.open(authority.options());
        VERIFY_DONE(connection);
        QVERIFY(isEncrypted(**connection));
    }

    void certificateForAnotherHostIsRefused()
    {
        Double server;
        const TrustedAuthority authority(server.offerTls("db.example"), server);
        const auto refused = server.open(authority.options());
        QVERIFY(!refused);
        const QString way =
            driverInUse() == test::tds::OdbcDriver::FreeTds ? u"freetds.conf"_s : u"certificate="_s;
        QVERIFY2(refused.error().hint.contains(way), qPrintable(refused.error().toString()));
        QCOMPARE(server.logins(), 0);
    }

    void nameInTheCertificateMayBeGiven()
    {
        Double server;
        const TrustedAuthority authority(server.offerTls("db.example"), server);
        auto options = authority.options();
        options[u"certificate"_s] = u"db.example"_s;
        const auto connection = server.open(options);
        if (driverInUse() == test::tds::OdbcDriver::FreeTds) {
            VERIFY_FAILS(ErrorKind::Unsupported, connection);
            return;
        }
        VERIFY_DONE(connection);
        QVERIFY(isEncrypted(**connection));
    }

    void strictEncryptsFromTheFirstByte()
    {
        Double server;
        const TrustedAuthority authority(server.offerTls(), server);
        const auto connection = server.open({{u"encrypt"_s, u"strict"_s}});
        if (driverInUse() == test::tds::OdbcDriver::FreeTds) {
            VERIFY_FAILS(ErrorKind::Unsupported, connection);
            return;
        }
        VERIFY_DONE(connection);
        QVERIFY(isEncrypted(**connection));
    }

    void strictTrustsNobodyUnknown()
    {
        if (driverInUse() == test::tds::OdbcDriver::FreeTds)
            QSKIP("FreeTDS can't encrypt strictly.");
        Double server;
        server.offerTls();
        const auto refused = server.open({{u"encrypt"_s, u"strict"_s}, {u"trust"_s, u"yes"_s}});
        QVERIFY(!refused);
        VERIFY_CONTAINS(refused.error().toString(), u"certificate"_s);
        QVERIFY2(!refused.error().hint.contains(u"trust=yes"_s), qPrintable(refused.error().toString()));
        QCOMPARE(server.logins(), 0);
    }

    void strictOnAServerThatCannotIsRefusedWithTheWayOut()
    {
        if (driverInUse() == test::tds::OdbcDriver::FreeTds)
            QSKIP("FreeTDS can't encrypt strictly.");
        Double server;
        const auto refused = server.open({{u"encrypt"_s, u"strict"_s}});
        QVERIFY(!refused);
        QVERIFY2(refused.error().hint.contains(u"encrypt=yes"_s), qPrintable(refused.error().toString()));
        QCOMPARE(server.logins(), 0);
    }

    void certificateIsTrustedOnRequest()
    {
        Double server;
        server.offerTls();
        const auto connection = server.open({{u"encrypt"_s, u"yes"_s}, {u"trust"_s, u"yes"_s}});
        VERIFY_DONE(connection);
        QVERIFY(isEncrypted(**connection));
    }

    void manyRowsComeThroughWhole()
    {
        Double server;
        server.offerTls();
        const auto connection = server.open({{u"encrypt"_s, u"yes"_s}, {u"trust"_s, u"yes"_s}});
        VERIFY_DONE(connection);
        int whole = 0;
        QVERIFY(runSql(**connection, u"SELECT much"_s, {}, [&whole](const Row& row) {
            whole += row.text(1) == QString(100, QChar(u'a' + static_cast<int>(row.int64(0) % 26)));
        }));
        QCOMPARE(whole, manyRows);
    }

    void waitIsCancelledThroughTls()
    {
        Double server;
        server.offerTls();
        const auto connection = server.open({{u"encrypt"_s, u"yes"_s}, {u"trust"_s, u"yes"_s}});
        VERIFY_DONE(connection);
        std::stop_source stop;
        std::jthread canceller([&] {
            while (server.waiting() == 0)
                std::this_thread::yield();
            stop.request_stop();
        });
        VERIFY_FAILS(ErrorKind::Cancelled, runSql(**connection, u"WAITFOR"_s, {}, {}, stop.get_token()));
        QVERIFY(isEncrypted(**connection));
    }

    void serverThatCannotEncryptIsRefused()
    {
        Double server;
        const auto refused = server.open({{u"encrypt"_s, u"yes"_s}, {u"trust"_s, u"yes"_s}});
        VERIFY_FAILS(ErrorKind::Connection, refused);
        QVERIFY2(refused.error().hint.contains(u"encrypt=no"_s), qPrintable(refused.error().toString()));
        QCOMPARE(server.logins(), 0);
    }

    void withoutEncryptionIfOneSaysSo()
    {
        Double server;
        server.offerTls();
        const auto connection = server.open({{u"encrypt"_s, u"no"_s}});
        VERIFY_DONE(connection);
        QVERIFY(!isEncrypted(**connection));
    }
};

LOCKSCOPE_TEST(SqlServerTls)

} // namespace tst_SqlServerTls
#include "tst_SqlServerTls.moc"
