// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/PreparedRun.h"

#include "core/base/Sentences.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

const Variant* variantOf(const RunOrder& order)
{
    return order.variant.isEmpty() ? order.scenario->unsafe() : order.scenario->find(order.variant);
}

int sessionsOf(const RunOrder& order)
{
    return order.sessions > 0 ? order.sessions : order.scenario->sessions;
}

namespace {

Failure refused(const QString& what, const QString& hint = {})
{
    return failure(ErrorKind::BadInput, what, hint);
}

Result<void> setParameter(
    const Parameter& parameter, const RunOrder& order, Values& values, QHash<QString, QString>& identifiers)
{
    const bool isSet = order.parameters.contains(parameter.name);
    const QString text = order.parameters.value(parameter.name);
    if (parameter.type == Parameter::Type::Identifier) {
        if (isSet && !isPlainIdentifier(text))
            return refused(u"\"%1\" can't be the %2."_s.arg(text, parameter.name),
                u"A name has letters, digits and _ only."_s);
        identifiers[parameter.name] = isSet ? text : parameter.identifier;
        return {};
    }
    bool isNumber = true;
    const qint64 number = isSet ? text.toLongLong(&isNumber) : parameter.byDefault;
    if (!isNumber || number < parameter.least || number > parameter.maximum)
        return refused(u"The parameter %1 can't be \"%2\"."_s.arg(parameter.name, text),
            u"%1: a whole number from %2 to %3."_s.arg(parameter.meaning)
                .arg(parameter.least)
                .arg(parameter.maximum));
    values[parameter.name] = number;
    return {};
}

/// The order's values as names and numbers.
struct Filling {
    Values values;
    QHash<QString, QString> identifiers;
};

Result<Filling> fillIn(const RunOrder& order)
{
    Filling filling;
    for (const Parameter& parameter : order.scenario->parameters)
        if (auto set = setParameter(parameter, order, filling.values, filling.identifiers); !set)
            return Failure(set.error());
    for (const QString& name : order.parameters.keys()) {
        const auto& known = order.scenario->parameters;
        if (std::ranges::none_of(known, [&name](const Parameter& each) { return each.name == name; })) {
            const QStringList names = textOfEach(known, &Parameter::name);
            return refused(u"The scenario has no parameter \"%1\"."_s.arg(name),
                names.isEmpty() ? u"It has none."_s : u"It has: %1."_s.arg(names.join(u", "_s)));
        }
    }
    filling.values[u"sessions"_s] = qint64(sessionsOf(order));
    return filling;
}

/// The role of each session: first those with a fixed number, then the others in turn.
std::vector<const Role*> rolesOfSessions(const Variant& variant, int sessions)
{
    std::vector<const Role*> roles;
    std::vector<const Role*> others;
    for (const Role& role : variant.roles) {
        if (role.count == 0)
            others.push_back(&role);
        for (int i = 0; i < role.count && int(roles.size()) < sessions; ++i)
            roles.push_back(&role);
    }
    for (std::size_t i = 0; int(roles.size()) < sessions && !others.empty(); ++i)
        roles.push_back(others[i % others.size()]);
    return roles;
}

/// BadInput if the scenario can't be run so: an unknown variant or parameter, a value out of its range.
Result<Filling> checkedFilling(const RunOrder& order, Engine engine)
{
    const Variant* const variant = variantOf(order);
    if (!variant)
        return refused(u"The scenario %1 has no variant \"%2\"."_s.arg(order.scenario->id, order.variant),
            u"It has: %1."_s.arg(textOfEach(order.scenario->variants, &Variant::id).join(u", "_s)));
    if (!variant->engines.contains(engine))
        return failure(ErrorKind::Unsupported,
            u"%1, variant %2, can't be run on %3."_s.arg(
                order.scenario->id, variant->id, engineName(engine)));
    const Scenario& scenario = *order.scenario;
    if (sessionsOf(order) < scenario.leastSessions || sessionsOf(order) > scenario.maxSessions)
        return refused(u"The scenario needs %1 to %2 sessions, not %3."_s.arg(scenario.leastSessions)
                           .arg(scenario.maxSessions)
                           .arg(sessionsOf(order)));
    if (order.rate < 0 || order.think.count() < 0 || order.duration.count() < 0)
        return refused(u"Rate, thinking time and duration can't be negative."_s);
    return fillIn(order);
}

} // namespace

Result<PreparedRun> prepareRun(const db::Server& given, const RunOrder& order, const std::stop_token& stop)
{
    auto filling = checkedFilling(order, given.engine());
    if (!filling)
        return Failure(filling.error());
    auto server = given.resolved();
    if (!server)
        return Failure(server.error());
    server->profile.attached.clear(); // no part of a run
    // Remains that can't be removed now are tried again the next time; create() reports anything to say about
    // it.
    std::ignore = RunSchema::removeRemains(*server);

    PreparedRun prepared;
    RunContext& context = prepared.context;
    context.scenario = order.scenario;
    context.variant = variantOf(order);
    context.seed = order.seed;
    context.pace = {order.think, order.rate};
    context.values = std::move(filling->values);
    prepared.roles = rolesOfSessions(*context.variant, sessionsOf(order));
    auto area = RunSchema::create(
        *server, *context.scenario, *context.variant, context.values, filling->identifiers, stop);
    if (!area)
        return Failure(area.error());
    prepared.area = std::move(*area);
    context.server = prepared.area->server();
    context.schema = prepared.area->schema();
    context.lockPrefix = prepared.area->lockPrefix();
    context.identifiers[u"schema"_s] = prepared.area->identifier(u"schema"_s);
    for (const QString& name : filling->identifiers.keys())
        context.identifiers[name] = prepared.area->identifier(name);
    return prepared;
}

Result<Violations> judge(const PreparedRun& run, const Rules& rules,
    const std::vector<SessionReport>& sessions, microseconds length)
{
    std::vector<SessionLog::Copy> logs;
    for (const SessionReport& session : sessions)
        logs.push_back(session.log);
    Violations violations = judge(rules, run.context.values, logs, length);
    const auto inDatabase = run.area->violations(run.context.scenario->invariant);
    if (!inDatabase)
        return Failure(inDatabase.error());
    if (*inDatabase)
        violations.take(**inDatabase);
    return violations;
}

} // namespace lockscope::scenario
