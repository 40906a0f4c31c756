// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/FrameworkLocks.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotJson.h"
#include "core/domain/SnapshotNames.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/ProgramZone.h"
#include "core/report/SnapshotTables.h"

#include <QFile>
#include <QRegularExpression>
#include <QSettings>

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
            {.cells = {lock.match->badge(), lock.name(), state, ageOf(snapshot, lock),
                 lock.entry ? report::leaseText(*lock.entry, now) : QString(), holderOf(snapshot, lock),
                 placeOf(snapshot, lock), verdictOf(snapshot, lock)}});
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
        if (std::ranges::any_of(
                names, [&limitation](const QString& name) { return limitation.what.contains(name); }))
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

namespace {

/// The words behind `set`, `show` or `unset`: a server if there is one, a framework, and the rest.
struct SettingArguments {
    db::ServerUrl server;
    FrameworkPtr framework; ///< null: none is named
    QStringList rest;

    static Result<SettingArguments> from(const CommandLine& line);
};

Result<SettingArguments> SettingArguments::from(const CommandLine& line)
{
    QStringList names = line.positionals().mid(1);
    SettingArguments words;
    QString server;
    const auto isServer = [](const QString& name) { // a URL may have options
        return !frameworkCalled(name) && (name.contains(u"://"_s) || !name.contains(u'='));
    };
    if (!names.isEmpty() && isServer(names.front()))
        server = names.takeFirst();
    LOCKSCOPE_TRY_GET(words.server, serverAddress(line, server));
    if (!names.isEmpty()) {
        words.framework = frameworkCalled(names.front());
        if (!words.framework)
            return failure(ErrorKind::BadInput, u"No framework is called \"%1\"."_s.arg(names.front()),
                u"`lockctl frameworks` lists those that are known."_s);
        words.rest = names.mid(1);
    }
    return words;
}

void remove(QList<db::FrameworkSetting>& settings, const QString& framework, const QString& name)
{
    settings.removeIf([&](const db::FrameworkSetting& one) {
        return one.framework == framework && (name.isEmpty() || one.name == name);
    });
}

int show(const CommandLine& line, const SettingArguments& words, const QList<db::FrameworkSetting>& settings)
{
    const QString server = words.server.display();
    report::Section table{.key = u"settings"_s,
        .columns = {{u"framework"_s, u"Framework"_s}, {u"setting"_s, u"Setting"_s},
            report::Column(u"value"_s, u"Value"_s).wide(1)},
        .whenEmpty = u"Nothing is set for %1: the defaults of the frameworks count."_s.arg(server)};
    for (const db::FrameworkSetting& one : settings)
        if (!words.framework || one.framework == words.framework->id)
            table.rows.push_back({.cells = {one.framework, one.name, one.value}});
    return printReport(line, {.facts = {{{u"server"_s}, server}}, .sections = {std::move(table)}});
}

Result<void> set(const SettingArguments& words, QList<db::FrameworkSetting>& settings)
{
    if (words.rest.isEmpty())
        return failure(ErrorKind::BadInput, u"What is to be set?"_s,
            u"KEY=VALUE, with one of %1."_s.arg(frameworks::programSettingNames().join(u", "_s)));
    for (const QString& word : words.rest) {
        const QString name = word.section(u'=', 0, 0);
        const QString value = word.section(u'=', 1);
        if (const auto checked = frameworks::checkProgramSetting(*words.framework, name, value); !checked)
            return checked;
        remove(settings, words.framework->id, name);
        settings.append({words.framework->id, name, value});
    }
    return {};
}

Result<void> unset(const SettingArguments& words, QList<db::FrameworkSetting>& settings)
{
    for (const QString& name : words.rest)
        if (!frameworks::programSettingNames().contains(name))
            return failure(ErrorKind::BadInput, u"There is no setting \"%1\"."_s.arg(name),
                u"It is one of %1."_s.arg(frameworks::programSettingNames().join(u", "_s)));
    if (words.rest.isEmpty())
        remove(settings, words.framework->id, {});
    for (const QString& name : words.rest)
        remove(settings, words.framework->id, name);
    return {};
}

/// `frameworks set|show|unset`: the user's entries for the settings of programs on a server. No server is
/// asked.
Result<ExitStatus> changeFrameworkSettings(const CommandLine& line)
{
    const QString act = line.positional(0);
    if (act != u"set" && act != u"show" && act != u"unset")
        return failure(
            ErrorKind::BadInput, u"There is no \"frameworks %1\": it is set, show or unset."_s.arg(act));
    const auto words = SettingArguments::from(line);
    if (!words)
        return fail(words.error(), exitUsage);
    QSettings store(u"lockscope"_s, u"lockscope"_s);
    db::ProfileStore profiles(store);
    QList<db::FrameworkSetting> settings = profiles.frameworkSettings(words->server);
    if (act == u"show")
        return show(line, *words, settings);
    if (!words->framework)
        return failure(
            ErrorKind::BadInput, u"Of which framework? `lockctl frameworks` lists those that are known."_s);
    const auto changed = act == u"set" ? set(*words, settings) : unset(*words, settings);
    if (!changed)
        return fail(changed.error(), exitUsage);
    profiles.setFrameworkSettings(words->server, settings);
    return show(line, *words, settings);
}

/// Returns `of` all its locks, each once, in the order of the file.
template <class Of> QStringList each(const Framework& framework, const Of& of)
{
    QStringList names;
    for (const FrameworkLock& lock : framework.locks)
        for (const QString& name : of(lock))
            if (!names.contains(name))
                names << name;
    return names;
}

QStringList kindsOf(const Framework& framework)
{
    return each(
        framework, [](const FrameworkLock& lock) { return QStringList{frameworkLockKindName(lock.kind)}; });
}

QStringList enginesOf(const Framework& framework, QString (*name)(Engine))
{
    return each(framework, [name](const FrameworkLock& lock) { return textOfEach(lock.engines, name); });
}

report::Report toReport(const frameworks::Catalogue& known)
{
    using enum report::Type;
    using report::Column;
    using report::Value;
    report::Section all{.key = u"frameworks"_s,
        .columns = {{u"id"_s, u"Id"_s}, Column(u"name"_s, u"Name"_s).wide(1),
            Column(Texts, u"kinds"_s, u"Kinds"_s).wide(1),
            Column(Texts, u"servers"_s, u"Engines"_s).wide(1).show(report::Shown::ToPeople),
            Column(u"from"_s, u"From"_s).show(report::Shown::ToPeople), {Texts, u"engines"_s}, {u"about"_s},
            {u"versions"_s}, {Flag, u"built_in"_s}}};
    report::Section locks{.key = u"locks"_s,
        .columns = {{u"framework"_s}, {u"id"_s}, {u"name"_s}, {u"kind"_s}, {Texts, u"engines"_s},
            {u"purpose"_s}, {u"ends"_s}, {u"danger"_s}, {u"vendor_command"_s}, {u"vendor_note"_s},
            {Flag, u"may_be_freed"_s}},
        .shown = report::Shown::ToPrograms};
    report::Section errors{
        .key = u"errors"_s, .columns = {{u"file"_s}, {u"error"_s}}, .shown = report::Shown::ToPrograms};
    for (const FrameworkPtr& each : known.frameworks) {
        all.rows.push_back({.cells = {each->id, each->name, kindsOf(*each), enginesOf(*each, engineName),
                                each->isBuiltIn ? u"built in"_s : u"your file"_s, enginesOf(*each, engineKey),
                                each->about, each->versions, Value::flag(each->isBuiltIn)}});
        for (const FrameworkLock& lock : each->locks) {
            const QStringList engines = textOfEach(lock.engines, engineKey);
            locks.rows.push_back(
                {.cells = {each->id, lock.id, lock.name, frameworkLockKindName(lock.kind), engines,
                     lock.purpose, lock.ends, lock.danger, lock.vendorCommand, lock.vendorNote,
                     Value::flag(lock.kind != FrameworkLockKind::Row || lock.row.mayBeFreed)}});
        }
    }
    for (const frameworks::FileError& error : known.errors)
        errors.rows.push_back({.cells = {error.file, error.text}});
    return {.facts = {{{u"folder"_s}, frameworks::userFolder()}},
        .sections = {all, locks, errors},
        .closing = {u"Files of your own go to %1."_s.arg(frameworks::userFolder())}};
}

int checkFile(const QString& path, bool asJson)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        complain(u"Can't read %1: %2."_s.arg(path, file.errorString()));
        return exitFailed;
    }
    const auto read = frameworks::checkFrameworkFile(path, file.readAll(), frameworks::Strictness::Proved);
    const json::FileFaults faults = read ? json::FileFaults() : read.error();
    if (asJson)
        printJson(QJsonObject{{u"file"_s, path}, {u"faults"_s, faultsJson(faults)},
            {u"framework"_s, read ? QJsonValue(read->id) : QJsonValue()}});
    complain(faults);
    if (read && !asJson)
        sayLine(u"%1: %2 (%3) is well-formed."_s.arg(path, read->name, read->id));
    return read ? exitOk : exitFailed;
}

