// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/FoundServers.h"

#include "core/base/ShownText.h"

namespace lockscope::profiles {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxServers = 10'000;
constexpr qsizetype nameLength = 200;

/// None names a file or another server, lowers the encryption, delegates, or says whom to trust.
const QStringList harmlessOptions{u"sslsni"_s, u"sslnegotiation"_s, u"sslcompression"_s, u"connect_timeout"_s,
    u"tcp_user_timeout"_s, u"keepalives"_s, u"keepalives_idle"_s, u"keepalives_interval"_s,
    u"keepalives_count"_s, u"target_session_attrs"_s, u"load_balance_hosts"_s, u"application_name"_s,
    u"fallback_application_name"_s, u"client_encoding"_s, u"pooler"_s, u"frameworks"_s, u"auth"_s,
    u"intent"_s, u"multisubnetfailover"_s, u"driver"_s, u"api"_s, u"applicationintent"_s};
/// Only these values of them ask for more than is asked for without them.
const QHash<QString, QStringList> strictValues{
    {u"sslmode"_s, {u"require"_s, u"verify-ca"_s, u"verify-full"_s}},
    {u"ssl_min_protocol_version"_s, {u"tlsv1.2"_s, u"tlsv1.3"_s}}, {u"channel_binding"_s, {u"require"_s}},
    {u"require_auth"_s, {u"scram-sha-256"_s}},
    {u"encrypt"_s, {u"yes"_s, u"mandatory"_s, u"strict"_s, u"true"_s}}};

/// A driver is a library that is loaded: only those that are registered have a name instead of a path.
bool isPathOfDriver(const QString& option, const QString& value)
{
    return option == u"driver" && (value.contains(u'/') || value.contains(u'\\'));
}

/// `isOwnName`: a DSN of this account's own odbc.ini.
bool isHarmless(const QString& option, const QString& value, bool isOwnName)
{
    return (harmlessOptions.contains(option) && !isPathOfDriver(option, value))
        || strictValues.value(option).contains(value.toLower()) || (option == u"dsn" && isOwnName);
}

} // namespace

void leaveOut(FoundServers& all, const QString& name, const QString& why)
{
    if (all.leftOut.size() < maxLeftOut)
        all.leftOut.append({inOneLine(name), inOneLine(why)});
    else
        ++all.moreLeftOut;
}

void addFound(FoundServers& all, db::ServerProfile profile, bool isWhole)
{
    const QString name = inOneLine(profile.name).simplified();
    if (profile.url.sandbox) {
        leaveOut(all, name, u"A sandbox is made where it is used."_s);
        return;
    }
    if (all.servers.size() >= maxServers) {
        leaveOut(all, name, u"The file names too many servers."_s);
        return;
    }
    FoundServer found{.isWhole = isWhole};
    for (const QString& option : profile.url.options.keys()) {
        // A file that says all of a server comes from others; the rest is this account's own.
        if (isHarmless(option, profile.url.options.value(option), !isWhole))
            continue;
        profile.url.options.remove(option);
        found.notes << u"The option %1 is not taken over: set it yourself if you trust it."_s.arg(
            inOneLine(option));
    }
    profile.name = name.left(nameLength);
    for (QString& tag : profile.tags)
        tag = inOneLine(tag);
    found.profile = std::move(profile);
    all.servers.append(std::move(found));
}

} // namespace lockscope::profiles
