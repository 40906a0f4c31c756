// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/FrameworkLocks.h"

#include "app/lockctl/Console.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotJson.h"
#include "core/domain/SnapshotNames.h"
#include "core/frameworks/Catalogue.h"
#include "core/report/SnapshotTables.h"

#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

bool isCalled(const QString& id, const QString& name, const QString& framework)
{
    return framework.isEmpty() || id.compare(framework, Qt::CaseInsensitive) == 0
        || name.compare(framework, Qt::CaseInsensitive) == 0;
}

bool isCalled(const FrameworkMatch& match, const QString& framework)
{
    return isCalled(match.framework, match.frameworkName, framework);
}

bool isCalled(const Framework& known, const QString& framework)
{
    return isCalled(known.id, known.name, framework);
}

report::Value ageOf(const Snapshot& snapshot, const FrameworkLockSeen& lock)
{
    if (!lock.request)
        return lock.entry->acquiredAt.isValid() ? report::Value(snapshot.takenAt - lock.entry->acquiredAt)
                                                : report::Value(storedSince(*lock.entry));
    const auto age = snapshot.ageOf(*lock.request);
    return age ? report::Value(microseconds(age->value), age->exact) : report::Value();
}

QString verdictOf(const Snapshot& snapshot, const FrameworkLockSeen& lock)
{
    if (lock.isWaiting())
        return {};
    const HolderLife life = lifeOf(snapshot, lock);
    const QString brief = verdictInBrief(life);
    const QString name = verdictName(life.verdict);
    return printable(brief.isEmpty() ? name : name + u": "_s + brief);
}

/// As a shell takes it: names are others', and may be commands.
QString nameForShell(const QString& name)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"_s);
    return plain.match(name).hasMatch() ? name : shellWord(name);
}

} // namespace

HolderLife lifeOf(const Snapshot& snapshot, const FrameworkLockSeen& lock)
{
    if (lock.entry)
        return lock.entry->holderLife;
    const SessionId id = snapshot.leaderOf(lock.request->session);
    return lifeOfSession(id, snapshot.session(id));
}

std::vector<FrameworkLockSeen> frameworkLocks(
    const Snapshot& snapshot, const QString& framework, const QString& name)
{
    std::vector<FrameworkLockSeen> locks;
    for (const LockTableEntry& entry : snapshot.entries) {
        const FrameworkMatch* const match = entry.framework.get();
        if (match && isCalled(*match, framework) && (name.isNull() || entry.name == name))
            locks.push_back({match, &entry, nullptr});
    }
    std::set<std::tuple<quint32, SessionId, bool>> seen;
    for (const LockRequest& request : snapshot.requests) {
        const FrameworkMatch* const match = snapshot.resourceOf(request).framework.get();
        if (match && isCalled(*match, framework) && (name.isNull() || match->name == name)
            && seen.insert({request.resource, snapshot.leaderOf(request.session), request.isWaiting()})
                   .second)
            locks.push_back({match, nullptr, &request});
    }
    return locks;
}

FrameworkPtr frameworkCalled(const QString& name)
{
    const auto known = frameworks::catalogue();
    const auto found = std::ranges::find_if(known->frameworks,
        [&name](const FrameworkPtr& each) { return !name.isEmpty() && isCalled(*each, name); });
    return found == known->frameworks.end() ? nullptr : *found;
}

bool isFramework(const Snapshot& snapshot, const QString& framework)
{
    return frameworkCalled(framework) || !frameworkLocks(snapshot, framework).empty();
}

QString holderOf(const Snapshot& snapshot, const FrameworkLockSeen& lock)
{
    if (lock.entry)
        return whoHolds(*lock.entry);
    const Session* const session = snapshot.session(lock.request->session);
    const QString who = session ? whoIs(session->user, session->host) : QString();
    const QString title = u"session "_s + sessionName(snapshot, lock.request->session);
    return who.isEmpty() ? title : u"%1 (%2)"_s.arg(who, title);
}

QString placeOf(const Snapshot& snapshot, const FrameworkLockSeen& lock)
{
    return lock.entry ? lock.entry->table : snapshot.resourceOf(*lock.request).name;
}

