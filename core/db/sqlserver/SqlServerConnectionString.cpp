// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerConnectionString.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/db/sqlserver/OdbcLink.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <functional>
#include <sql.h>
#include <sqlext.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

template <class Value> struct Word {
    const char16_t* text; ///< in a URL
    Value value;
};

constexpr std::array encryptions{Word<Encryption>{u"yes", Encryption::Yes},
    Word<Encryption>{u"no", Encryption::No}, Word<Encryption>{u"strict", Encryption::Strict},
    // the drivers' other words for the same
    Word<Encryption>{u"mandatory", Encryption::Yes}, Word<Encryption>{u"true", Encryption::Yes},
    Word<Encryption>{u"optional", Encryption::No}, Word<Encryption>{u"false", Encryption::No}};
constexpr std::array booleans{Word<bool>{u"yes", true}, Word<bool>{u"no", false}, Word<bool>{u"true", true},
    Word<bool>{u"false", false}};
constexpr std::array interfaces{Word<bool>{u"odbc", false}, Word<bool>{u"qodbc", true}};
constexpr std::array intents{Word<bool>{u"readwrite", false}, Word<bool>{u"readonly", true}};
constexpr std::array authentications{Word<Authentication>{u"sql", Authentication::Sql},
    Word<Authentication>{u"integrated", Authentication::Integrated},
    Word<Authentication>{u"entra-password", Authentication::EntraPassword},
    Word<Authentication>{u"entra-integrated", Authentication::EntraIntegrated},
    Word<Authentication>{u"entra-interactive", Authentication::EntraInteractive},
    Word<Authentication>{u"entra-managed-identity", Authentication::EntraManagedIdentity},
    Word<Authentication>{u"entra-service-principal", Authentication::EntraServicePrincipal}};

template <class Words, class Value> QString nameOf(const Words& words, Value value)
{
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.value == value; });
    return word == words.end() ? QString() : QString::fromUtf16(word->text);
}

/// Takes the value of a word's list into `field`.
template <class Words, class Value>
Result<void> take(const QString& key, const QString& text, const Words& words, Value& field)
{
    QStringList all;
    for (const auto& word : words) {
        if (text.compare(QStringView(word.text), Qt::CaseInsensitive) == 0) {
            field = word.value;
            return {};
        }
        all << QString::fromUtf16(word.text);
    }
    return failure(ErrorKind::BadInput,
        u"The option %1=%2 of the server URL has no meaning for SQL Server."_s.arg(key, text),
        u"Write %1=%2."_s.arg(key, all.join(u'|')));
}

/// The drivers' spellings of our options.
QString ourName(const QString& key)
{
    if (key == u"trustservercertificate")
        return u"trust"_s;
    if (key == u"hostnameincertificate")
        return u"certificate"_s;
    if (key == u"applicationintent")
        return u"intent"_s;
    if (key == u"serverspn")
        return u"spn"_s;
    return key;
}

Result<void> takeOption(const QString& key, const QString& text, SqlServerOptions& options)
{
    const std::array plain{std::pair{u"driver", &options.driver}, std::pair{u"dsn", &options.dsn},
        std::pair{u"certificate", &options.certificateHost}, std::pair{u"spn", &options.spn}};
    for (const auto& [name, field] : plain) {
        if (key == QStringView(name)) {
            *field = text;
            return {};
        }
    }
    if (key == u"api")
        return take(key, text, interfaces, options.byQt);
    if (key == u"encrypt")
        return take(key, text, encryptions, options.encryption);
    if (key == u"trust")
        return take(key, text, booleans, options.trustCertificate);
    if (key == u"intent")
        return take(key, text, intents, options.readOnlyIntent);
    if (key == u"multisubnetfailover")
        return take(key, text, booleans, options.multiSubnetFailover);
    if (key == u"auth")
        return take(key, text, authentications, options.authentication);
    if (key == u"schema_owner" || key == u"frameworks")
        return {}; // whom to trust and what to read is ours to know: see SchemaTrust.h, ServerProfile.h
    return failure(ErrorKind::BadInput, u"'%1' is not an option of a sqlserver URL."_s.arg(key),
        u"Known are driver, dsn, api, encrypt, trust, certificate, auth, intent, multisubnetfailover, spn, schema_owner and frameworks."_s);
}

