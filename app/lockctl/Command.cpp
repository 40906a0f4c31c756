// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

QString Option::spelling() const
{
    const QString longest = (name.size() == 1 ? u"-"_s : u"--"_s) + name;
    return letter.isEmpty() ? longest : u"-%1,%2"_s.arg(letter, longest);
}

QStringList Option::choices() const
{
    return value.contains(u'|') ? value.split(u'|') : QStringList();
}

void Command::addFlag(const QString& flag, const QString& meaning)
{
    options.push_back({.name = flag, .meaning = meaning});
}

void Command::addValue(
    const QString& option, const QString& value, const QString& meaning, const QString& byDefault)
{
    options.push_back({.name = option, .value = value, .meaning = meaning, .byDefault = byDefault});
}

QString Command::usage() const
{
    QStringList names;
    for (const Command& each : commands)
        names << each.lastName();
    constexpr qsizetype space = 40; // for all of them in one line of the help
    const QString any = names.join(u'|');
    return u"%1 [OPTIONS] %2"_s
        .arg(name,
            commands.empty()         ? arguments
                : any.size() > space ? u"COMMAND …"_s
                                     : any)
        .trimmed();
}

QStringList Command::places() const
{
    QStringList places;
    for (const QString& word : arguments.split(u' ', Qt::SkipEmptyParts)) {
        if (word.startsWith(u'(') || word.startsWith(u'-'))
            break;
        places << word;
    }
    return places;
}

const std::vector<Option>& globalOptions()
{
    static const std::vector<Option> all{
        {u"server"_s, u"SERVER"_s,
            u"The server's URL, or the name that it is saved under in the window; else $LOCKSCOPE_SERVER."_s},
        {u"password-stdin"_s, {}, u"Read the password from the first line of standard input."_s},
        {u"json"_s, {}, u"Print JSON."_s},
        {u"read-only"_s, {}, u"Refuse whatever would change something; so does $LOCKSCOPE_READ_ONLY=1."_s},
        {u"help"_s, {}, u"Print the help of the command."_s, {}, u"h"_s},
        {u"version"_s, {}, u"Print the version."_s, {}, u"v"_s},
    };
    return all;
}

const std::vector<Command>& commands()
{
    static const std::vector<Command> all{listCommand(), treeCommand(), watchCommand(), runCommand(),
        acquireCommand(), releaseCommand(), purgeCommand(), endSessionCommand(), freeCommand(),
        frameworksCommand(), auditCommand(), planCommand(), checkCommand(), installCommand(),
        uninstallCommand(), scenarioCommand(), recordCommand(), agentCommand(), metricsCommand(),
        recordingsCommand(), historyCommand(), rangeCommand(), compareCommand(), deadlockCommand(),
        deadlocksCommand(), orderCommand(), alertsCommand(), incidentCommand(), sandboxCommand()};
    return all;
}

} // namespace lockscope::ctl