report::Section frameworkLocksSection(const Snapshot& snapshot, const std::vector<FrameworkLockSeen>& locks)
{
    using report::Column;
    report::Section section{.key = u"framework_locks"_s,
        .columns = {{u"framework"_s, u"Framework"_s}, Column(u"lock"_s, u"Lock"_s).wide(1),
            {u"state"_s, u"State"_s}, {report::Type::Length, u"age"_s, u"Age"_s},
            {u"expires"_s, u"Expires"_s}, Column(u"holder"_s, u"Holder"_s).wide(1),
            Column(u"where"_s, u"Where"_s).wide(1), Column(u"verdict"_s, u"Verdict"_s).wide(1)},
        .whenEmpty = u"No lock of a framework is held."_s};
    const ServerTime now = snapshot.takenAt;
    for (const FrameworkLockSeen& lock : locks) {
        const report::Value state = lock.request
            ? report::Value(report::stateOf(lock.request->state),
                lock.isWaiting() ? report::Mark::Waiter : report::Mark::None)
            : report::Value(report::stateOf(*lock.entry, now), report::markOf(*lock.entry, now));
        section.rows.push_back(
            {.cells = {lock.match->badge(), lock.entry ? lock.entry->name : lock.match->name, state,
                 ageOf(snapshot, lock), lock.entry ? report::leaseText(*lock.entry, now) : QString(),
                 holderOf(snapshot, lock), placeOf(snapshot, lock), verdictOf(snapshot, lock)}});
    }
    return section;
}

QJsonObject frameworkLocksJson(const Snapshot& snapshot, const std::vector<FrameworkLockSeen>& locks)
{
    std::set<std::pair<quint32, SessionId>> requests;
    std::set<const LockTableEntry*> entries;
    for (const FrameworkLockSeen& lock : locks) {
        if (lock.request)
            requests.insert({lock.request->resource, snapshot.leaderOf(lock.request->session)});
        entries.insert(lock.entry);
    }
    QJsonObject json = toJson(snapshot);
    // In the order of the snapshot.
    const QJsonArray all = json[u"locks"].toArray();
    QJsonArray chosen;
    for (qsizetype i = 0; i < all.size(); ++i) {
        const LockRequest& request = snapshot.requests[static_cast<size_t>(i)];
        if (requests.contains({request.resource, snapshot.leaderOf(request.session)}))
            chosen.append(all[i]);
    }
    json[u"locks"] = chosen;
    QJsonArray rows;
    for (const LockTableEntry& entry : snapshot.entries)
        if (entries.contains(&entry))
            rows.append(toJson(entry, snapshot.takenAt));
    json[u"entries"] = rows;
    return json;
}

void addApproval(Command& command)
{
    command.addValue(u"approve"_s, u"SCHEMA.TABLE"_s,
        u"Read this table of a framework although its owner is not trusted: code of its owner may run with your rights. May come several times. In a file of SQLite it is the table alone."_s);
}

QStringList unreadTables(const Snapshot& snapshot, const QString& framework)
{
    QStringList unread;
    for (const UnreadTable& table : snapshot.unreadTables)
        if (table.framework && isCalled(*table.framework, framework))
            unread << sentences(
                {u"%1 was not read"_s.arg(table.display()), table.reason, approvalText(table)});
    // That a right is missing, or that reading failed, is reported of the table and names its framework.
    QStringList names;
    for (const FrameworkPtr& each : frameworks::catalogue()->frameworks)
        if (isCalled(*each, framework))
            names << u" (%1) "_s.arg(each->name);
    for (const Limitation& limitation : snapshot.limitations)
        if (std::any_of(names.begin(), names.end(),
                [&limitation](const QString& name) { return limitation.what.contains(name); }))
            unread << sentences({limitation.what, limitation.remedy});
    return unread;
}

QString approvalText(const UnreadTable& table)
{
    if (!table.canBeApproved)
        return {};
    const QString name = table.display();
    const QString condition = u"If that does no harm here, "_s;
    // A name that would be read as another one, or that can't be typed, is not offered to be copied.
    if (table.schema.contains(u'.') || printable(name) != name)
        return condition + u"the window's page Lock table reads it"_s;
    return condition + u"`list` and `free` read it with --approve "_s + nameForShell(name);
}

Result<void> approveTables(db::Server& server, const CommandLine& line)
{
    for (const QString& name : line.values(u"approve"_s)) {
        if (!db::Dialect::of(server.profile.url.engine).can(db::Capability::LogIn)) { // a file has no schemas
            server.profile.approvedTables.append({{}, name, {}});
            continue;
        }
        const QString table = name.section(u'.', 1);
        if (table.isEmpty())
            return failure(ErrorKind::BadInput, u"--approve: \"%1\" is no table with its schema."_s.arg(name),
                u"Write it as SCHEMA.TABLE."_s);
        server.profile.approvedTables.append({name.section(u'.', 0, 0), table, {}});
    }
    return {};
}

} // namespace lockscope::ctl
