// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkSettings.h"
#include "app/lockctl/ReportOutput.h"
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
    return each(framework, [name](const FrameworkLock& lock) {
        QStringList names;
        for (const Engine engine : lock.engines)
            names << name(engine);
        return names;
    });
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
            QStringList engines;
            for (const Engine engine : lock.engines)
                engines << engineKey(engine);
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
    if (asJson) {
        QJsonArray all;
        for (const json::FileFault& fault : faults)
            all.append(QJsonObject{{u"file"_s, fault.file}, {u"line"_s, fault.line},
                {u"column"_s, fault.column}, {u"what"_s, fault.what}, {u"expected"_s, fault.expected}});
        printJson(QJsonObject{{u"file"_s, path}, {u"faults"_s, all},
            {u"framework"_s, read ? QJsonValue(read->id) : QJsonValue()}});
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
    printReport(line, toReport(*known));
    return exitOk;
}

} // namespace

Command frameworksCommand()
{
    Command command{u"frameworks"_s, u"the frameworks whose locks are known"_s, runFrameworks,
        u"Lists the frameworks whose locks are recognised: id, name, by what their locks are seen, on which servers; those that come with the program and those of your own files, with what is wrong in them. No server is asked. `frameworks set [SERVER] FRAMEWORK KEY=VALUE` tells how the programs that use a "
        "server have set a framework, by which it is judged whether a holder works: interval and dead_after of signs of life, lock_at_most_for, zone of times without one. `frameworks show [SERVER] [FRAMEWORK]` shows that, `frameworks unset [SERVER] FRAMEWORK [KEY…]` forgets it; without SERVER of "
        "the one that --server or LOCKSCOPE_SERVER names."_s,
        u"[set|show|unset…]"_s};
    command.examples =
        QStringList{u"lockctl frameworks"_s, u"lockctl frameworks set db-scheduler interval=1h"_s,
            u"lockctl frameworks set shop shedlock zone=Europe/Berlin"_s,
            u"lockctl frameworks --check ~/.local/share/lockscope/frameworks/ours.json"_s};
    command.addValue(u"check"_s, u"FILE"_s,
        u"Only say whether this file is well-formed and its examples are true, and else where it is not."_s);
    addForms(command, {u"frameworks"_s, u"locks"_s, u"errors"_s});
    return command;
}

} // namespace lockscope::ctl
