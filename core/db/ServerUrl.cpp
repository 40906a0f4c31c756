// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerUrl.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/credentials/Secrets.h"
#include "core/domain/Engine.h"

#include <QHostAddress>
#include <QRegularExpression>
#include <QStringDecoder>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace lockscope::db {

namespace {

struct Scheme {
    const char16_t* name;
    Engine engine;
};
constexpr std::array schemes{Scheme{u"postgresql", Engine::Postgres}, Scheme{u"postgres", Engine::Postgres},
    Scheme{u"sqlserver", Engine::SqlServer}, Scheme{u"sqlite", Engine::Sqlite}};

Failure refuse(const QString& what, const QString& hint)
{
    return failure(ErrorKind::BadInput, what, hint);
}

/// BadInput, with how a server URL is written as the hint.
Failure refuse(const QString& what)
{
    return refuse(what,
        QStringLiteral(
            "Write postgresql://user@host/database, sqlite:///path/locks.db, sqlserver://user@host/database or sandbox:"));
}

/// The hint for a URL that carries a password.
QString passwordHint()
{
    return QStringLiteral(
        "Leave the password out: it is taken from the keychain, LOCKSCOPE_PASSWORD or --password-stdin.");
}

bool hasControlCharacters(QStringView text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 32 || c == QChar(127); });
}

/// name=value pairs as ODBC, ADO.NET, JDBC and libpq have them: "Server=h;Password=…", "host=h password=…".
bool looksLikeConnectionString(const QString& text)
{
    static const QRegularExpression pair(QStringLiteral("^\\s*[A-Za-z][A-Za-z0-9_ -]*="));
    static const QRegularExpression later(QStringLiteral("(;|\\s)\\s*[A-Za-z][A-Za-z0-9_ -]*="));
    const qsizetype question = text.indexOf(u'?');
    return pair.match(text).hasMatch()
        || later.match(text.left(question < 0 ? text.size() : question)).hasMatch()
        || text.startsWith(QLatin1String("jdbc:"), Qt::CaseInsensitive);
}

/// True for nothing but letters, digits and the signs of schemes: it may be repeated.
bool isPlainName(QStringView text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) {
        return c.unicode() < 0x80 && (c.isLetterOrNumber() || c == u'-' || c == u'+' || c == u'.');
    });
}

/// Returns whether the value of such an option is secret: "password", "sslpassword", "oauth_client_secret" …
bool isSecretKey(const QString& name)
{
    static const QRegularExpression secret(
        QStringLiteral("passw(or)?d|passphrase|passcode|pwd|secret|token|^pass$|^scram_.*_key$"),
        QRegularExpression::CaseInsensitiveOption);
    return secret.match(name).hasMatch();
}

/// Stricter than QUrl, which passes broken codes through: a typing error must not become another name.
Result<QString> percentDecoded(QStringView text, bool plusIsSpace = false)
{
    static const QRegularExpression broken(QStringLiteral("%(?![0-9A-Fa-f]{2}).{0,2}"));
    if (const auto match = broken.match(text); match.hasMatch())
        return refuse(QStringLiteral("'%1' in the server URL is not a percent code.")
                          .arg(QString::fromUtf8(match.captured().toUtf8().left(3))),
            QStringLiteral("Write a literal % as %25."));
    QByteArray encoded = text.toUtf8();
    if (plusIsSpace)
        encoded.replace('+', ' ');
    QStringDecoder decoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
    QString decoded = decoder(QByteArray::fromPercentEncoding(encoded));
    if (decoder.hasError())
        return refuse(QStringLiteral("The percent codes in the server URL are not UTF-8."));
    if (hasControlCharacters(decoded))
        return refuse(QStringLiteral("The server URL contains a control character."));
    return decoded;
}

/// Encodes everything but RFC 3986's unreserved characters; `alsoPlain` stay readable.
QString percentEncoded(const QString& text, const QByteArray& alsoPlain = {})
{
    return QString::fromLatin1(text.toUtf8().toPercentEncoding(alsoPlain));
}

QString schemeOf(Engine engine)
{
    for (const Scheme& scheme : schemes)
        if (scheme.engine == engine)
            return QString::fromUtf16(scheme.name);
    return {};
}

