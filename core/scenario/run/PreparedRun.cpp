// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/PreparedRun.h"

#include "core/base/Sentences.h"

#include <QMap>
#include <QSet>

#include <algorithm>
#include <array>

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
        LOCKSCOPE_TRY(setParameter(parameter, order, filling.values, filling.identifiers));
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
    LOCKSCOPE_TRY_GET(auto filling, checkedFilling(order, given.engine()));
    LOCKSCOPE_TRY_GET(auto server, given.resolved());
    server.profile.attached.clear(); // no part of a run
    // Remains that can't be removed now are tried again the next time; create() reports anything to say about
    // it.
    std::ignore = RunSchema::removeRemains(server);

    PreparedRun prepared;
    RunContext& context = prepared.context;
    context.scenario = order.scenario;
    context.variant = variantOf(order);
    context.seed = order.seed;
    context.pace = {order.think, order.rate};
    context.values = std::move(filling.values);
    prepared.roles = rolesOfSessions(*context.variant, sessionsOf(order));
    LOCKSCOPE_TRY_GET(prepared.area,
        RunSchema::create(
            server, *context.scenario, *context.variant, context.values, filling.identifiers, stop));
    context.server = prepared.area->server();
    context.schema = prepared.area->schema();
    context.lockPrefix = prepared.area->lockPrefix();
    context.identifiers[u"schema"_s] = prepared.area->identifier(u"schema"_s);
    for (const QString& name : filling.identifiers.keys())
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
    LOCKSCOPE_TRY_GET(const auto inDatabase, run.area->violations(run.context.scenario->invariant));
    if (inDatabase)
        violations.take(*inDatabase);
    return violations;
}

namespace {

/// The sample of spaces that are too large to be seen as a whole.
constexpr int maxInspected = 4'000;
/// The number of seeds for each draw that finds the last one of them, too, as good as always.
constexpr int seedsForEach = 30;

/// Returns how many draws the sessions have in common.
int inCommon(const std::vector<std::vector<qint64>>& drawn)
{
    QMap<qint64, int> sessions; // by what they have drawn
    for (const auto& each : drawn)
        for (const qint64 number : QSet<qint64>(each.begin(), each.end()))
            ++sessions[number];
    return int(std::ranges::count_if(sessions, [](int count) { return count > 1; }));
}

} // namespace

bool isSteppedPause(const ThinkStep& think, const Values& values)
{
    constexpr milliseconds minimum{50};
    return milliseconds(std::max(think.leastMs.in(values), think.maxMs.in(values))) >= minimum;
}

QRandomGenerator randomOf(quint32 seed, int session)
{
    return QRandomGenerator(std::array{seed, quint32(session)}.data(), 2);
}

qint64 drawnBy(double share, DrawRange range)
{
    const qint64 to = std::max(range.to, range.from);
    return range.from + qint64(share * double(to - range.from + 1));
}

DrawSpace::DrawSpace(const std::vector<const Role*>& roles, int rounds, const Values& values)
{
    for (const Role* role : roles) {
        std::vector<DrawRange> ranges;
        QSet<QString> drawn;
        bool isFirst = true;
        eachStep(*role, [&](const Step& step) {
            const auto* const draw = std::get_if<DrawStep>(&step.act);
            if (const auto* const think = std::get_if<ThinkStep>(&step.act))
                m_isKnown = m_isKnown && (rounds == 1 || !isSteppedPause(*think, values));
            isFirst = isFirst && draw;
            if (!draw)
                return;
            m_isEmpty = false;
            const auto isFixed = [&](const Amount& amount) {
                return amount.name.isEmpty()
                    || (values.contains(amount.name) && !drawn.contains(amount.name));
            };
            m_isKnown = m_isKnown && isFirst && isFixed(draw->from) && isFixed(draw->to);
            if (isFirst)
                ranges.push_back(
                    {draw->from.in(values), std::max(draw->to.in(values), draw->from.in(values))});
            drawn.insert(draw->into);
        });
        auto& all = m_ranges.emplace_back();
        for (int round = 0; round < rounds; ++round)
            all.insert(all.end(), ranges.begin(), ranges.end());
    }
}

double DrawSpace::size() const
{
    double size = 1;
    for (const auto& ranges : m_ranges)
        for (const DrawRange& range : ranges)
            size *= double(range.to - range.from + 1);
    return size;
}

std::vector<std::vector<qint64>> DrawSpace::drawn(quint32 seed) const
{
    std::vector<std::vector<qint64>> all;
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        QRandomGenerator random = randomOf(seed, int(i) + 1);
        auto& numbers = all.emplace_back();
        for (const DrawRange& range : m_ranges[i])
            numbers.push_back(drawnBy(random.generateDouble(), range));
    }
    return all;
}

std::vector<quint32> DrawSpace::seeds(quint32 from, int maximum) const
{
    struct Found {
        int common = 0;
        quint32 seed = 0;
    };
    std::vector<Found> found;
    std::set<std::vector<std::vector<qint64>>> seen;
    const double all = size();
    const int inspectedCount = int(
        std::min<double>(all * seedsForEach, std::max<double>(maxInspected, 1.0 * maximum * seedsForEach)));
    for (int i = 0; i < std::max(inspectedCount, 1) && double(found.size()) < all; ++i) {
        const quint32 seed = from + quint32(i);
        auto numbers = drawn(seed);
        const int common = inCommon(numbers);
        if (seen.insert(std::move(numbers)).second)
            found.push_back({common, seed});
    }
    std::ranges::stable_sort(found, std::greater(), &Found::common);
    std::vector<quint32> seeds;
    for (const Found& each : found)
        if (int(seeds.size()) < maximum)
            seeds.push_back(each.seed);
    return seeds;
}

} // namespace lockscope::scenario
