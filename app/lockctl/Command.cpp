// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"

#include "app/lockctl/Console.h"
#include "core/base/Sentences.h"
#include "core/db/ServerProfile.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/ProgramZone.h"
#include "core/scenario/format/ScenarioFile.h"

#include <QSettings>

#include <algorithm>

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
    constexpr qsizetype space = 40; // for all of them in one line of the help
    const QString any = textOfEach(commands, &Command::lastName).join(u'|');
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

namespace {

constexpr int helpWidth = 80;
constexpr int commandColumn = 16;
constexpr int optionColumn = 24;

/// Returns lines, the first of which begins with `lead`; each word of the text stands at `column` or behind.
QString wrappedHelp(const QString& text, int column = 0, const QString& lead = {})
{
    const QString margin(column, u' ');
    QString lines;
    QString line = lead.leftJustified(column);
    if (line.size() > column) { // no space for the text beside it
        lines = lead.chopped(2) + u'\n';
        line = margin;
    }
    for (const QString& word : text.split(u' ')) {
        const bool isFirst = displayWidth(line) == column;
        if (!isFirst && displayWidth(line) + 1 + displayWidth(word) > helpWidth) {
            lines += line + u'\n';
            line = margin + word;
        } else {
            line += isFirst ? word : u' ' + word;
        }
    }
    return lines + line + u'\n';
}

QString optionLines(const std::vector<Option>& options)
{
    constexpr qsizetype widestLine = 78;
    QString text;
    for (const Option& option : options) {
        QString lead = u"  "_s + option.spelling().replace(u","_s, u", "_s);
        if (!option.value.isEmpty())
            lead += u' ' + option.value;
        if (lead.size() > widestLine) // a long choice goes on in the next line
            lead.insert(lead.lastIndexOf(u'|', widestLine - 1) + 1, u"\n      "_s);
        text += wrappedHelp(option.byDefault.isEmpty()
                ? option.meaning
                : u"%1 Default: %2."_s.arg(option.meaning, option.byDefault),
            optionColumn, lead + u"  "_s);
    }
    return text;
}

QString commandLines(const std::vector<Command>& commands)
{
    QString text;
    for (const Command& command : commands)
        text += wrappedHelp(command.summary, commandColumn, u"  "_s + command.lastName() + u"  "_s);
    return text;
}

/// The statuses of lockctl(1) and of the manual's chapter lockctl.
QString exitStatusLines()
{
    static const std::pair<int, QString> statuses[] = {{exitOk, u"done"_s}, {exitFailed, u"failed"_s},
        {exitUsage, u"wrong usage"_s}, {exitNoVerdict, u"unknown"_s},
        {exitNothingFound, u"of `free`: no such lock is held"_s},
        {exitAmbiguous, u"of `free`: several are; nothing was done"_s},
        {exitChanged, u"of `free`: it has changed since it was read; nothing was done"_s},
        {exitRefused, u"of `free`: refused"_s}, {exitNotObtained, u"the lock was not obtained"_s},
        {exitSignal, u"signal n ended the command, or the wait for the lock"_s}};
    QString text;
    for (const auto& [status, meaning] : statuses) {
        const QString name = QString::number(status) + (status == exitSignal ? u"+n"_s : QString());
        text += wrappedHelp(meaning, commandColumn, u"  "_s + name);
    }
    return text
        + wrappedHelp(
            u"`run` passes on the command's own status; %1 and %2: it could not be executed, or was not found."_s
                .arg(exitNotExecutable)
                .arg(exitNotFound));
}

QString overview()
{
    return u"Usage: lockctl [OPTIONS] COMMAND …\n\n"_s
        + wrappedHelp(
            u"Shows who holds which lock on a database server, who waits, and who blocks whom; takes and frees locks."_s)
        + u"\nCommands:\n"_s + commandLines(commands())
        + u"\n"
          "`lockctl COMMAND --help` shows the options of each. Those of all commands, such\n"
          "as --server and --json, may also stand before it.\n\n"
          "The server is --server URL, or else $LOCKSCOPE_SERVER; without either only\n"
          "`scenario` starts one, sandbox: (a private PostgreSQL server):\n"
          "    sqlserver://user@host:1433/database\n"
          "    postgresql://user@host:5432/database\n"
          "    sqlite:///path/locks.db\n"
          "    sandbox:\n"
          "Passwords come from $LOCKSCOPE_PASSWORD, --password-stdin or the desktop's\n"
          "keychain.\n\n"
          "A name that begins with '-' is written after \"--\", for `run` between two of\n"
          "them.\n\n"
          "Exit status:\n"_s
        + exitStatusLines()
        + u"\nExamples:\n"
          "    lockctl tree\n"
          "    lockctl --server postgresql://ann@db1/shop list --json\n"
          "    lockctl run --no-wait nightly -- ./nightly.sh\n"_s;
}

} // namespace

QString helpText(const Command* command)
{
    if (!command)
        return overview();
    QString text = u"Usage: lockctl %1\n\n"_s.arg(command->usage()) + wrappedHelp(command->description);
    if (!command->commands.empty())
        text += u"\nCommands:\n"_s + commandLines(command->commands);
    for (const Command& each : command->commands)
        text += u"\nlockctl %1\n"_s.arg(each.usage()) + optionLines(each.options);
    if (!command->options.empty())
        text += u"\nOptions:\n"_s + optionLines(command->options);
    text += u"\nOptions of all commands, before or after the command:\n"_s + optionLines(globalOptions());
    if (!command->examples.isEmpty())
        text += u"\nExamples:\n  "_s + command->examples.join(u"\n  "_s) + u'\n';
    return text;
}

