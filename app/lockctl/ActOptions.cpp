// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"

#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "core/base/Sentences.h"

#include <algorithm>
#include <climits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addActOptions(Command& command, const QString& reasonByDefault)
{
    command.addValue(u"reason"_s, u"TEXT"_s, u"Why, for the audit."_s, reasonByDefault);
    command.addFlag(u"dry-run"_s, u"Only show what would be done."_s);
    command.addFlag(u"yes"_s, u"Don't ask. Without a terminal nothing is done without it."_s);
    addLocalAudit(command);
}

void addLocalAudit(Command& command)
{
    command.addFlag(u"local-audit"_s,
        u"If the database has no audit table, record it in a file on this computer; else it is refused."_s);
}

std::optional<int> codeAgainstActing(const CommandLine& line, const QString& question)
{
    if (line.has(u"dry-run"_s))
        return exitOk;
    if (line.has(u"yes"_s))
        return std::nullopt;
    if (line.json() || !isTerminal(Stream::In)) {
        return fail(ErrorKind::BadInput, u"Nothing was done: nobody can be asked \"%1\""_s.arg(question),
            u"Add --yes if it is to be done."_s);
    }
    if (agreed(printable(question) + u" [y/N] "_s))
        return std::nullopt;
    print(u"Nothing was done.\n"_s);
    return exitRefused;
}

QStringList dangerLines(const DangerText& text, int columns, bool colours)
{
    constexpr int indent = 14;
    constexpr qsizetype maxLines = 3; // of a statement of any length
    const int space = columns > 0 ? std::max(1, columns - indent) : 0;
    // In one line: a part of a name at the margin would look like a line of ours.
    const QString title = printable(text.title);
    QStringList lines{toned(columns > 0 ? fitted(title, columns) : title, TextTone::Bold, colours)};
    const auto add = [&](const QString& name, const QString& value, TextTone tone, qsizetype most) {
        QStringList parts = wrapped(printable(value).simplified(), space);
        if (parts.size() > most) {
            parts.resize(most);
            parts.last() = fitted(parts.last() + u" …"_s, space);
        }
        for (qsizetype i = 0; i < parts.size(); ++i) {
            const QString margin = i > 0 ? QString() : u"  "_s + fitted(printable(name), indent - 3);
            lines << toned(margin.leftJustified(indent) + parts[i], tone, colours);
        }
    };
    for (const DangerText::Fact& fact : text.facts)
        add(fact.name, fact.value, TextTone::Plain, maxLines);
    add(u"Then"_s, text.consequences.join(u' '), TextTone::Plain, INT_MAX);
    for (const QString& warning : text.warning.split(u'\n', Qt::SkipEmptyParts))
        add(u"Warning"_s, warning, TextTone::Warning, INT_MAX);
    if (!text.vendorCommand.isEmpty())
        add(u"Their way"_s, sentences({text.vendorCommand, text.vendorNote}), TextTone::Plain, INT_MAX);
    return lines;
}

void printDanger(const DangerText& text)
{
    print(dangerLines(text, screenSize().columns, useColours()).join(u'\n') + u'\n');
}

void addDanger(QJsonObject& json, const DangerText& text)
{
    QJsonArray facts;
    for (const DangerText::Fact& fact : text.facts)
        facts.append(QJsonObject{{u"name"_s, fact.name}, {u"value"_s, fact.value}});
    json[u"facts"_s] = facts;
    json[u"consequences"_s] = QJsonArray::fromStringList(text.consequences);
    json[u"warning"_s] = text.warning;
    json[u"statement"_s] = text.statement;
}

std::optional<admin::LocalAudit> localAuditFrom(const CommandLine& line)
{
    return line.has(u"local-audit"_s) ? std::optional(admin::LocalAudit()) : std::nullopt;
}

QStringList firedText(const admin::FiredCode& fired)
{
    QStringList lines;
    if (!fired.runs.isEmpty())
        lines << u"This also runs code of the database: "_s + printable(fired.runs.join(u", "_s));
    if (fired.isLeftAlone)
        lines << u"Left alone, since others' code could run with your rights: "_s
                + printable(fired.strangers.join(u"; "_s));
    return lines;
}

void addFired(QJsonObject& json, const admin::FiredCode& fired)
{
    json[u"runs"_s] = QJsonArray::fromStringList(fired.runs);
    json[u"strangers"_s] = QJsonArray::fromStringList(fired.strangers);
}

} // namespace lockscope::ctl
