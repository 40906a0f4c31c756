// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/FrameworkSettings.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/ProgramSettings.h"

#include <QSettings>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Returns null if none is called so.
FrameworkPtr frameworkCalled(const QString& name)
{
    const auto known = frameworks::catalogue();
    const auto found = std::ranges::find_if(known->frameworks, [&name](const FrameworkPtr& each) {
        return each->id.compare(name, Qt::CaseInsensitive) == 0
            || each->name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == known->frameworks.end() ? nullptr : *found;
}

/// The words behind `set`, `show` or `unset`: a server if there is one, a framework, and the rest.
struct Words {
    db::ServerUrl server;
    FrameworkPtr framework; ///< null: none is named
    QStringList rest;

    static Result<Words> from(const CommandLine& line);
};

Result<Words> Words::from(const CommandLine& line)
{
    QStringList names = line.positionals().mid(1);
    Words words;
    QString server;
    const auto isServer = [](const QString& name) { // a URL may have options
        return !frameworkCalled(name) && (name.contains(u"://"_s) || !name.contains(u'='));
    };
    if (!names.isEmpty() && isServer(names.front()))
        server = names.takeFirst();
    const auto url = serverAddress(line, server);
    if (!url)
        return Failure(url.error());
    words.server = *url;
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

int show(const Words& words, const QList<db::FrameworkSetting>& settings, bool asJson)
{
    QJsonArray array;
    TextTable table({{u"FRAMEWORK"_s}, {u"SETTING"_s}, {u"VALUE"_s, TextTable::Fit::Flexible}});
    for (const db::FrameworkSetting& one : settings) {
        if (words.framework && one.framework != words.framework->id)
            continue;
        array.append(
            QJsonObject{{u"framework"_s, one.framework}, {u"setting"_s, one.name}, {u"value"_s, one.value}});
        table.add({printable(one.framework), one.name, printable(one.value)});
    }
    if (asJson)
        printJson(QJsonObject{{u"server"_s, words.server.display()}, {u"settings"_s, array}});
    else if (table.isEmpty())
        sayLine(
            u"Nothing is set for %1: the defaults of the frameworks count."_s.arg(words.server.display()));
    else
        print(table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n');
    return exitOk;
}

Result<void> set(const Words& words, QList<db::FrameworkSetting>& settings)
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

Result<void> unset(const Words& words, QList<db::FrameworkSetting>& settings)
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

int failUsage(const Error& error)
{
    (void)fail(error);
    return exitUsage;
}

} // namespace

int changeFrameworkSettings(const CommandLine& line)
{
    const QString act = line.positional(0);
    if (act != u"set" && act != u"show" && act != u"unset") {
        complain(u"There is no \"frameworks %1\": it is set, show or unset."_s.arg(act));
        return exitUsage;
    }
    const auto words = Words::from(line);
    if (!words)
        return failUsage(words.error());
    QSettings store(u"lockscope"_s, u"lockscope"_s);
    db::ProfileStore profiles(store);
    QList<db::FrameworkSetting> settings = profiles.frameworkSettings(words->server);
    if (act == u"show")
        return show(*words, settings, line.json());
    if (!words->framework) {
        complain(u"Of which framework? `lockctl frameworks` lists those that are known."_s);
        return exitUsage;
    }
    const auto changed = act == u"set" ? set(*words, settings) : unset(*words, settings);
    if (!changed)
        return failUsage(changed.error());
    profiles.setFrameworkSettings(words->server, settings);
    return show(*words, settings, line.json());
}

} // namespace lockscope::ctl