Failure unsupported(const QString& what, const QString& hint)
{
    return failure(ErrorKind::Unsupported, what, hint);
}

/// Collects "Keyword=value;" and remembers the first value that the driver can't take.
class Keywords {
public:
    explicit Keywords(OdbcDriverKind kind)
        : m_kind(kind)
    {
    }

    void add(const char16_t* keyword, const QString& value)
    {
        m_text += QString::fromUtf16(keyword) + u'=' + written(QString::fromUtf16(keyword), value) + u';';
    }
    const QString& text() const { return m_text; }
    Result<void> check() const
    {
        if (m_refused.isEmpty())
            return {};
        return failure(ErrorKind::BadInput,
            u"The driver can't take this %1."_s.arg(m_refused == u"PWD" ? u"password"_s : m_refused),
            u"FreeTDS takes no value that has a '}' together with ';' or spaces at an end, and no driver takes a NUL."_s);
    }

private:
    /// Braces protect a value. Microsoft's driver doubles a '}' inside; FreeTDS does so only from 1.4 on, but
    /// takes everything else as it stands, so there braces are put only round what can't do without.
    QString written(const QString& keyword, const QString& value)
    {
        if (value.contains(QChar(0)))
            refuse(keyword);
        if (m_kind == OdbcDriverKind::FreeTds) {
            if (!value.contains(u';') && !value.startsWith(u'{') && value == value.trimmed())
                return value;
            if (value.contains(u'}'))
                refuse(keyword);
            return u'{' + value + u'}';
        }
        const bool plain = std::all_of(value.begin(), value.end(),
            [](QChar c) { return c.isLetterOrNumber() || u".:-_\\/"_s.contains(c); });
        if (plain)
            return value;
        QString doubled = value;
        doubled.replace(u'}', u"}}"_s);
        return u'{' + doubled + u'}';
    }
    void refuse(const QString& keyword)
    {
        if (m_refused.isEmpty())
            m_refused = keyword;
    }

    const OdbcDriverKind m_kind;
    QString m_text;
    QString m_refused;
};

Result<void> addMicrosoft(
    Keywords& keywords, const ServerUrl& url, const SqlServerOptions& options, const OdbcDriver& driver)
{
    if (options.encryption == Encryption::Strict && driver.version < 18)
        return unsupported(
            u"'%1' can't encrypt strictly."_s.arg(driver.name), u"Use ODBC Driver 18, or encrypt=yes."_s);
    if (!options.certificateHost.isEmpty() && driver.version < 18)
        return unsupported(u"'%1' compares the certificate with the host's name only."_s.arg(driver.name),
            u"Use ODBC Driver 18, or leave certificate= out."_s);
    if (options.dsn.isEmpty())
        keywords.add(
            u"Server", url.port == 0 ? url.host : u"tcp:%1,%2"_s.arg(url.host, QString::number(url.port)));
    keywords.add(u"Encrypt", nameOf(encryptions, options.encryption));
    // A strict connection always verifies.
    const bool trusts = options.trustCertificate && options.encryption != Encryption::Strict;
    keywords.add(u"TrustServerCertificate", trusts ? u"yes"_s : u"no"_s);
    if (!options.certificateHost.isEmpty())
        keywords.add(u"HostnameInCertificate", options.certificateHost);
    if (!options.spn.isEmpty())
        keywords.add(u"ServerSPN", options.spn);
    static constexpr EnumTable<Authentication> microsoftEntra(
        {{}, {}, u"ActiveDirectoryPassword", u"ActiveDirectoryIntegrated", u"ActiveDirectoryInteractive",
            u"ActiveDirectoryMsi", u"ActiveDirectoryServicePrincipal"});
    if (options.authentication == Authentication::Integrated)
        keywords.add(u"Trusted_Connection", u"yes"_s);
    else if (options.authentication != Authentication::Sql)
        keywords.add(u"Authentication", microsoftEntra[options.authentication].toString());
    keywords.add(u"ApplicationIntent", options.readOnlyIntent ? u"ReadOnly"_s : u"ReadWrite"_s);
    if (options.multiSubnetFailover)
        keywords.add(u"MultiSubnetFailover", u"yes"_s);
    keywords.add(u"MARS_Connection", u"no"_s);
    if (driver.version >= 18) { // older ones take these from a data source only
        keywords.add(u"KeepAlive", u"5"_s);
        keywords.add(u"KeepAliveInterval", u"1"_s);
    }
    // A connection that the driver replaces behind our back has lost its locks without a word.
    keywords.add(u"ConnectRetryCount", u"0"_s);
    return {};
}

