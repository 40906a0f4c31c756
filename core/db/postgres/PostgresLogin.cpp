// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresLogin.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/db/AnswerLimits.h"
#include "core/db/credentials/Secrets.h"
#include "core/db/postgres/PostgresDialect.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

/// False for a server that can't be reached, which would be waited for twice.
bool mayBeAboutEncryption(const QString& text)
{
    return text.contains(u"SSL"_s) || text.contains(u"pg_hba.conf"_s) || !PostgresDialect().knowsText(text);
}

Failure refusedOption(const QString& name, const QString& hint)
{
    return failure(
        ErrorKind::BadInput, u"The option '%1' of the server URL can't be used."_s.arg(name), hint);
}

/// The server takes "-c search_path=…", "-csearch_path=…", "--search-path=…", with backslashes in between.
bool namesSetting(QString options, const QString& name)
{
    options.replace(u'-', u'_').remove(u'\\').remove(u' ');
    return options.contains(name, Qt::CaseInsensitive);
}

/// Ours first; the URL's options override them.
QMap<QString, QString> ourParameters(const ConnectOptions& options)
{
    const qint64 seconds = std::max<qint64>(2, (options.connectTimeout.count() + 999) / 1000);
    // A server that vanished from the network is noticed within 20 s, not after the system's two hours; by
    // the holder of a lock within 12 s: probes after 5, 7 and 9 s of silence, or 10 s of something
    // unacknowledged.
    const bool mayHold = options.purpose == Purpose::Lock;
    return {{u"connect_timeout"_s, QString::number(seconds)},
        {u"keepalives_idle"_s, mayHold ? u"5"_s : u"10"_s},
        {u"keepalives_interval"_s, mayHold ? u"2"_s : u"3"_s}, {u"keepalives_count"_s, u"3"_s},
        {u"tcp_user_timeout"_s, mayHold ? u"10000"_s : u"19000"_s}};
}

} // namespace

Result<PostgresLogin> PostgresLogin::from(
    const ServerUrl& url, const QString& password, const ConnectOptions& options)
{
    PostgresLogin login(url);
    LOCKSCOPE_TRY(login.takeOptions(options.purpose, options.programSuffix));
    QMap<QString, QString>& parameters = login.m_parameters;
    parameters = ourParameters(options);
    parameters.insert(login.m_url.options);
    const QList<ServerUrl::Host> hosts = url.hosts();
    parameters.insert(u"host"_s, textOfEach(hosts, &ServerUrl::Host::name).join(u','));
    parameters.insert(u"port"_s, portTexts(hosts).join(u','));
    parameters.insert(u"dbname"_s, url.database);
    parameters.insert(u"user"_s, url.user);
    parameters.insert(u"password"_s, password);
    parameters.insert(u"client_encoding"_s, u"UTF8"_s);
    return login;
}

