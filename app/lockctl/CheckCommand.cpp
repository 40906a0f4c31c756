// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/EnumTable.h"
#include "core/db/credentials/Secrets.h"
#include "core/monitor/ServerCheck.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <vector>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

using Outcome = db::CheckStep::Outcome;

constexpr int checkJsonFormat = 1;

QString word(Outcome outcome)
{
    static constexpr EnumTable<Outcome> names({u"good", u"note", u"failed"});
    return names[outcome].toString();
}

/// Returns one step, of `printable` text, in as many lines as it needs.
QString stepText(const db::CheckStep& step, bool colours)
{
    constexpr int markWidth = 7;
    constexpr int nameWidth = 24;
    const TextTone tone = step.outcome == Outcome::Good ? TextTone::Plain
        : step.outcome == Outcome::Note                 ? TextTone::Warning
                                                        : TextTone::Alarm;
    QString text = toned(word(step.outcome).leftJustified(markWidth), tone, colours)
        + (step.name + u": "_s).leftJustified(nameWidth) + printable(step.finding) + u'\n';
    if (!step.remedy.isEmpty())
        text += QString(markWidth + nameWidth, u' ') + u"→ "_s + printable(step.remedy) + u'\n';
    return text;
}

QJsonArray stepsJson(const std::vector<db::CheckStep>& steps)
{
    QJsonArray array;
    for (const db::CheckStep& step : steps)
        array.append(QJsonObject{{u"key"_s, step.key}, {u"name"_s, step.name},
            {u"outcome"_s, word(step.outcome)}, {u"finding"_s, step.finding}, {u"remedy"_s, step.remedy}});
    return array;
}

int runCheck(const CommandLine& line)
{
    const auto server = serverToRead(line);
    if (!server)
        return fail(server.error());
    const bool colours = useColours();
    const QString program =
        u"%1 %2, Qt %3, %4"_s.arg(QCoreApplication::applicationName(), QCoreApplication::applicationVersion(),
            QString::fromLatin1(qVersion()), QSysInfo::prettyProductName());
    const QString url = db::withoutSecrets(server->profile.url.toString());
    if (!line.json())
        say(program + u'\n' + url + u'\n');
    std::vector<db::CheckStep> steps;
    // As they come: one that takes its time is the one that is sought.
    const bool good = monitor::checkServer(*server, [&](const db::CheckStep& step) {
        steps.push_back(step);
        if (!line.json())
            print(stepText(step, colours));
    });
    const bool limited = std::any_of(
        steps.begin(), steps.end(), [](const db::CheckStep& step) { return step.outcome == Outcome::Note; });
    if (line.json())
        printJson(QJsonObject{{u"format"_s, checkJsonFormat}, {u"program"_s, program}, {u"server"_s, url},
            {u"good"_s, good}, {u"limited"_s, limited}, {u"steps"_s, stepsJson(steps)}});
    return good && !(limited && line.has(u"strict"_s)) ? exitOk : exitFailed;
}

} // namespace

Command checkCommand()
{
    Command command(u"check"_s, u"what can be found out about a server and the way to it"_s, runCheck,
        u"Goes to the server step by step and reports everything that can be found out on the way and there: driver, network, encryption, login, version, database, rights, views, Lockscope's schema, what the monitor can't show, and which statement mends that. Changes nothing. For a ticket: no secret is in "
        "it. Fails (1) if a step fails; notes are no failures."_s);
    command.examples = {u"lockctl check --server sqlserver://ann@db1/shop > ticket.txt"_s};
    command.addFlag(u"strict"_s, u"Notes are failures, too."_s);
    return command;
}

} // namespace lockscope::ctl