Result<void> addFreeTds(Keywords& keywords, const ServerUrl& url, const SqlServerOptions& options)
{
    if (options.encryption == Encryption::Strict)
        return unsupported(
            u"FreeTDS can't encrypt strictly."_s, u"Use Microsoft's ODBC Driver 18, or encrypt=yes."_s);
    if (options.authentication != Authentication::Sql && options.authentication != Authentication::Integrated)
        return unsupported(u"FreeTDS can't log in with Entra."_s, u"Use Microsoft's ODBC Driver 18."_s);
    if (options.encryption == Encryption::Yes && !options.trustCertificate && options.dsn.isEmpty())
        return unsupported(u"FreeTDS can't verify the server's certificate by a connection string."_s,
            u"Use Microsoft's ODBC Driver 18; or a data source (dsn=) whose server in freetds.conf has a 'ca file'; or say trust=yes: encrypted, but without knowing who answers."_s);
    if (!options.certificateHost.isEmpty())
        return unsupported(u"FreeTDS compares the certificate with the host's name only."_s,
            u"Leave certificate= out, or use Microsoft's ODBC Driver 18."_s);
    if (options.multiSubnetFailover)
        return unsupported(u"FreeTDS can't try all addresses of a listener at once."_s,
            u"Use Microsoft's ODBC Driver 18, or leave multisubnetfailover= out."_s);
    if (options.dsn.isEmpty()) {
        keywords.add(u"Server", url.host);
        if (const int port = portOf(url.engine, url.hosts().first()); port != 0)
            keywords.add(u"Port", QString::number(port));
        keywords.add(u"TDS_Version", u"7.4"_s);
    }
    keywords.add(u"Encryption", options.encryption == Encryption::Yes ? u"require"_s : u"off"_s);
    if (!options.spn.isEmpty())
        keywords.add(u"ServerSPN", options.spn);
    if (options.authentication == Authentication::Integrated)
        keywords.add(u"Trusted_Connection", u"yes"_s);
    keywords.add(u"ApplicationIntent", options.readOnlyIntent ? u"ReadOnly"_s : u"ReadWrite"_s);
    keywords.add(u"MARS_Connection", u"no"_s);
    // FreeTDS knows SQL_ATTR_PACKET_SIZE, and does not heed it. A data source may have its own.
    if (options.dsn.isEmpty())
        keywords.add(u"PacketSize", QString::number(OdbcLink::packetSize));
    return {};
}

Result<void> addAll(
    Keywords& keywords, const ServerUrl& url, const SqlServerOptions& options, const OdbcDriver& driver)
{
    switch (driver.kind) {
    case OdbcDriverKind::Microsoft:
        return addMicrosoft(keywords, url, options, driver);
    case OdbcDriverKind::FreeTds:
        return addFreeTds(keywords, url, options);
    case OdbcDriverKind::Other:
        break;
    }
    return unsupported(u"'%1' is not an ODBC driver that Lockscope knows."_s.arg(driver.name),
        u"Use Microsoft's ODBC Driver 18 for SQL Server, or FreeTDS."_s);
}

bool isPlainSourceName(const QString& name)
{
    return std::none_of(name.begin(), name.end(), [](QChar c) { return u"[]{}(),;?*=!@\\"_s.contains(c); });
}

