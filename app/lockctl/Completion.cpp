// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "core/db/ServerProfile.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/ProgramZone.h"
#include "core/scenario/format/ScenarioFile.h"

#include <QSettings>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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
    QStringList lines;
    for (const auto& each : scenario::loadLibrary().scenarios)
        lines << line(each->id, each->title);
    return lines;
}

QStringList variantsOf(const QString& scenario)
{
    QStringList lines;
    if (const auto found = scenario::loadLibrary().find(scenario))
        for (const scenario::Variant& variant : found->variants)
            lines << line(variant.id, variant.title);
    return lines;
}

QStringList frameworkIds()
{
    QStringList lines;
    for (const FrameworkPtr& each : frameworks::catalogue()->frameworks)
        lines << line(each->id, each->name);
    return lines;
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