/// None if no engine has that scheme, which is in lower case.
std::optional<Engine> engineOf(QStringView scheme)
{
    for (const Scheme& known : schemes)
        if (scheme == QStringView(known.name))
            return known.engine;
    return std::nullopt;
}

/// Socket directories have no place before the database.
bool haveDirectory(const QList<ServerUrl::Host>& hosts)
{
    return std::any_of(
        hosts.begin(), hosts.end(), [](const ServerUrl::Host& host) { return host.name.startsWith(u'/'); });
}

bool havePort(const QList<ServerUrl::Host>& hosts)
{
    return std::any_of(
        hosts.begin(), hosts.end(), [](const ServerUrl::Host& host) { return host.port != 0; });
}

QString hostText(const ServerUrl::Host& host)
{
    QString text =
        host.name.contains(u':') ? u'[' + percentEncoded(host.name, ":") + u']' : percentEncoded(host.name);
    if (host.port != 0)
        text += u':' + QString::number(host.port);
    return text;
}

QString authorityOf(const ServerUrl& url)
{
    const QString user = url.user.isEmpty() ? QString() : percentEncoded(url.user) + u'@';
    QList<ServerUrl::Host> hosts = url.hosts();
    if (haveDirectory(hosts))
        return hosts.size() > 1 || url.port == 0 ? user : user + u':' + QString::number(url.port);
    return user + textOfEach(hosts, hostText).join(u',');
}

QString queryOf(const ServerUrl& url)
{
    QStringList parts;
    const QList<ServerUrl::Host> hosts = url.hosts();
    if (haveDirectory(hosts)) {
        const auto nameText = [](const ServerUrl::Host& host) { return percentEncoded(host.name, "/:"); };
        parts << QStringLiteral("host=") + textOfEach(hosts, nameText).join(u',');
        if (hosts.size() > 1 && havePort(hosts))
            parts << QStringLiteral("port=") + portTexts(hosts).join(u',');
    }
    for (auto option = url.options.begin(); option != url.options.end(); ++option)
        parts << percentEncoded(option.key()) + u'=' + percentEncoded(option.value(), "/");
    return parts.isEmpty() ? QString() : u'?' + parts.join(u'&');
}

Result<void> parseOption(QStringView text, QMap<QString, QString>& options)
{
    const qsizetype equals = text.indexOf(u'=');
    if (equals <= 0)
        return refuse(QStringLiteral("An option of the server URL has no value."),
            QStringLiteral("Write options as ?name=value&name=value."));
    LOCKSCOPE_TRY_GET(const QString key, percentDecoded(text.left(equals), true));
    const QString name = key.trimmed().toLower();
    if (name.isEmpty())
        return refuse(QStringLiteral("The server URL has an option without a name."));
    if (isSecretKey(name))
        return refuse(QStringLiteral("The server URL contains a password."), passwordHint());
    LOCKSCOPE_TRY_GET(const QString value, percentDecoded(text.mid(equals + 1), true));
    if (options.contains(name))
        return refuse(QStringLiteral("The option '%1' appears twice in the server URL.").arg(name));
    options.insert(name, value);
    return {};
}

Result<void> moveOption(ServerUrl& url, const QString& key, QString& field)
{
    const auto option = url.options.find(key);
    if (option == url.options.end())
        return {};
    if (!field.isEmpty())
        return refuse(QStringLiteral("The server URL names the %1 twice.").arg(key));
    field = *option;
    url.options.erase(option);
    return {};
}

/// 1 to 65535.
Result<int> parsePort(const QString& text)
{
    bool isNumber = false;
    const int port = text.toInt(&isNumber);
    const bool digitsOnly =
        std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (!isNumber || !digitsOnly || port < 1 || port > 65535)
        return refuse(QStringLiteral("The port in the server URL is not a number from 1 to 65535."),
            // The text behind a colon may be a password with a slash in it: it is not repeated.
            QStringLiteral("If this is a password, leave it out; a literal : is written %3A."));
    return port;
}

