// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/FoundServers.h"

#include "core/base/ShownText.h"

namespace lockscope::profiles {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxServers = 10'000;
constexpr qsizetype nameLength = 200;

/// Says nothing of files with secrets, of delegation, or of whom to trust.
const QStringList harmlessOptions{u"sslmode"_s, u"sslrootcert"_s, u"sslcrl"_s, u"sslsni"_s,
    u"sslnegotiation"_s, u"sslcompression"_s, u"ssl_min_protocol_version"_s, u"ssl_max_protocol_version"_s,
    u"sslcertmode"_s, u"channel_binding"_s, u"require_auth"_s, u"gssencmode"_s, u"krbsrvname"_s,
    u"hostaddr"_s, u"connect_timeout"_s, u"tcp_user_timeout"_s, u"keepalives"_s, u"keepalives_idle"_s,
    u"keepalives_interval"_s, u"keepalives_count"_s, u"target_session_attrs"_s, u"load_balance_hosts"_s,
    u"application_name"_s, u"fallback_application_name"_s, u"client_encoding"_s, u"options"_s, u"pooler"_s,
    u"reader"_s, u"frameworks"_s, u"encrypt"_s, u"trust"_s, u"certificate"_s, u"auth"_s, u"intent"_s,
    u"multisubnetfailover"_s, u"driver"_s, u"dsn"_s, u"spn"_s, u"api"_s, u"trustservercertificate"_s,
    u"hostnameincertificate"_s, u"applicationintent"_s, u"serverspn"_s};

/// A driver is a library that is loaded: only those that are registered have a name instead of a path.
bool isPathOfDriver(const QString& option, const QString& value)
{
    return option == u"driver" && (value.contains(u'/') || value.contains(u'\\'));
}

} // namespace

void addFound(FoundServers& all, db::ServerProfile profile, bool isWhole)
{
    const QString name = inOneLine(profile.name).simplified();
    if (profile.url.sandbox) {
        all.leftOut.append({name, u"A sandbox is made where it is used."_s});
        return;
    }
    if (all.servers.size() >= maxServers) {
        if (all.leftOut.size() <= maxServers)
            all.leftOut.append({name, u"The file names too many servers."_s});
        return;
    }
    FoundServer found{.profile = {}, .isWhole = isWhole};
    for (const QString& option : profile.url.options.keys()) {
        if (harmlessOptions.contains(option) && !isPathOfDriver(option, profile.url.options.value(option)))
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
