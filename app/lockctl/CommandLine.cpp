// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "core/base/Duration.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// "-123456" is no option: there is none whose name is a number. Qt's parser is given the number behind a
/// character that no argument can have.
constexpr QChar notAnOption = u'\0';

QStringList withNumbersHidden(QStringList arguments)
{
    for (QString& argument : arguments) {
        bool isNumber = false;
        const qint64 number = argument.toLongLong(&isNumber);
        if (isNumber && number < 0)
            argument.prepend(notAnOption);
    }
    return arguments;
}

QStringList unhidden(QStringList arguments)
{
    for (QString& argument : arguments)
        argument.remove(notAnOption);
    return arguments;
}

} // namespace

CommandLine::CommandLine(const QString& description, const QString& positionals, Dashes dashes)
    : m_positionals(positionals)
    , m_dashes(dashes)
{
    m_parser.setApplicationDescription(description);
    addValue(u"server"_s, u"URL"_s, u"The server; else $LOCKSCOPE_SERVER, else sandbox:."_s);
    addFlag(u"password-stdin"_s, u"Read the password from the first line of standard input."_s);
    addFlag(u"json"_s, u"Print JSON."_s);
    addFlag(u"read-only"_s, u"Refuse whatever would change something; so does $LOCKSCOPE_READ_ONLY=1."_s);
    m_parser.addOption({{u"h"_s, u"help"_s}, u"This text."_s});
}

void CommandLine::addFlag(const QString& name, const QString& meaning)
{
    m_parser.addOption({name, meaning});
}

void CommandLine::addValue(
    const QString& name, const QString& valueName, const QString& meaning, const QString& byDefault)
{
    m_parser.addOption({name, meaning, valueName, byDefault});
}

std::optional<int> CommandLine::parse(const QStringList& arguments, int minPositionals, int maxPositionals)
{
    m_name = arguments.value(0);
    const auto dashes = arguments.indexOf(u"--"_s);
    if (!m_parser.parse(withNumbersHidden(dashes < 0 ? arguments : arguments.mid(0, dashes))))
        return usageError(asSentence(m_parser.errorText())
            + (m_positionals.isEmpty() ? QString()
                                       : u" A name that begins with '-' is written after \"--\"."_s));
    m_names = unhidden(m_parser.positionalArguments());
    QStringList rest = dashes < 0 ? QStringList() : arguments.mid(dashes + 1);
    if (m_dashes == Dashes::BeforePositionals) {
        m_names += rest;
    } else if (!m_names.isEmpty()) {
        m_command = rest;
    } else { // nothing but names may stand before the next ones
        const auto next = rest.indexOf(u"--"_s);
        m_names = next < 0 ? rest : rest.mid(0, next);
        m_command = next < 0 ? QStringList() : rest.mid(next + 1);
    }
    if (has(u"help"_s)) {
        // Qt's text begins with the path of the program and knows no sub-commands.
        QString text = m_parser.helpText();
        text.remove(0, text.indexOf(u'\n') + 1);
        print(u"Usage: lockctl %1 [OPTIONS] %2\n"_s.arg(m_name, m_positionals) + text);
        return exitOk;
    }
    const auto count = m_names.size();
    if (count < minPositionals)
        return usageError(u"%1 is missing."_s.arg(m_positionals.section(u' ', count, count)));
    if (count > maxPositionals)
        return usageError(u"Too many arguments: \"%1\"."_s.arg(positional(maxPositionals)));
    return std::nullopt;
}

QString CommandLine::value(const QString& name) const
{
    return unhidden({m_parser.value(name)}).first();
}

QStringList CommandLine::values(const QString& name) const
{
    return unhidden(m_parser.values(name));
}

bool CommandLine::readOnly() const
{
    const QString wish = qEnvironmentVariable("LOCKSCOPE_READ_ONLY");
    return has(u"read-only"_s) || (!wish.isEmpty() && wish != u"0"_s);
}

Result<milliseconds> CommandLine::duration(const QString& name) const
{
    auto duration = parseDuration(value(name));
    if (!duration)
        duration.error().what = u"--%1: %2"_s.arg(name, duration.error().what);
    return duration;
}

Result<qint64> CommandLine::number(const QString& name, qint64 least) const
{
    bool ok = false;
    const qint64 number = value(name).toLongLong(&ok);
    if (!ok || number < least)
        return failure(ErrorKind::BadInput,
            u"--%1: \"%2\" is not a number of at least %3."_s.arg(name, value(name)).arg(least));
    return number;
}

int CommandLine::usageError(const QString& text) const
{
    complain(u"%1 Usage: lockctl %2 [OPTIONS] %3; `lockctl %2 --help` tells more."_s.arg(
        text, m_name, m_positionals));
    return exitUsage;
}

} // namespace lockscope::ctl