/// An environment of the driver manager, for as long as a list is read.
class OdbcEnvironment {
public:
    OdbcEnvironment()
    {
        if (SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &m_handle)))
            SQLSetEnvAttr(m_handle, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
    }
    ~OdbcEnvironment()
    {
        if (m_handle != SQL_NULL_HANDLE)
            SQLFreeHandle(SQL_HANDLE_ENV, m_handle);
    }
    Q_DISABLE_COPY_MOVE(OdbcEnvironment)

    SQLHANDLE handle() const { return m_handle; }

private:
    SQLHANDLE m_handle = SQL_NULL_HANDLE;
};

using ListFunction = SQLRETURN (*)(
    SQLHENV, SQLUSMALLINT, SQLCHAR*, SQLSMALLINT, SQLSMALLINT*, SQLCHAR*, SQLSMALLINT, SQLSMALLINT*);

/// Hands over each pair that SQLDrivers or SQLDataSources names.
void list(ListFunction next, const std::function<void(const QString& name, const QString& description)>& take)
{
    const OdbcEnvironment environment;
    std::array<SQLCHAR, 512> name{};
    std::array<SQLCHAR, 4096> description{};
    SQLUSMALLINT direction = SQL_FETCH_FIRST;
    while (environment.handle() != SQL_NULL_HANDLE
        && SQL_SUCCEEDED(next(environment.handle(), direction, name.data(), name.size(), nullptr,
            description.data(), description.size(), nullptr))) {
        take(QString::fromLocal8Bit(reinterpret_cast<const char*>(name.data())),
            QString::fromLocal8Bit(reinterpret_cast<const char*>(description.data())));
        direction = SQL_FETCH_NEXT;
    }
}

} // namespace

Result<SqlServerOptions> SqlServerOptions::fromUrl(const ServerUrl& url)
{
    SqlServerOptions options;
    for (auto option = url.options.begin(); option != url.options.end(); ++option)
        LOCKSCOPE_TRY(takeOption(ourName(option.key()), option.value(), options));
    if (!options.dsn.isEmpty() && !options.driver.isEmpty())
        return failure(ErrorKind::BadInput, u"The server URL names both a driver and a data source."_s,
            u"A data source has its driver: leave driver= out."_s);
    if (!isPlainSourceName(options.dsn))
        return failure(ErrorKind::BadInput, u"'%1' can't be the name of a data source."_s.arg(options.dsn),
            u"ODBC allows none of []{}(),;?*=!@\\ in it."_s);
    return options;
}

QMap<QString, QString> SqlServerOptions::toUrlOptions() const
{
    const SqlServerOptions defaults;
    QMap<QString, QString> all{
        {u"driver"_s, driver}, {u"dsn"_s, dsn}, {u"certificate"_s, certificateHost}, {u"spn"_s, spn}};
    if (byQt)
        all.insert(u"api"_s, nameOf(interfaces, byQt));
    if (encryption != defaults.encryption)
        all.insert(u"encrypt"_s, nameOf(encryptions, encryption));
    if (trustCertificate)
        all.insert(u"trust"_s, u"yes"_s);
    if (authentication != defaults.authentication)
        all.insert(u"auth"_s, nameOf(authentications, authentication));
    if (readOnlyIntent)
        all.insert(u"intent"_s, u"readonly"_s);
    if (multiSubnetFailover)
        all.insert(u"multisubnetfailover"_s, u"yes"_s);
    all.removeIf([](const auto& option) { return option.value().isEmpty(); });
    return all;
}

bool needsPassword(Authentication authentication)
{
    return authentication == Authentication::Sql || authentication == Authentication::EntraPassword
        || authentication == Authentication::EntraServicePrincipal;
}

