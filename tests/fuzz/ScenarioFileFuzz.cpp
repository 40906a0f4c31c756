// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/ScenarioFile.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

using namespace scenario;

namespace {

void checkProgram(const std::vector<Step>& program)
{
    const auto size = int(program.size());
    if (size == 0 || !std::holds_alternative<EndStep>(program.back().act))
        qFatal("a program without an end");
    for (const Step& step : program) {
        if (const auto* acquire = std::get_if<AcquireStep>(&step.act); acquire && acquire->otherwise >= size)
            qFatal("a jump out of the program");
        if (const auto* each = std::get_if<EachStep>(&step.act);
            each && (each->end <= 0 || each->end >= size))
            qFatal("a list without an end");
        if (const auto* end = std::get_if<EachEndStep>(&step.act);
            end && !std::holds_alternative<EachStep>(program[std::size_t(end->begin)].act))
            qFatal("a list without a beginning");
        if (const auto* sql = std::get_if<SqlStep>(&step.act))
            for (const auto& [engine, text] : sql->sql)
                if (text.filled(engine, {}, [](const QString& name) { return name; }).values
                    != text.valueNames())
                    qFatal("values without a place");
    }
}

} // namespace

/// Feeds bytes to readScenario; aborts if what it refuses has no reason and place, or if what it accepts
/// can't be run: jumps out of a program, values that nobody binds.
static void fuzzScenarioFile(const QByteArray& text)
{
    const auto scenario = readScenario(text, QStringLiteral("fuzz.json"));
    if (!scenario)
        return checkFaults(scenario.error());
    if (!(*scenario)->unsafe())
        qFatal("a scenario without an unsafe variant");
    for (const Variant& variant : (*scenario)->variants) {
        for (const Role& role : variant.roles) {
            checkProgram(role.program);
            if (!role.atLast.empty())
                checkProgram(role.atLast);
        }
    }
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzScenarioFile)
