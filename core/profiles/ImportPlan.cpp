// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ImportPlan.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/record/ServerPlace.h"

#include <algorithm>

namespace lockscope::profiles {

using namespace Qt::StringLiterals;

using Kind = ImportItem::Kind;

namespace {

const db::ServerProfile* named(const QList<db::ServerProfile>& saved, const QString& name)
{
    const auto found = std::ranges::find(saved, name, &db::ServerProfile::name);
    return found == saved.end() ? nullptr : &*found;
}

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
void inheritMarks(const QList<db::ServerProfile>& saved, ImportItem& item)
{
    for (const db::ServerProfile& each : saved) {
        if (record::causeServer(each.url) != record::causeServer(item.profile.url))
            continue;
        item.profile.readOnly = item.profile.readOnly || each.readOnly;
        if (item.profile.environment == db::Environment::Unmarked)
            item.profile.environment = each.environment;
        item.why = sentences({u"It is on the same server as %1."_s.arg(each.display()), item.why});
        return;
    }
}

ImportItem itemOf(const QList<db::ServerProfile>& saved, const FoundServer& found)
{
    const db::ServerProfile& profile = found.profile;
    ImportItem item{Kind::New, profile.display(), profile, sentences(found.notes)};
    if (const db::ServerProfile* before = named(saved, profile.name)) {
        item.profile = merged(*before, found);
        const QStringList changes = changesOf(*before, item.profile);
        if (changes.isEmpty())
            return {Kind::Skipped, item.name, {}, u"It is there already."_s};
        item.kind = Kind::Changed;
        item.why = sentences(changes + found.notes);
        return item;
    }
    const auto same = std::ranges::find(saved, profile.url, &db::ServerProfile::url);
    if (same != saved.end())
        return {Kind::Skipped, item.name, {}, u"Its address is there already, as %1."_s.arg(same->display())};
    inheritMarks(saved, item);
    return item;
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
    QList<ImportItem> items;
    QList<db::ServerProfile> seen;
    for (const FoundServer& each : found.servers) {
        const bool isTwice = named(seen, each.profile.name)
            || std::ranges::find(seen, each.profile.url, &db::ServerProfile::url) != seen.end();
        if (isTwice)
            items.append({Kind::Skipped, each.profile.display(), {}, u"It is named twice."_s});
        else
            items.append(itemOf(saved, each));
        seen << each.profile;
    }
    for (const LeftOut& each : found.leftOut)
        items.append({Kind::Skipped, each.name, {}, each.why});
    std::ranges::stable_sort(items, {}, &ImportItem::kind);
    return items;
}

} // namespace lockscope::profiles
