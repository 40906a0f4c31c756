// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/DeadlockProof.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ProgressLine.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/StopOnSignal.h"
#include "core/base/WriteFile.h"
#include "core/scenario/deadlock/DeadlockScenario.h"
#include "core/scenario/deadlock/Proof.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

void printProof(const scenario::DeadlockScenario& made, const scenario::DeadlockProof& proof)
{
    print(toned(printable(made.scenario->title), TextTone::Bold, useColours()) + u'\n');
    const int columns = screenSize().columns;
    const auto say = [columns](const QString& sentence, int indent) {
        for (const QString& part : wrapped(printable(sentence), columns - indent))
            sayLine(QString(indent, u' ') + part);
    };
    for (const scenario::ProvedChange& each : proof.changes()) {
        for (const QString& part :
            wrapped(u"%1: %2"_s.arg(printable(each.title), printable(each.so)), columns))
            print(toned(part, each.cures ? TextTone::Bold : TextTone::Plain, useColours()) + u'\n');
        say(each.shown, 4);
        say(each.meaning, 4);
    }
    sayLine(u"Not in it:"_s);
    for (const QString& sentence : made.leftOut)
        say(sentence, 2);
    sayLine(u"Executed on %1."_s.arg(printable(proof.product)));
}

int prove(const CommandLine& line, const deadlock::Deadlock& deadlock, const scenario::DeadlockScenario& made,
    QList<deadlock::ProofSection>& proofs)
{
    const auto server = serverToChange(line, u"run a scenario"_s);
    if (!server)
        return fail(server.error());
    const StopOnSignal stop(inOrder);
    Result<scenario::DeadlockProof> proof;
    {
        ProgressLine status;
        proof = scenario::prove(*server, made.scenario, scenario::ExploreOrder().maximum, stop.token(),
            [&](const scenario::ProofProgress& progress) { status.show(progress.toString()); });
    }
    if (!proof)
        return stop.fail(proof.error());
    if (line.json()) {
        QJsonObject json = scenario::toJson(*proof);
        json[u"scenario"_s] = made.scenario->id;
        json[u"left_out"_s] = QJsonArray::fromStringList(made.leftOut);
        printJson(json);
    } else {
        printProof(made, *proof);
    }
    proofs << scenario::sectionOf(deadlock, *proof,
        scenario::whereProved(*proof, server->profile.url.sandbox),
        line.has(u"whole"_s) ? deadlock::Disclosure::Whole : deadlock::Disclosure::Redacted);
    return proof->happened() ? exitOk : exitFailed;
}

} // namespace

int proveDeadlock(
    const CommandLine& line, const deadlock::Deadlock& deadlock, QList<deadlock::ProofSection>& proofs)
{
    const auto made = scenario::deadlockScenario(deadlock);
    if (!made)
        return fail(made.error());
    if (line.has(u"scenario"_s)) {
        const QString path = line.value(u"scenario"_s);
        if (const auto written = writeFile(path, made->scenario->text); !written)
            return fail(written.error());
        if (!line.json())
            sayLine(u"The scenario %1 is in %2."_s.arg(made->scenario->id, path));
    }
    return line.has(u"prove"_s) ? prove(line, deadlock, *made, proofs) : exitOk;
}

} // namespace lockscope::ctl