Result<ExitStatus> runFrameworks(const CommandLine& line)
{
    if (line.has(u"check"_s))
        return checkFile(line.value(u"check"_s), line.json());
    if (!line.positionals().isEmpty())
        return changeFrameworkSettings(line);
    const auto known = frameworks::catalogue();
    for (const frameworks::FileError& error : known->errors)
        for (const QString& fault : error.text.split(u'\n'))
            complain(fault);
    return printReport(line, toReport(*known));
}

} // namespace

Command frameworksCommand()
{
    Command command(u"frameworks"_s, u"the frameworks whose locks are known"_s, runFrameworks,
        u"Lists the frameworks whose locks are recognised: id, name, by what their locks are seen, on which servers; those that come with the program and those of your own files, with what is wrong in them. No server is asked. `frameworks set [SERVER] FRAMEWORK KEY=VALUE` saves how the programs that use a "
        "server have set a framework, by which it is judged whether a holder works: interval and dead_after of signs of life, lock_at_most_for, zone of times without one. `frameworks show [SERVER] [FRAMEWORK]` shows that, `frameworks unset [SERVER] FRAMEWORK [KEY…]` forgets it; without SERVER of "
        "the one that --server or LOCKSCOPE_SERVER names."_s);
    command.arguments = u"[set|show|unset…]"_s;
    command.examples = {u"lockctl frameworks"_s, u"lockctl frameworks set db-scheduler interval=1h"_s,
        u"lockctl frameworks set shop shedlock zone=Europe/Berlin"_s,
        u"lockctl frameworks --check ~/.local/share/lockscope/frameworks/ours.json"_s};
    command.addValue(u"check"_s, u"FILE"_s,
        u"Only say whether this file is well-formed and its examples are true, and else where it is not."_s);
    addForms(command, {u"frameworks"_s, u"locks"_s, u"errors"_s});
    return command;
}

} // namespace lockscope::ctl