Result<void> takePorts(QList<ServerUrl::Host>& hosts, const QString& text)
{
    if (havePort(hosts))
        return refuse(QStringLiteral("The server URL names the port twice."));
    const QStringList ports = text.split(u',');
    if (ports.size() != 1 && ports.size() != hosts.size())
        return refuse(QStringLiteral("The server URL names %1 hosts and %2 ports.")
                          .arg(QString::number(hosts.size()), QString::number(ports.size())),
            QStringLiteral("Name one port for all, or one for each host."));
    for (qsizetype i = 0; i < hosts.size(); ++i) {
        const QString& one = ports[ports.size() == 1 ? 0 : i];
        if (one.isEmpty() && ports.size() > 1)
            continue; // the default
        LOCKSCOPE_TRY_GET(hosts[i].port, parsePort(one));
    }
    return {};
}

/// "name=value&name=value"; names in lower case. A password is refused, and so is a name that comes twice.
Result<QMap<QString, QString>> parseOptions(QStringView query)
{
    QMap<QString, QString> options;
    for (const QStringView part : query.split(u'&', Qt::SkipEmptyParts))
        LOCKSCOPE_TRY(parseOption(part, options));
    return options;
}

/// The first becomes `host` and `port`, the others `moreHosts`; never empty.
void setHosts(ServerUrl& url, QList<ServerUrl::Host> hosts)
{
    url.host = hosts.first().name;
    url.port = hosts.first().port;
    hosts.removeFirst();
    url.moreHosts = std::move(hosts);
}

/// libpq's URLs may carry host, port, user and database as options; socket directories must.
Result<void> moveLibpqOptions(ServerUrl& url)
{
    QString names;
    QString ports;
    for (auto [key, field] : {std::pair("host", &names), std::pair("user", &url.user),
             std::pair("dbname", &url.database), std::pair("port", &ports)})
        LOCKSCOPE_TRY(moveOption(url, QString::fromLatin1(key), *field));
    QList<ServerUrl::Host> hosts = url.hosts();
    if (!names.isEmpty()) {
        if (hosts.size() > 1 || !hosts.first().name.isEmpty())
            return refuse(QStringLiteral("The server URL names the host twice."));
        const int port = hosts.first().port;
        hosts.clear();
        for (const QString& name : names.split(u','))
            hosts.append({name, port});
    }
    if (!ports.isEmpty())
        LOCKSCOPE_TRY(takePorts(hosts, ports));
    setHosts(url, std::move(hosts));
    return {};
}

Result<void> parseUser(QStringView text, ServerUrl& url)
{
    if (text.contains(u':'))
        return refuse(QStringLiteral("The server URL contains a password."), passwordHint());
    LOCKSCOPE_TRY_GET(url.user, percentDecoded(text));
    return {};
}

/// Splits "host:port", "[::1]:port"; the host comes back still encoded.
Result<std::pair<QStringView, QStringView>> splitHost(QStringView text)
{
    if (text.startsWith(u'[')) {
        const qsizetype end = text.indexOf(u']');
        const QStringView rest = end < 0 ? QStringView() : text.mid(end + 1);
        if (end < 0 || (!rest.isEmpty() && !rest.startsWith(u':')))
            return refuse(QStringLiteral("The address in square brackets is not closed properly."),
                QStringLiteral("Write IPv6 addresses as [::1] or [::1]:5432."));
        return std::pair(text.mid(1, end - 1), rest.mid(rest.isEmpty() ? 0 : 1));
    }
    const qsizetype colon = text.indexOf(u':');
    if (colon < 0)
        return std::pair(text, QStringView());
    if (text.indexOf(u':', colon + 1) >= 0)
        return refuse(QStringLiteral("The server URL has more than one colon in its host."),
            QStringLiteral("Write IPv6 addresses as [::1] or [::1]:5432."));
    return std::pair(text.left(colon), text.mid(colon + 1));
}

Result<ServerUrl::Host> parseHost(QStringView text)
{
    LOCKSCOPE_TRY_GET(const auto parts, splitHost(text));
    LOCKSCOPE_TRY_GET(QString name, percentDecoded(parts.first));
    ServerUrl::Host host{std::move(name), 0};
    if (!parts.second.isEmpty()) {
        LOCKSCOPE_TRY_GET(host.port, parsePort(parts.second.toString()));
    }
    return host;
}