Result<QString> connectionString(const ServerUrl& url, const SqlServerOptions& options,
    const OdbcDriver& driver, const QString& password, const QString& program)
{
    Keywords keywords(driver.kind);
    LOCKSCOPE_TRY(addAll(keywords, url, options, driver));
    if (!url.database.isEmpty())
        keywords.add(u"Database", url.database);
    keywords.add(u"APP", program);
    const bool asOurselves = options.authentication == Authentication::Integrated
        || options.authentication == Authentication::EntraIntegrated;
    if (!asOurselves)
        keywords.add(u"UID", url.user);
    if (needsPassword(options.authentication))
        keywords.add(u"PWD", password);
    LOCKSCOPE_TRY(keywords.check());
    const QString start =
        options.dsn.isEmpty() ? u"DRIVER={%1};"_s.arg(driver.name) : u"DSN=%1;"_s.arg(options.dsn);
    return start + keywords.text();
}

Result<OdbcDriver> chooseDriver(
    const SqlServerOptions& options, const QList<OdbcDriver>& installed, const QList<OdbcSource>& sources)
{
    if (!options.dsn.isEmpty()) {
        const auto source = std::find_if(sources.begin(), sources.end(),
            [&](const OdbcSource& one) { return one.name.compare(options.dsn, Qt::CaseInsensitive) == 0; });
        if (source != sources.end())
            return source->driver;
        return failure(ErrorKind::Unsupported,
            u"There is no ODBC data source '%1' for SQL Server."_s.arg(options.dsn),
            u"Set it up in ~/.odbc.ini or /etc/odbc.ini with an installed driver, or leave dsn= out."_s);
    }
    if (options.driver.isEmpty() && !installed.isEmpty())
        return installed.first();
    const auto driver = std::find_if(installed.begin(), installed.end(),
        [&](const OdbcDriver& one) { return one.name.compare(options.driver, Qt::CaseInsensitive) == 0; });
    if (driver != installed.end())
        return *driver;
    const QStringList names = textOfEach(installed, &OdbcDriver::name);
    return failure(ErrorKind::Unsupported,
        options.driver.isEmpty() ? u"No ODBC driver for SQL Server is installed."_s
                                 : u"The ODBC driver '%1' is not installed."_s.arg(options.driver),
        names.isEmpty() ? u"Install msodbcsql18 from Microsoft, or the package tdsodbc (FreeTDS)."_s
                        : u"Installed are: %1."_s.arg(names.join(u", "_s)));
}

OdbcDriver odbcDriver(const QString& name)
{
    static const QRegularExpression microsoft(
        u"^(?:ODBC Driver (\\d+) for SQL Server|.*msodbcsql-?(\\d*).*)$"_s,
        QRegularExpression::CaseInsensitiveOption);
    if (const auto match = microsoft.match(name); match.hasMatch()) {
        const int version = match.captured(match.hasCaptured(1) ? 1 : 2).toInt();
        return {name, OdbcDriverKind::Microsoft, version};
    }
    const bool isFreeTds =
        name.contains(u"FreeTDS"_s, Qt::CaseInsensitive) || name.contains(u"tdsodbc"_s, Qt::CaseInsensitive);
    return {name, isFreeTds ? OdbcDriverKind::FreeTds : OdbcDriverKind::Other, 0};
}

QList<OdbcDriver> installedOdbcDrivers()
{
    QList<OdbcDriver> drivers;
    list(SQLDrivers, [&](const QString& name, const QString&) {
        const OdbcDriver driver = odbcDriver(name);
        if (driver.kind != OdbcDriverKind::Other && !drivers.contains(driver))
            drivers << driver;
    });
    std::stable_sort(drivers.begin(), drivers.end(), [](const OdbcDriver& a, const OdbcDriver& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.version > b.version;
    });
    return drivers;
}

QList<OdbcSource> odbcSources()
{
    QList<OdbcSource> sources;
    list(SQLDataSources, [&](const QString& name, const QString& driver) {
        const OdbcSource source{name, odbcDriver(driver)};
        if (source.driver.kind != OdbcDriverKind::Other)
            sources << source;
    });
    std::sort(sources.begin(), sources.end(),
        [](const OdbcSource& a, const OdbcSource& b) { return a.name.localeAwareCompare(b.name) < 0; });
    return sources;
}

} // namespace lockscope::db