namespace {

/// Reads the words that are complete, to know what the next one may be.
struct WordReader {
    const Command* command = nullptr;
    const std::vector<Command>* commands = &ctl::commands();
    const Option* open = nullptr; ///< the next word is its value
    QStringList names;
    bool isOver = false; ///< "--": nothing that follows is known

    const Option* option(const QString& word) const;
    void read(const QString& word);
    std::vector<Option> options() const;
};

std::vector<Option> WordReader::options() const
{
    std::vector<Option> all = command ? command->options : std::vector<Option>();
    all.insert(all.end(), globalOptions().begin(), globalOptions().end());
    return all;
}

const Option* WordReader::option(const QString& word) const
{
    const QString spelling = word.section(u'=', 0, 0);
    for (const auto* options : {command ? &command->options : &globalOptions(), &globalOptions()})
        for (const Option& each : *options)
            if (each.spelling().split(u',').contains(spelling))
                return &each;
    return nullptr;
}

void WordReader::read(const QString& word)
{
    if (open) {
        open = nullptr;
    } else if (word == u"--") {
        isOver = true;
    } else if (word.startsWith(u'-')) {
        const Option* known = option(word);
        open = known && !known->value.isEmpty() && !word.contains(u'=') ? known : nullptr;
    } else {
        const auto found = std::find_if(commands->begin(), commands->end(),
            [&word](const Command& each) { return each.lastName() == word; });
        if (found == commands->end()) {
            names << word;
        } else {
            command = &*found;
            commands = &found->commands;
        }
    }
}

QString line(const QString& word, const QString& meaning = {})
{
    return meaning.isEmpty() ? printable(word) : printable(word) + u'\t' + printable(meaning);
}

/// Kinds of servers, and the window's saved ones; no server is asked.
QStringList servers()
{
    QStringList lines{line(u"sandbox:"_s, u"a private PostgreSQL server"_s), line(u"postgresql://"_s),
        line(u"sqlserver://"_s), line(u"sqlite:///"_s)};
    QSettings settings(u"lockscope"_s, u"lockscope"_s);
    for (const db::ServerProfile& profile : db::ProfileStore(settings).load())
        lines << line(profile.url.toString(), profile.name);
    return lines;
}

QStringList scenarios()
{
    return textOfEach(
        scenario::loadLibrary().scenarios, [](const auto& each) { return line(each->id, each->title); });
}

QStringList variantsOf(const QString& scenario)
{
    const auto found = scenario::loadLibrary().find(scenario);
    return textOfEach(found ? found->variants : std::vector<scenario::Variant>(),
        [](const scenario::Variant& each) { return line(each.id, each.title); });
}

QStringList frameworkIds()
{
    return textOfEach(frameworks::catalogue()->frameworks,
        [](const FrameworkPtr& each) { return line(each->id, each->name); });
}

/// Returns the words that may follow `frameworks`.
QStringList frameworkWords(const QStringList& names)
{
    if (names.isEmpty())
        return {line(u"set"_s, u"how programs are set"_s), line(u"show"_s, u"what was set"_s),
            line(u"unset"_s, u"forget it"_s)};
    QStringList lines;
    if (names.size() == 1)
        lines << servers();
    if (names.size() <= 2)
        lines << frameworkIds();
    const QString end = names.front() == u"set" ? u"="_s : QString();
    for (const QString& name : names.size() >= 2 ? frameworks::programSettingNames() : QStringList())
        lines << line(name + end);
    return lines;
}

QStringList valuesOf(const Option& option, const QStringList& names)
{
    if (option.name == u"server")
        return servers();
    if (option.name == u"framework")
        return frameworkIds();
    return option.name == u"variant" ? variantsOf(names.value(0)) : option.choices();
}

QStringList next(const WordReader& known, const QString& last)
{
    if (known.isOver)
        return {};
    if (known.open)
        return valuesOf(*known.open, known.names);
    QStringList lines;
    if (const Option* option = known.option(last); option && last.contains(u'=')) {
        for (const QString& value : valuesOf(*option, known.names))
            lines << last.section(u'=', 0, 0) + u'=' + value;
    } else if (last.startsWith(u'-')) {
        for (const Option& each : known.options())
            lines << line(each.spelling().section(u',', -1), each.meaning);
    } else if (known.names.isEmpty()) {
        for (const Command& each : *known.commands)
            lines << line(each.lastName(), each.summary);
        if (known.command && known.command->arguments.startsWith(u"ID|"))
            lines += scenarios();
        if (known.command && known.command->arguments.startsWith(u"FRAMEWORK"))
            lines += frameworkIds();
        if (known.command && known.command->arguments == u"[SERVER]")
            lines += servers();
    }
    if (known.command && known.command->name == u"frameworks" && !last.startsWith(u'-'))
        lines += frameworkWords(known.names);
    if (known.command && known.command->arguments == u"[SERVER…]" && !last.startsWith(u'-')) {
        lines += servers();
    }
    return lines;
}

} // namespace

QStringList completions(const QStringList& words)
{
    if (words.isEmpty())
        return {};
    WordReader known;
    for (const QString& word : words.first(words.size() - 1))
        known.read(word);
    QStringList lines = next(known, words.last());
    lines.removeIf([&words](const QString& each) { return !each.startsWith(words.last()); });
    return lines;
}

} // namespace lockscope::ctl