Result<void> parseAuthority(QStringView authority, ServerUrl& url)
{
    const qsizetype at = authority.lastIndexOf(u'@');
    if (at >= 0)
        LOCKSCOPE_TRY(parseUser(authority.left(at), url));
    QList<ServerUrl::Host> hosts;
    for (const QStringView one : authority.mid(at + 1).split(u',')) {
        LOCKSCOPE_TRY_GET(ServerUrl::Host host, parseHost(one));
        hosts << std::move(host);
    }
    setHosts(url, std::move(hosts));
    return {};
}

Result<void> checkHost(const ServerUrl& url, const QString& host)
{
    if (url.engine != Engine::Postgres && !url.moreHosts.isEmpty())
        return refuse(QStringLiteral("The server URL names several hosts."),
            QStringLiteral("Name the listener of the availability group, with multisubnetfailover=yes."));
    if (host.isEmpty() && !url.moreHosts.isEmpty())
        return refuse(QStringLiteral("One of the server URL's hosts has no name."));
    const bool isDirectory = url.engine == Engine::Postgres && host.startsWith(u'/');
    const bool isName = std::none_of(host.begin(), host.end(),
        [](QChar c) { return c.isSpace() || QStringLiteral("/[]@?#").contains(c); });
    // libpq would take a comma for the end of a name.
    if (host.contains(u',') || (!isDirectory && !isName))
        return refuse(QStringLiteral("The server URL's host is neither a name nor an address."),
            QStringLiteral("Name a host, an address, or for PostgreSQL an absolute socket directory."));
    return {};
}

Result<ServerUrl> parseFile(QStringView rest, ServerUrl url)
{
    if (!rest.startsWith(u"///"))
        return refuse(QStringLiteral("The path of an SQLite file must be absolute."),
            QStringLiteral("Write three slashes and the path: sqlite:///home/ann/locks.db"));
    LOCKSCOPE_TRY_GET(QString path, percentDecoded(rest.mid(2)));
    const bool hasDrive =
        path.size() > 3 && path.at(2) == u':' && path.at(1).isLetter() && path.at(3) == u'/';
    url.database = hasDrive ? path.mid(1) : path;
    if (url.database.endsWith(u'/'))
        return refuse(QStringLiteral("The path ends with a slash: that is a directory, not an SQLite file."),
            QStringLiteral("Name the file: sqlite:///home/ann/locks.db"));
    return url;
}

Result<ServerUrl> parseServer(QStringView rest, ServerUrl url)
{
    if (!rest.startsWith(u"//"))
        return refuse(QStringLiteral("Two slashes are missing after '%1:'.").arg(schemeOf(url.engine)));
    rest = rest.mid(2);
    const qsizetype slash = rest.indexOf(u'/');
    const QStringView authority = slash < 0 ? rest : rest.left(slash);
    LOCKSCOPE_TRY(parseAuthority(authority, url));
    if (slash >= 0 && rest.indexOf(u'@', slash) >= 0)
        return refuse(QStringLiteral("The server URL has an '@' after its host."),
            QStringLiteral("Write / as %2F and @ as %40 in names. ") + passwordHint());
    if (slash >= 0) {
        LOCKSCOPE_TRY_GET(url.database, percentDecoded(rest.mid(slash + 1)));
    }
    if (url.engine == Engine::Postgres)
        LOCKSCOPE_TRY(moveLibpqOptions(url));
    for (const ServerUrl::Host& host : url.hosts())
        LOCKSCOPE_TRY(checkHost(url, host.name));
    if (url.engine == Engine::SqlServer && url.host.isEmpty())
        return refuse(QStringLiteral("The server URL names no host."));
    return url;
}

} // namespace