/// Takes out of the URL what is ours, and refuses what would be against us.
Result<void> PostgresLogin::takeOptions(Purpose purpose, const QString& programSuffix)
{
    QMap<QString, QString>& options = m_url.options;
    const QString pooler = options.take(u"pooler"_s);
    if (pooler == u"session")
        m_pooler = Pooler::Session;
    else if (pooler == u"transaction")
        m_pooler = Pooler::Transaction;
    else if (!pooler.isEmpty())
        return refusedOption(u"pooler"_s, u"Write pooler=session or pooler=transaction."_s);
    const QString suffix = programSuffix.isEmpty() ? QString() : u' ' + programSuffix;
    const QString ownName = u"lockscope "_s + purposeName(purpose) + suffix;
    m_applicationName =
        options.contains(u"application_name"_s) ? options.take(u"application_name"_s) : ownName;
    options.remove(u"schema_owner"_s); // whom to trust: see SchemaTrust.h
    options.remove(u"reader"_s); // who reads frameworks' tables, and how many: see ServerProfile.h
    options.remove(u"frameworks"_s);
    const QString runSchema = options.take(u"run_schema"_s);
    if (purpose == Purpose::Workload)
        m_runSchema = runSchema;
    for (auto option = options.begin(); option != options.end(); ++option)
        if (!std::all_of(option.key().begin(), option.key().end(),
                [](QChar c) { return c == u'_' || (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9'); }))
            return refusedOption(option.key(), u"Option names are lower-case letters."_s);
    const QString settings = options.value(u"options"_s);
    if (namesSetting(settings, u"search_path"_s))
        return refusedOption(u"options"_s,
            u"Lockscope sets its own search_path, so that nobody can plant anything. Name schemas."_s);
    for (const QString& role : {u"_role="_s, u"_crole="_s, u"session_authorization="_s})
        if (namesSetting(settings, role))
            return refusedOption(u"options"_s,
                u"Lockscope acts as the user that logs in, and as no other role. Log in as that role."_s);
    return {};
}

Result<PostgresLogin::Handle> PostgresLogin::connect() const
{
    QMap<QString, QString> parameters = m_parameters;
    const auto [first, second] = encryptionsToTry();
    if (!first.isEmpty())
        parameters.insert(u"sslmode"_s, first);
    PostgresConnect connect(parameters);
    Handle handle = connect.run();
    QString text = connect.text();
    if (!PostgresConnect::isOpen(handle) && !second.isEmpty() && handle
        && PQconnectionUsedPassword(handle.get()) == 0 && mayBeAboutEncryption(text)) {
        parameters.insert(u"sslmode"_s, second);
        PostgresConnect again(parameters);
        handle = again.run();
        text = again.text();
    }
    if (PostgresConnect::isOpen(handle))
        return handle;
    const QString secret =
        handle ? QString::fromUtf8(PQpass(handle.get())) : QString(); // perhaps of ~/.pgpass
    return Failure(refusal(libpqText(scrubbed(text, secret))));
}

/// Returns with and without encryption, if the server may choose: libpq by itself would also send a password
/// that was refused a second time, the other way, and that is one more failed login of an account.
std::pair<QString, QString> PostgresLogin::encryptionsToTry() const
{
    QString mode = m_parameters.value(u"sslmode"_s);
    if (mode.isEmpty() && !m_parameters.contains(u"service"_s)) // the environment's, or libpq's
        mode = sslModeOf(PQconndefaults());
    if (mode == u"prefer")
        return {u"require"_s, u"disable"_s};
    if (mode == u"allow")
        return {u"disable"_s, u"require"_s};
    return {};
}

Error PostgresLogin::refusal(const QString& text) const
{
    const PostgresDialect dialect;
    Error error = dialect.mapError({}, text, u"Can't connect to the server."_s);
    // libpq gives no code for a refused connection, and the words may be of any language.
    if (!dialect.knowsText(text) && isAnswered()) {
        error.kind = ErrorKind::Login;
        error.hint =
            u"The server answers, but does not let you in. Check user, password, database and options."_s;
    }
    error.server = m_url.display();
    return error;
}

/// Returns whether the server lets programs in at all, as PQping finds out. Asks without credentials, so no
/// failed login is counted.
bool PostgresLogin::isAnswered() const
{
    PostgresConnect::Parameters asked;
    for (const QString& name : {u"host"_s, u"port"_s, u"connect_timeout"_s})
        if (m_parameters.contains(name))
            asked.insert(name, m_parameters.value(name));
    PostgresConnect connect(asked);
    const Handle handle = connect.run(PQERRORS_VERBOSE);
    if (PostgresConnect::isOpen(handle) || (handle && PQconnectionNeedsPassword(handle.get()) != 0))
        return true;
    // A refusal with a code is an answer of the server's, but for the one that it is not ready yet.
    static const QRegularExpression code(u":\\s+(?!57P03)[0-9A-Z]{5}:\\s"_s);
    return code.match(connect.text()).hasMatch();
}

namespace {

using Clock = std::chrono::steady_clock;

/// libpq takes names and values as two arrays.
class Arrays {
public:
    explicit Arrays(const PostgresConnect::Parameters& parameters)
    {
        for (auto one = parameters.begin(); one != parameters.end(); ++one)
            m_texts.emplace_back(one.key().toUtf8(), one.value().toUtf8());
        for (const auto& [name, value] : m_texts) {
            m_names.push_back(name.constData());
            m_values.push_back(value.constData());
        }
        m_names.push_back(nullptr);
        m_values.push_back(nullptr);
    }
    const char* const* names() const { return m_names.data(); }
    const char* const* values() const { return m_values.data(); }

private:
    std::vector<std::pair<QByteArray, QByteArray>> m_texts;
    std::vector<const char*> m_names;
    std::vector<const char*> m_values;
};

/// Reads it as libpq does: none and 0 are no limit, and less than 2 s are 2 s.
std::chrono::seconds timeoutOf(const PostgresConnect::Parameters& parameters)
{
    const int seconds = parameters.value(u"connect_timeout"_s).toInt();
    return std::chrono::seconds(seconds <= 0 ? 3'600 : std::max(2, seconds));
}

/// The address that is tried, as far as it can be known: a socket may be given the number of the former one.
struct Attempt {
    QByteArray address;
    QByteArray port;
    int socket = -1;

    explicit Attempt(const PGconn* pg)
        : address(PQhostaddr(pg))
        , port(PQport(pg))
        , socket(PQsocket(pg))
    {
    }
    bool operator==(const Attempt&) const = default;
};

void waitFor(int socket, PostgresPollingStatusType requested, Clock::time_point until)
{
    const auto events = static_cast<short>(requested == PGRES_POLLING_WRITING ? POLLOUT : POLLIN);
    pollfd polled{socket, events, 0};
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    ::poll(&polled, 1, static_cast<int>(std::clamp<qint64>(left, 0, 60'000)));
}

/// Leaves little space in the socket. libpq reads for as long as more is there, before anybody can count it:
/// a sender across a network has to wait for it, and the bytes of an endless row are counted in between. One
/// on this machine is as fast as libpq reads: of its row up to the protocol's gigabyte may come in.
void boundReceiveBuffer(int socket)
{
    constexpr int bytes = 256 * 1024;
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

QStringList partsOf(const PostgresConnect::Parameters& parameters, const QString& name)
{
    return parameters.value(name).split(u',');
}

} // namespace

PostgresConnect::PostgresConnect(Parameters parameters)
    : m_parameters(std::move(parameters))
{
}

PostgresConnect::Handle PostgresConnect::start(PGVerbosity verbosity) const
{
    const Arrays arrays(m_parameters);
    Handle handle(PQconnectStartParams(arrays.names(), arrays.values(), 0));
    if (handle) {
        PQsetNoticeProcessor(
            handle.get(), [](void*, const char*) {}, nullptr);
        PQsetErrorVerbosity(handle.get(), verbosity);
    }
    return handle;
}

PostgresConnect::Handle PostgresConnect::run(PGVerbosity verbosity)
{
    for (;;) {
        Handle handle = start(verbosity);
        if (!handle)
            return handle;
        const End end = drive(handle.get());
        if (end == End::Open)
            return handle;
        m_text += textFromUtf8(PQerrorMessage(handle.get()));
        if (end == End::Refused)
            return handle;
        m_text += u"connection to server at \"%1\", port %2 failed: %3\n"_s.arg(
            textFromUtf8(PQhost(handle.get())), textFromUtf8(PQport(handle.get())),
            end == End::Silent ? u"timeout expired"_s : u"it sends without end and lets nobody in"_s);
        if (!nextHost(handle.get()))
            return handle;
    }
}

PostgresConnect::End PostgresConnect::drive(PGconn* pg)
{
    const std::chrono::seconds timeout = timeoutOf(m_parameters);
    Clock::time_point until = Clock::now() + timeout;
    Attempt attempt(pg);
    ReceivedBytes received;
    received.start(attempt.socket);
    PostgresPollingStatusType requested = PGRES_POLLING_WRITING;
    for (bool isNew = true; PQstatus(pg) != CONNECTION_BAD;) {
        waitFor(PQsocket(pg), requested, until);
        const bool hasJustBegun = PQstatus(pg) == CONNECTION_STARTED;
        if (Clock::now() >= until) {
            if (!hasJustBegun || !isNew)
                return End::Silent;
            // Nobody answers at this address: libpq takes its next one as soon as this one fails.
            ::shutdown(PQsocket(pg), SHUT_RDWR);
            isNew = false;
        }
        received.beforeRead(PQsocket(pg));
        boundReceiveBuffer(PQsocket(pg));
        requested = PQconnectPoll(pg);
        if (requested == PGRES_POLLING_OK)
            return End::Open;
        if (requested == PGRES_POLLING_FAILED)
            return isNew ? End::Refused : End::Silent;
        if (const Attempt now(pg); !(now == attempt)) {
            attempt = now;
            until = Clock::now() + timeout;
            received.start(now.socket);
            isNew = true;
        } else if (received.count(now.socket) > maxBytesOfLogin) {
            return End::TooMuch;
        }
    }
    return End::Refused;
}

/// Leaves out the host that has just been tried, and those before it. False: it was the last one.
bool PostgresConnect::nextHost(const PGconn* pg)
{
    QStringList hosts = partsOf(m_parameters, u"host"_s);
    QStringList ports = partsOf(m_parameters, u"port"_s);
    const QString host = QString::fromUtf8(PQhost(pg));
    const QString port = QString::fromUtf8(PQport(pg));
    const bool isEach = ports.size() == hosts.size();
    while (hosts.size() > 1) {
        const bool isIt =
            hosts.first() == host && (!isEach || ports.first().isEmpty() || ports.first() == port);
        hosts.removeFirst();
        if (isEach)
            ports.removeFirst();
        if (!isIt)
            continue;
        m_parameters.insert(u"host"_s, hosts.join(u','));
        m_parameters.insert(u"port"_s, ports.join(u','));
        return true;
    }
    return false;
}

QString sslModeOf(PQconninfoOption* options)
{
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> owned(options, &PQconninfoFree);
    for (const PQconninfoOption* each = options; each && each->keyword; ++each)
        if (std::strcmp(each->keyword, "sslmode") == 0)
            return QString::fromUtf8(each->val);
    return {};
}

QString libpqText(const QString& lines)
{
    return withoutStop(sentences(lines.split(u'\n')));
}

} // namespace lockscope::db
