// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkSettings.h"
#include "core/domain/EngineKey.h"
#include "core/domain/Framework.h"
#include "core/domain/FrameworkText.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"

#include <QFile>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Of all its locks, each once, in the order of the file.
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
    return each(framework, [name](const FrameworkLock& lock) {
        QStringList names;
        for (const Engine engine : lock.engines)
            names << name(engine);
        return names;
    });
}

QJsonObject toJson(const Framework& framework)
{
    QJsonArray locks;
    for (const FrameworkLock& lock : framework.locks) {
        QJsonArray engines;
        for (const Engine engine : lock.engines)
            engines.append(engineKey(engine));
        locks.append(QJsonObject{{u"id"_s, lock.id}, {u"name"_s, lock.name},
            {u"kind"_s, frameworkLockKindName(lock.kind)}, {u"engines"_s, engines},
            {u"purpose"_s, lock.purpose}, {u"ends"_s, lock.ends}, {u"danger"_s, lock.danger},
            {u"vendor_command"_s, lock.vendorCommand}, {u"vendor_note"_s, lock.vendorNote},
            {u"may_be_freed"_s, lock.kind != FrameworkLockKind::Row || lock.row.mayBeFreed}});
    }
    return {{u"id"_s, framework.id}, {u"name"_s, framework.name}, {u"about"_s, framework.about},
        {u"versions"_s, framework.versions}, {u"built_in"_s, framework.isBuiltIn}, {u"locks"_s, locks}};
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
    if (asJson) {
        QJsonArray all;
        for (const json::FileFault& fault : faults)
            all.append(QJsonObject{{u"file"_s, fault.file}, {u"line"_s, fault.line},
                {u"column"_s, fault.column}, {u"what"_s, fault.what}, {u"expected"_s, fault.expected}});
        printJson(QJsonObject{{u"file"_s, path}, {u"faults"_s, all},
            {u"framework"_s, read ? QJsonValue(toJson(*read)) : QJsonValue()}});
    }
    for (const json::FileFault& fault : faults)
        complain(fault.toString());
    if (read && !asJson)
        sayLine(u"%1: %2 (%3) is well-formed."_s.arg(path, read->name, read->id));
    return read ? exitOk : exitFailed;
}

int runFrameworks(const CommandLine& line)
{
    if (line.has(u"check"_s))
        return checkFile(line.value(u"check"_s), line.json());
    if (!line.positionals().isEmpty())
        return changeFrameworkSettings(line);
    const auto known = frameworks::catalogue();
    for (const frameworks::FileError& error : known->errors)
        for (const QString& fault : error.text.split(u'\n'))
            complain(fault);
    if (line.json()) {
        QJsonArray all;
        for (const FrameworkPtr& framework : known->frameworks)
            all.append(toJson(*framework));
        QJsonArray errors;
        for (const frameworks::FileError& error : known->errors)
            errors.append(QJsonObject{{u"file"_s, error.file}, {u"error"_s, error.text}});
        printJson(QJsonObject{
            {u"folder"_s, frameworks::userFolder()}, {u"frameworks"_s, all}, {u"errors"_s, errors}});
        return exitOk;
    }
    TextTable table({{u"ID"_s}, {u"NAME"_s, TextTable::Fit::Flexible}, {u"KINDS"_s, TextTable::Fit::Flexible},
        {u"ENGINES"_s, TextTable::Fit::Flexible}, {u"FROM"_s}});
    for (const FrameworkPtr& framework : known->frameworks)
        table.add({printable(framework->id), printable(framework->name), kindsOf(*framework).join(u", "_s),
            enginesOf(*framework, engineName).join(u", "_s),
            framework->isBuiltIn ? u"built in"_s : u"your file"_s});
    print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    sayLine(u"Files of your own go to %1."_s.arg(frameworks::userFolder()));
    return exitOk;
}

} // namespace

Command frameworksCommand()
{
    Command command{u"frameworks"_s, u"the frameworks whose locks are known"_s, runFrameworks,
        u"Lists the frameworks whose locks are recognised: id, name, by what their locks are seen, on which "
        "servers; those that come with the program and those of your own files, with what is wrong in them. "
        "No "
        "server is asked. `frameworks set [SERVER] FRAMEWORK KEY=VALUE` tells how the programs that use a "
        "server have set a framework, by which it is judged whether a holder works: interval and dead_after "
        "of signs of life, lock_at_most_for, zone of times without one. `frameworks show [SERVER] "
        "[FRAMEWORK]` shows that, `frameworks unset [SERVER] FRAMEWORK [KEY…]` forgets it; without SERVER of "
        "the one that --server or LOCKSCOPE_SERVER names."_s,
        u"[set|show|unset…]"_s};
    command.examples =
        QStringList{u"lockctl frameworks"_s, u"lockctl frameworks set db-scheduler interval=1h"_s,
            u"lockctl frameworks set shop shedlock zone=Europe/Berlin"_s,
            u"lockctl frameworks --check ~/.local/share/lockscope/frameworks/ours.json"_s};
    command.addValue(u"check"_s, u"FILE"_s,
        u"Only say whether this file is well-formed and its examples are true, and else where it is not."_s);
    return command;
}

} // namespace lockscope::ctl
