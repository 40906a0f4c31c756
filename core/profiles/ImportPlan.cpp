// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/record/Recording.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace lockscope::profiles {

using namespace Qt::StringLiterals;

using Kind = ImportItem::Kind;

namespace {

/// The saved servers by what an import compares; of several the first.
struct SavedServers {
    explicit SavedServers(const QList<db::ServerProfile>& saved)
    {
        for (const db::ServerProfile& each : saved) {
            note(byName, each.name, each);
            note(byAddress, each.url.toString(), each);
            note(byServer, record::causeServer(each.url), each);
        }
    }

    using Index = QHash<QString, const db::ServerProfile*>;
    Index byName;
    Index byAddress;
    Index byServer; ///< whatever its database or user

private:
    static void note(Index& index, const QString& key, const db::ServerProfile& profile)
    {
        if (!index.contains(key))
            index.insert(key, &profile);
    }
};

QString environmentText(db::Environment environment)
{
    const QString name = db::environmentName(environment);
    return name.isEmpty() ? u"not marked"_s : name;
}

/// Keeps what the file doesn't say, and what this user has allowed.
db::ServerProfile merged(const db::ServerProfile& before, const FoundServer& found)
{
    db::ServerProfile after = found.profile;
    if (!found.isWhole) {
        after.environment = before.environment;
        after.tags = before.tags;
        after.readOnly = before.readOnly;
        after.attached = before.attached;
    }
    after.readOnly = after.readOnly || before.readOnly; // a file never allows to act
    if (after.environment == db::Environment::Unmarked)
        after.environment = before.environment;
    after.frameworkSettings = before.frameworkSettings;
    if (after.url == before.url) {
        after.localAudit = before.localAudit;
        after.approvedTables = before.approvedTables;
    }
    return after;
}

QStringList changesOf(const db::ServerProfile& before, const db::ServerProfile& after)
{
    QStringList changes;
    const auto add = [&changes](const QString& what, const QString& from, const QString& to) {
        if (from != to)
            changes << u"%1: %2 becomes %3."_s.arg(what, inOneLine(from), inOneLine(to));
    };
    add(u"Address"_s, before.url.toString(), after.url.toString());
    add(u"Environment"_s, environmentText(before.environment), environmentText(after.environment));
    add(u"Read-only"_s, before.readOnly ? u"yes"_s : u"no"_s, after.readOnly ? u"yes"_s : u"no"_s);
    add(u"Tags"_s, before.tags.isEmpty() ? u"none"_s : db::tagsText(before.tags),
        after.tags.isEmpty() ? u"none"_s : db::tagsText(after.tags));
    if (before.attached != after.attached)
        changes << u"The attached lock tables differ."_s;
    return changes;
}

/// Another name of a server that is there already is no way round its marks.
void inheritMarks(const SavedServers& saved, ImportItem& item)
{
    const db::ServerProfile* const same = saved.byServer.value(record::causeServer(item.profile.url));
    if (!same)
        return;
    item.profile.readOnly = item.profile.readOnly || same->readOnly;
    const db::Environment environment = item.profile.environment;
    item.profile.environment = std::max(environment, same->environment);
    QStringList why{u"It is on the same server as %1."_s.arg(same->display())};
    if (environment != db::Environment::Unmarked && environment != item.profile.environment)
        why << u"The file marks it as %1, but it stays %2."_s.arg(
            environmentText(environment), environmentText(item.profile.environment));
    item.why = sentences(why << item.why);
}

ImportItem itemOf(const SavedServers& saved, const FoundServer& found)
{
    const db::ServerProfile& profile = found.profile;
    ImportItem item{
        .kind = Kind::New, .name = profile.display(), .profile = profile, .why = sentences(found.notes)};
    if (const db::ServerProfile* before = saved.byName.value(profile.name)) {
        item.profile = merged(*before, found);
        const QStringList changes = changesOf(*before, item.profile);
        if (changes.isEmpty())
            return {.kind = Kind::Skipped, .name = item.name, .why = u"It is there already."_s};
        item.kind = Kind::Changed;
        item.why = sentences(changes + found.notes);
        return item;
    }
    if (const db::ServerProfile* same = saved.byAddress.value(profile.url.toString()))
        return {.kind = Kind::Skipped,
            .name = item.name,
            .why = u"Its address is there already, as %1."_s.arg(same->display())};
    inheritMarks(saved, item);
    return item;
}

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

QString importKindName(Kind kind)
{
    switch (kind) {
    case Kind::New:
        return u"new"_s;
    case Kind::Changed:
        return u"changed"_s;
    case Kind::Skipped:
        break;
    }
    return u"skipped"_s;
}

QList<ImportItem> planImport(const QList<db::ServerProfile>& saved, const FoundServers& found)
{
    const SavedServers before(saved);
    QList<ImportItem> items;
    QSet<QString> names;
    QSet<QString> addresses;
    for (const FoundServer& each : found.servers) {
        const QString address = each.profile.url.toString();
        if (names.contains(each.profile.name) || addresses.contains(address))
            items.append(
                {.kind = Kind::Skipped, .name = each.profile.display(), .why = u"It is named twice."_s});
        else
            items.append(itemOf(before, each));
        names << each.profile.name;
        addresses << address;
    }
    for (const LeftOut& each : found.leftOut)
        items.append({.kind = Kind::Skipped, .name = each.name, .why = each.why});
    if (found.moreLeftOut > 0)
        items.append({.kind = Kind::Skipped,
            .name = u"%1 more"_s.arg(found.moreLeftOut),
            .why = u"Only the first %1 entries that become no server are listed."_s.arg(maxLeftOut)});
    std::ranges::stable_sort(items, {}, &ImportItem::kind);
    return items;
}

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
