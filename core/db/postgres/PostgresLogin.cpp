// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresLogin.h"

#include "core/base/Sentences.h"
#include "core/db/credentials/Secrets.h"
#include "core/db/postgres/PostgresDialect.h"

#include <QRegularExpression>

#include <algorithm>

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

} // namespace lockscope::db