Result<ServerUrl> ServerUrl::parse(const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return refuse(QStringLiteral("The server URL is empty."));
    if (!trimmed.isValidUtf16() || hasControlCharacters(trimmed))
        return refuse(QStringLiteral("The server URL contains a control character."));
    const qsizetype colon = trimmed.indexOf(u':');
    // None of it is repeated: drivers' connection strings have passwords in them.
    if (const QString scheme = trimmed.left(std::max<qsizetype>(colon, 0)).toLower();
        !engineOf(scheme) && looksLikeConnectionString(trimmed))
        return refuse(QStringLiteral("This is a driver's connection string, not a server URL."),
            refuse({}).value().hint + QStringLiteral(". ") + passwordHint());
    if (colon <= 0)
        return refuse(QStringLiteral("This is not a server URL."));
    const QString scheme = trimmed.left(colon).toLower();
    const qsizetype question = trimmed.indexOf(u'?', colon);
    const QStringView rest = QStringView(trimmed).mid(colon + 1, question < 0 ? -1 : question - colon - 1);
    if (rest.contains(u'#'))
        return refuse(QStringLiteral("The server URL contains a '#'."), QStringLiteral("Write it as %23."));

    // A file's path may look like anything: it has no password, unless it goes on as for a driver.
    const bool isFile = engineOf(scheme) == Engine::Sqlite;
    const auto separator =
        std::ranges::find_if(rest, [](QChar each) { return QStringView(u";&,\uFF1B").contains(each); });
    const qsizetype secretsFrom = isFile ? colon + 1 + (separator - rest.begin()) : 0;
    if (const QString mayTell = trimmed.mid(secretsFrom); withoutSecrets(mayTell) != mayTell)
        return refuse(QStringLiteral("The server URL contains a password."),
            isFile
                ? QStringLiteral("A file has none. Write ';', '&' and ',' of its path as %3B, %26 and %2C.")
                : passwordHint());

    ServerUrl url;
    if (question >= 0) {
        LOCKSCOPE_TRY_GET(url.options, parseOptions(QStringView(trimmed).mid(question + 1)));
    }
    if (scheme == QLatin1String("sandbox")) {
        if (!rest.isEmpty())
            return refuse(QStringLiteral("Nothing may follow 'sandbox:'."));
        url.sandbox = true;
        return url;
    }
    const auto engine = engineOf(scheme);
    if (!engine)
        return refuse(rest.startsWith(u"//") && isPlainName(scheme)
                ? QStringLiteral("'%1' is not a kind of server that Lockscope knows.").arg(scheme)
                : QStringLiteral("This is not a kind of server that Lockscope knows."));
    url.engine = *engine;
    return url.isFile() ? parseFile(rest, std::move(url)) : parseServer(rest, std::move(url));
}

ServerUrl ServerUrl::ofFile(const QString& absolutePath)
{
    ServerUrl url;
    url.engine = Engine::Sqlite;
    url.database = absolutePath;
    return url;
}

QString ServerUrl::toString() const
{
    if (sandbox)
        return QStringLiteral("sandbox:") + queryOf(*this);
    const QString start = schemeOf(engine) + QStringLiteral("://");
    if (isFile()) {
        const QString slash = database.startsWith(u'/') ? QString() : QStringLiteral("/");
        return start + slash + percentEncoded(database, "/:") + queryOf(*this);
    }
    const QString path = database.isEmpty() ? QString() : u'/' + percentEncoded(database);
    return start + authorityOf(*this) + path + queryOf(*this);
}

QList<ServerUrl::Host> ServerUrl::hosts() const
{
    return QList<Host>{{host, port}} + moreHosts;
}

QString ServerUrl::display() const
{
    if (sandbox)
        return QStringLiteral("sandbox");
    if (isFile())
        return inOneLine(database.section(u'/', -1));
    QStringList places;
    for (const Host& one : hosts()) {
        QString place = one.name.startsWith(u'/') ? QStringLiteral("[local]")
            : one.name.isEmpty()                  ? QStringLiteral("localhost")
            : one.name.contains(u':')             ? u'[' + one.name + u']'
                                                  : one.name;
        if (one.port != 0)
            place += u':' + QString::number(one.port);
        places << place;
    }
    const QString text = (user.isEmpty() ? QString() : user + u'@') + places.join(u',');
    return inOneLine(database.isEmpty() ? text : text + u'/' + database);
}

int portOf(Engine engine, const ServerUrl::Host& host)
{
    return host.port != 0 || host.name.contains(u'\\') ? host.port : defaultPort[engine];
}

QStringList portTexts(const QList<ServerUrl::Host>& hosts)
{
    return textOfEach(hosts,
        [](const ServerUrl::Host& host) { return host.port == 0 ? QString() : QString::number(host.port); });
}

bool isThisHost(const QString& host)
{
    static const QStringList names{QString(), QStringLiteral("."), QStringLiteral("(local)"),
        QStringLiteral("localhost"), QStringLiteral("localhost.")};
    return names.contains(host, Qt::CaseInsensitive) || QHostAddress(host).isLoopback();
}

} // namespace lockscope::db
