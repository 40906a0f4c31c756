// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"

#include "app/lockctl/Console.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

using CommandOf = QHash<const CLI::App*, const Command*>;

void addOptions(CLI::App& app, const std::vector<Option>& options)
{
    for (const Option& option : options) {
        const std::string names = option.spelling().toStdString();
        if (option.value.isEmpty())
            app.add_flag(names)->disable_flag_override();
        else
            app.add_option(names)
                ->type_name(option.value.toStdString())
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
}

void addCommands(CLI::App& app, const std::vector<Command>& commands, CommandOf& commandOf)
{
    for (const Command& command : commands) {
        CLI::App* const own = app.add_subcommand(command.lastName().toStdString());
        commandOf.insert(own, &command);
        addOptions(*own, command.options);
        addCommands(*own, command.commands, commandOf);
    }
}

/// Options that may lack their value get an empty one where none follows: the library would take the next
/// option for it.
QStringList withEmptyValues(QStringList words)
{
    QStringList spellings;
    for (const Command& command : commands())
        for (const Option& option : command.options)
            if (option.mayLackValue())
                spellings << option.spelling();
    for (qsizetype i = 0; i < words.size(); ++i)
        if (spellings.contains(words[i]) && (i + 1 == words.size() || words[i + 1].startsWith(u'-')))
            words[i] += u'=';
    return words;
}

/// Last one first, as the library takes them. Of "--name=" it would take the next word for the value, and of
/// "-n=1" the sign as well.
std::vector<std::string> forLibrary(const QStringList& words)
{
    std::vector<std::string> reversed;
    for (const QString& word : words) {
        if (word.size() > 3 && word[0] == u'-' && word[1].isLetter() && word[2] == u'=') {
            reversed.push_back(word.first(2).toStdString());
            reversed.push_back(word.sliced(3).toStdString());
            continue;
        }
        const bool isEmptyValue = word.startsWith(u"--"_s) && word.endsWith(u'=');
        reversed.push_back(word.chopped(isEmptyValue ? 1 : 0).toStdString());
        if (isEmptyValue)
            reversed.emplace_back();
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

QStringList fromLibrary(const std::vector<std::string>& words)
{
    return textOfEach(words, &QString::fromStdString);
}

bool looksLikeAnOption(const QString& word)
{
    bool isNumber = false;
    word.toLongLong(&isNumber);
    return word.size() > 1 && word.startsWith(u'-') && !isNumber;
}

/// The commands that have an option of this spelling, "--limit": somebody took one for another.
QStringList commandsWith(const QString& spelling, const std::vector<Command>& among)
{
    QStringList names;
    for (const Command& command : among) {
        const bool has = std::ranges::any_of(command.options,
            [&spelling](const Option& option) { return option.spelling().split(u',').contains(spelling); });
        if (has)
            names << u'`' + command.name + u'`';
        names << commandsWith(spelling, command.commands);
    }
    return names;
}

QString listed(const QStringList& names)
{
    return names.size() < 2 ? names.join(u""_s)
                            : names.first(names.size() - 1).join(u", "_s) + u" or "_s + names.last();
}

} // namespace

Result<CommandLine> CommandLine::parse(const QStringList& words)
{
    CLI::App root;
    root.set_help_flag(); // ours is a flag like the others
    root.fallthrough()->allow_extras()->require_subcommand(0, 1);
    CommandOf commandOf;
    addOptions(root, globalOptions());
    addCommands(root, commands(), commandOf);

    CommandLine line;
    // The words behind "--" are not the library's: it would read options there when no place is left.
    const auto dashes = words.indexOf(u"--"_s);
    QString error;
    try {
        root.parse(forLibrary(withEmptyValues(words.first(dashes < 0 ? words.size() : dashes))));
    } catch (const CLI::ParseError& refused) {
        error = asSentence(QString::fromUtf8(refused.what()));
    }
    for (const CLI::App* app = &root; app;) {
        for (const CLI::Option* option : app->get_options())
            if (option->count() > 0)
                line.m_given[QString::fromStdString(option->get_single_name())] =
                    fromLibrary(option->results());
        const auto chosen = app->get_subcommands();
        app = chosen.empty() ? nullptr : chosen.front();
        line.m_command = app ? commandOf.value(app) : line.m_command;
    }
    line.m_names = fromLibrary(root.remaining(true));
    if (error.isEmpty())
        error = line.errorIn(dashes < 0 ? QStringList() : words.mid(dashes + 1));
    if (!error.isEmpty())
        return failure(ErrorKind::BadInput, line.usage(error));
    return line;
}

/// Sorts what the library left over, and what stood after "--"; what is wrong with it.
QString CommandLine::errorIn(const QStringList& afterDashes)
{
    const QString hint = m_command && !m_command->arguments.isEmpty()
        ? u" A name that begins with '-', or is \"++\", is written after \"--\"."_s
        : QString();
    const auto unknown = std::find_if(m_names.cbegin(), m_names.cend(), looksLikeAnOption);
    if (unknown != m_names.cend()) {
        const QString option = unknown->section(u'=', 0, 0);
        // Those of its own group are more likely meant.
        const QString group = m_command ? m_command->name.section(u' ', 0, -2) : QString();
        const auto of =
            std::ranges::find_if(commands(), [&group](const Command& each) { return each.name == group; });
        QStringList owners = of == commands().end() ? QStringList() : commandsWith(option, of->commands);
        if (owners.isEmpty())
            owners = commandsWith(option, commands());
        return (owners.isEmpty() ? u"There is no option %1."_s.arg(*unknown)
                                 : u"%1 is for %2."_s.arg(option, listed(owners)))
            + hint;
    }
    if (has(u"help"_s) || has(u"version"_s))
        return {};
    if (!m_command || !m_command->commands.empty()) {
        const QString group = m_command ? m_command->name + u' ' : QString();
        return m_names.isEmpty() ? u"Which command?"_s
                                 : u"There is no command \"%1%2\"."_s.arg(group, m_names.first());
    }
    if (!m_command->takesCommand()) {
        m_names += afterDashes;
    } else if (!m_names.isEmpty()) {
        m_commandToRun = afterDashes;
    } else { // nothing but names may stand before the next ones
        const auto next = afterDashes.indexOf(u"--"_s);
        m_names = next < 0 ? afterDashes : afterDashes.first(next);
        m_commandToRun = next < 0 ? QStringList() : afterDashes.mid(next + 1);
    }
    const QStringList places = m_command->places();
    // "[LOCK]" may be missing.
    if (m_names.size() < places.size() && !places[m_names.size()].startsWith(u'['))
        return u"%1 is missing."_s.arg(places[m_names.size()]) + hint;
    if (m_names.size() > places.size() && !places.join(u""_s).contains(u'…'))
        // A URL that stands in the wrong place may have a password in it.
        return m_names[places.size()].contains(u"://"_s)
            ? u"Too many arguments. A server is named by --server URL."_s
            : u"Too many arguments: \"%1\"."_s.arg(m_names[places.size()]);
    for (const Option& option : m_command->options)
        if (const QStringList choices = option.choices();
            has(option.name) && !choices.isEmpty() && !choices.contains(value(option.name)))
            return u"%1 is %2, not \"%3\"."_s.arg(option.spelling(), listed(choices), value(option.name));
    return contradiction();
}

/// Returns which options can't all be meant; empty: there are none.
QString CommandLine::contradiction() const
{
    if (has(u"json"_s) && has(u"format"_s) && !m_given.value(u"format"_s).contains(u"json"_s))
        return u"--json is --format json, and does not go together with --format %1."_s.arg(
            value(u"format"_s));
    // Of the others the last one counts, so that an alias can be overridden.
    for (const QString& option : {u"format"_s, u"table"_s})
        if (values(option).size() > 1)
            return u"--%1 is given %2 times: only one can be meant."_s.arg(option).arg(values(option).size());
    for (const auto& [some, others] : m_command->apart)
        for (const QString& one : some)
            for (const QString& other : others)
                if (has(one) && has(other))
                    return u"--%1 does not go together with --%2."_s.arg(one, other);
    return {};
}

QString CommandLine::usage(const QString& error) const
{
    if (!m_command && m_names.isEmpty() && !has(u"server"_s)
        && !qEnvironmentVariableIsSet("LOCKSCOPE_SERVER"))
        return error
            + u" `lockctl --help` lists them. No server is named: nothing is read or started until --server URL or LOCKSCOPE_SERVER names one."_s;
    if (!m_command)
        return error + u" `lockctl --help` lists the commands."_s;
    return u"%1 Usage: lockctl %2; `lockctl %3 --help` shows more."_s.arg(
        error, m_command->usage(), m_command->name);
}

QString CommandLine::value(const QString& option) const
{
    if (has(option) || !m_command)
        return m_given.value(option).value(m_given.value(option).size() - 1);
    const auto known = std::ranges::find_if(
        m_command->options, [&option](const Option& each) { return each.name == option; });
    return known == m_command->options.end() ? QString() : known->byDefault;
}

bool CommandLine::readOnly() const
{
    const QString set = qEnvironmentVariable("LOCKSCOPE_READ_ONLY");
    return has(u"read-only"_s) || (!set.isEmpty() && set != u"0"_s);
}

Result<milliseconds> CommandLine::duration(const QString& option) const
{
    auto duration = parseDuration(value(option));
    if (!duration)
        duration.error().what = u"--%1: %2"_s.arg(option, duration.error().what);
    return duration;
}

Result<qint64> CommandLine::number(const QString& option, qint64 least) const
{
    bool ok = false;
    const qint64 number = value(option).toLongLong(&ok);
    if (!ok || number < least)
        return failure(ErrorKind::BadInput,
            u"--%1: \"%2\" is not a number of at least %3."_s.arg(option, value(option)).arg(least));
    return number;
}

} // namespace lockscope::ctl
