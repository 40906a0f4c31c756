// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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

} // namespace lockscope::ctl
