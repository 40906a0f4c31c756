// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/ProgramReader.h"

#include "core/base/Sentences.h"
#include "core/domain/Engine.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

Amount ScenarioFileCheck::amount(const JsonNode& node, qint64 least, qint64 maximum)
{
    if (node.is(JsonNode::Type::Number) && node.isInteger)
        return {number(node, least, maximum), {}};
    if (node.is(JsonNode::Type::String) && node.text.startsWith(u':') && isPlainIdentifier(node.text.mid(1)))
        return {0, node.text.mid(1)};
    noteOther(node, u"a whole number from %1 to %2, or a value like \":rows\""_s.arg(least).arg(maximum));
    return {least, {}};
}

QString ScenarioFileCheck::name(const JsonNode& node)
{
    if (node.is(JsonNode::Type::String) && isPlainIdentifier(node.text))
        return node.text;
    noteOther(node, u"a name of letters, digits and _"_s);
    return {};
}

QString ScenarioFileCheck::neededName(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? name(*node) : QString();
}

QString ScenarioFileCheck::optionalName(const JsonNode& object, const QString& key, const QString& byDefault)
{
    const JsonNode* const node = object.find(key);
    return node ? name(*node) : byDefault;
}

SqlByEngine ScenarioFileCheck::sql(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& text) { return SqlTemplate(prose(text)); });
}

ScriptByEngine ScenarioFileCheck::script(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& list) {
        std::vector<SqlTemplate> all;
        if (!list.is(JsonNode::Type::Array))
            noteOther(list, u"a list of statements"_s);
        for (const JsonNode& item : list.items)
            all.emplace_back(prose(item));
        return all;
    });
}

namespace {

constexpr std::size_t maxProgramLength = 500;

/// The key that names the kind of a step.
QStringList verbs()
{
    return {u"sql"_s, u"begin"_s, u"commit"_s, u"rollback"_s, u"acquire"_s, u"release"_s, u"take"_s,
        u"done"_s, u"give_back"_s, u"think_ms"_s, u"draw"_s, u"enter"_s, u"leave"_s, u"processed"_s,
        u"each"_s, u"fail"_s, u"die"_s, u"end"_s};
}

QString known(const std::set<QString>& names, const QString& prefix)
{
    const QStringList all = textOfEach(names, [&](const QString& name) { return prefix + name; });
    return all.isEmpty() ? u"none is known here"_s : u"one of "_s + all.join(u", "_s);
}

} // namespace

QStringList ProgramReader::builtIns()
{
    return {u"session"_s, u"sessions"_s, u"round"_s};
}

ProgramReader::ProgramReader(ScenarioFileCheck& check, const Scenario& scenario)
    : m_check(check)
    , m_scenario(scenario)
{
    for (const QString& name : builtIns())
        m_known.insert(name);
    for (const Parameter& parameter : scenario.parameters)
        if (parameter.type == Parameter::Type::Number)
            m_known.insert(parameter.name);
}

Role ProgramReader::role(const JsonNode& node, const std::set<Engine>& engines)
{
    Role role;
    m_engines = engines;
    if (!m_check.isObject(node, {u"name"_s, u"programs"_s, u"count"_s, u"steps"_s, u"finally"_s}))
        return role;
    role.name = m_check.neededText(node, u"name"_s);
    role.count = int(m_check.optionalNumber(node, u"count"_s, 0, 1, 200));
    if (const JsonNode* programs = node.find(u"programs")) {
        if (!programs->is(JsonNode::Type::Array) || programs->items.empty())
            m_check.noteOther(*programs, u"a list of names"_s);
        for (const JsonNode& item : programs->items)
            role.programs << m_check.text(item);
    }
    const JsonNode* const program = m_check.need(node, u"steps"_s);
    const JsonNode* const atLast = node.find(u"finally");
    if (program)
        collectNames(*program);
    if (atLast)
        collectNames(*atLast);
    if (program) {
        if (program->is(JsonNode::Type::Array) && program->items.empty())
            m_check.note(*program, u"Nothing is done here."_s, u"a list of steps"_s);
        steps(*program, role.program);
        role.program.push_back({u"end of the round"_s, EndStep()});
        for (std::size_t i = 0; i < m_pending.size(); ++i) {
            const Pending pending = m_pending[i];
            m_isInTransaction = pending.isInTransaction;
            std::get<AcquireStep>(role.program[std::size_t(pending.from)].act).otherwise =
                int(role.program.size());
            steps(*pending.steps, role.program);
            role.program.push_back({u"end of the round"_s, EndStep()});
        }
        m_pending.clear();
    }
    if (atLast) {
        m_isInTransaction = false; // the round's end has rolled it back
        steps(*atLast, role.atLast);
        role.atLast.push_back({u"end of the round"_s, EndStep()});
        if (!m_pending.empty())
            m_check.note(*atLast, u"The last step can't take other ways."_s, u"no \"otherwise\""_s);
    }
    return role;
}

/// Names may be used before the step that gives them a value: they are NULL then.
void ProgramReader::collectNames(const JsonNode& steps)
{
    for (const JsonNode& node : steps.items) {
        if (!node.is(JsonNode::Type::Object))
            continue;
        define(node.find(u"into"));
        if (const JsonNode* rows = node.find(u"rows_into"); rows && rows->is(JsonNode::Type::String))
            m_lists.insert(rows->text);
        if (const JsonNode* enter = node.find(u"enter"))
            m_entered.insert(enter->text);
        m_takes = m_takes || node.find(u"take");
        if (const JsonNode* take = node.find(u"take"))
            if (const JsonNode* into = take->find(u"into"); into && into->is(JsonNode::Type::String))
                m_lists.insert(into->text);
        if (const JsonNode* draw = node.find(u"draw"))
            define(draw->find(u"into"));
        if (const JsonNode* acquire = node.find(u"acquire")) {
            define(acquire->find(u"fencing_into"));
            const JsonNode* const as = acquire->find(u"as");
            m_locks.insert(as && as->is(JsonNode::Type::String) ? as->text : u"lock"_s);
            if (const JsonNode* otherwise = acquire->find(u"otherwise"))
                collectNames(*otherwise);
        }
        if (const JsonNode* each = node.find(u"each")) {
            define(each->find(u"as"));
            if (const JsonNode* inner = each->find(u"steps"))
                collectNames(*inner);
        }
    }
}

void ProgramReader::define(const JsonNode* node)
{
    if (!node)
        return;
    if (node->is(JsonNode::Type::String))
        m_known.insert(node->text);
    for (const JsonNode& item : node->items)
        if (item.is(JsonNode::Type::String))
            m_known.insert(item.text);
}

void ProgramReader::checkValue(const JsonNode& node, const QString& name)
{
    if (!m_known.contains(name))
        m_check.note(node, u"There is no value \":%1\"."_s.arg(name), known(m_known, u":"_s));
}

void ProgramReader::checkNames(const JsonNode& node, const SqlTemplate& sql)
{
    for (const QString& name : sql.valueNames())
        checkValue(node, name);
    std::set<QString> identifiers{u"schema"_s};
    for (const Parameter& parameter : m_scenario.parameters)
        if (parameter.type == Parameter::Type::Identifier)
            identifiers.insert(parameter.name);
    for (const QString& name : sql.identifierNames())
        if (!identifiers.contains(name))
            m_check.note(
                node, u"There is no identifier \"{%1}\"."_s.arg(name), known(identifiers, QString()));
}

void ProgramReader::checkAmount(const JsonNode& node, const Amount& amount)
{
    if (!amount.name.isEmpty())
        checkValue(node, amount.name);
}

Amount ProgramReader::checkedAmount(
    const JsonNode& object, const QString& key, qint64 byDefault, qint64 least)
{
    const JsonNode* const node = object.find(key);
    if (!node)
        return {byDefault, {}};
    Amount amount = m_check.amount(*node, least);
    checkAmount(*node, amount);
    return amount;
}

NameTemplate ProgramReader::nameTemplate(const JsonNode& node)
{
    NameTemplate name(m_check.text(node));
    for (const QString& value : name.valueNames())
        checkValue(node, value);
    return name;
}

QString ProgramReader::lockName(const JsonNode& node)
{
    const QString name = m_check.name(node);
    if (!name.isEmpty() && !m_locks.contains(name))
        m_check.note(
            node, u"No step of this role takes a lock \"%1\"."_s.arg(name), known(m_locks, QString()));
    return name;
}

void ProgramReader::steps(const JsonNode& list, std::vector<Step>& program)
{
    if (!list.is(JsonNode::Type::Array)) {
        m_check.noteOther(list, u"a list of steps"_s);
        return;
    }
    for (const JsonNode& node : list.items) {
        if (program.size() >= maxProgramLength) {
            m_check.note(
                node, u"The program is too long."_s, u"at most %1 steps"_s.arg(int(maxProgramLength)));
            return;
        }
        step(node, program);
    }
}

void ProgramReader::step(const JsonNode& node, std::vector<Step>& program)
{
    QStringList found;
    for (const QString& verb : verbs())
        if (node.find(verb))
            found << verb;
    if (found.size() != 1) {
        m_check.note(node,
            found.isEmpty() ? u"This is no step: %1."_s.arg(describe(node))
                            : u"This step is several things at once: %1."_s.arg(found.join(u", "_s)),
            u"an object with exactly one of "_s + verbs().join(u", "_s));
        return;
    }
    const QString verb = found.first();
    const QString label = m_check.optionalText(node, u"label"_s);
    if (verb == u"sql") {
        Step made = sqlStep(node);
        program.push_back({label.isEmpty() ? made.label : label, std::move(made.act)});
        return;
    }
    m_check.isObject(node, {verb, u"label"_s});
    const JsonNode& value = *node.find(verb);
    static const QStringList plain{
        u"begin"_s, u"commit"_s, u"rollback"_s, u"done"_s, u"give_back"_s, u"end"_s};
    if (plain.contains(verb) && !(value.is(JsonNode::Type::Bool) && value.boolean))
        m_check.noteOther(value, u"true"_s);
    transactionStep(verb);
    addStep(node, verb, label, program);
}

void ProgramReader::addStep(
    const JsonNode& node, const QString& verb, const QString& label, std::vector<Step>& program)
{
    const JsonNode& value = *node.find(verb);
    const auto add = [&](const QString& byDefault, auto act) {
        program.push_back({label.isEmpty() ? byDefault : label, std::move(act)});
    };
    if (verb == u"begin")
        add(u"begin"_s, TransactionStep{TransactionStep::Act::Begin});
    else if (verb == u"commit")
        add(u"commit"_s, TransactionStep{TransactionStep::Act::Commit});
    else if (verb == u"rollback")
        add(u"roll back"_s, TransactionStep{TransactionStep::Act::Rollback});
    else if (verb == u"acquire") {
        AcquireStep acquire = acquireStep(value);
        if (const JsonNode* otherwise = value.find(u"otherwise"))
            m_pending.push_back({int(program.size()), otherwise, m_isInTransaction});
        const QString name = acquire.name.text();
        add(u"acquire %1"_s.arg(name), std::move(acquire));
    } else if (verb == u"release")
        add(u"release %1"_s.arg(value.text), ReleaseStep{lockName(value)});
    else if (verb == u"take")
        add(u"take the next packet"_s, takeStep(value));
    else if (verb == u"done" || verb == u"give_back") {
        if (!m_takes)
            m_check.note(node, u"No step of this role takes a packet."_s, u"a step with \"take\""_s);
        add(verb == u"done" ? u"the packet is done"_s : u"give the packet back"_s,
            SettleStep{verb == u"done"});
    } else if (verb == u"think_ms")
        add(u"think"_s, thinkStep(value));
    else if (verb == u"draw")
        add(u"draw a number"_s, drawStep(value));
    else if (verb == u"enter" || verb == u"leave") {
        if (verb == u"leave")
            leave(value);
        add(u"%1 the critical section %2"_s.arg(verb, value.text),
            CriticalStep{verb == u"enter", nameTemplate(value)});
    } else if (verb == u"processed")
        add(u"%1 is processed"_s.arg(value.text), ProcessedStep{nameTemplate(value)});
    else if (verb == u"each")
        each(value, program);
    else if (verb == u"fail") {
        m_check.isObject(value, {u"one_in"_s});
        add(u"perhaps fail"_s, FailStep{checkedAmount(value, u"one_in"_s, 1, 1)});
    } else if (verb == u"die") {
        m_check.isObject(value, {u"one_in"_s, u"restart_ms"_s});
        add(u"perhaps crash"_s,
            DieStep{checkedAmount(value, u"one_in"_s, 1, 1), checkedAmount(value, u"restart_ms"_s, 100, 0)});
    } else
        add(u"end of the round"_s, EndStep());
}

void ProgramReader::transactionStep(const QString& verb)
{
    if (verb == u"begin")
        m_isInTransaction = true;
    else if (verb == u"commit" || verb == u"rollback")
        m_isInTransaction = false;
}

void ProgramReader::leave(const JsonNode& node)
{
    if (node.is(JsonNode::Type::String) && !m_entered.contains(node.text))
        m_check.note(
            node, u"No step of this role enters \"%1\"."_s.arg(node.text), known(m_entered, QString()));
}

Step ProgramReader::sqlStep(const JsonNode& node)
{
    SqlStep act;
    m_check.isObject(node,
        {u"sql"_s, u"label"_s, u"into"_s, u"rows_into"_s, u"takes_lock"_s, u"touches"_s, u"writes_over"_s,
            u"locks_row"_s, u"no_rows"_s, u"rows"_s});
    const JsonNode& sql = *node.find(u"sql");
    act.sql = m_check.sql(sql);
    for (const auto& [engine, text] : act.sql)
        checkNames(sql, text);
    for (const Engine engine : m_engines)
        if (!act.sql.contains(engine))
            m_check.note(sql, u"There is no text for %1."_s.arg(engineName(engine)),
                u"the key \"%1\""_s.arg(engineKey(engine)));
    if (const JsonNode* into = node.find(u"into")) {
        if (into->is(JsonNode::Type::Array))
            for (const JsonNode& item : into->items)
                act.into << m_check.name(item);
        else
            act.into << m_check.name(*into);
    }
    act.rowsInto = m_check.optionalName(node, u"rows_into"_s);
    act.takesLock = m_check.optionalFlag(node, u"takes_lock"_s);
    if (const JsonNode* touches = node.find(u"touches"); touches && touches->is(JsonNode::Type::Array)) {
        act.touches.emplace();
        for (const JsonNode& item : touches->items)
            *act.touches << m_check.text(item);
    } else if (touches) {
        m_check.note(*touches, u"That is no list of names."_s, u"a list, as in [\"row 1\", \"row 2\"]"_s);
    }
    if (const JsonNode* over = node.find(u"writes_over"))
        act.writesOver = writesOver(*over);
    if (const JsonNode* row = node.find(u"locks_row"))
        act.locksRow = nameTemplate(*row);
    if (const JsonNode* end = node.find(u"no_rows"))
        act.endsWithoutRows = m_check.word(*end, {u"end"_s}) == u"end";
    if (const JsonNode* end = node.find(u"rows"))
        act.endsWithRows = m_check.word(*end, {u"end"_s}) == u"end";
    const QString text = act.sql.empty() ? QString() : act.sql.begin()->second.text().simplified();
    return {text.size() > 60 ? text.left(59) + u'…' : text, std::move(act)};
}

std::optional<WritesOver> ProgramReader::writesOver(const JsonNode& node)
{
    if (!m_check.isObject(node, {u"item"_s, u"seen"_s}))
        return {};
    const JsonNode* const item = m_check.need(node, u"item"_s);
    if (!m_check.need(node, u"seen"_s) || !item)
        return {};
    return WritesOver{nameTemplate(*item), checkedAmount(node, u"seen"_s, 0, 0)};
}

ThinkStep ProgramReader::thinkStep(const JsonNode& node)
{
    const auto checked = [this](const JsonNode& item) {
        const Amount amount = m_check.amount(item, 0, 3'600'000);
        checkAmount(item, amount);
        return amount;
    };
    if (!node.is(JsonNode::Type::Array)) {
        const Amount amount = checked(node);
        return {amount, amount};
    }
    if (node.items.size() != 2) {
        m_check.note(
            node, u"Here are %1 numbers."_s.arg(int(node.items.size())), u"the least and the most"_s);
        return {};
    }
    return {checked(node.items[0]), checked(node.items[1])};
}

AcquireStep ProgramReader::acquireStep(const JsonNode& node)
{
    AcquireStep act;
    if (!m_check.isObject(node,
            {u"kind"_s, u"name"_s, u"mode"_s, u"owner"_s, u"wait_ms"_s, u"lease_ms"_s, u"as"_s,
                u"fencing_into"_s, u"otherwise"_s}))
        return act;
    using locks::AcquireMode;
    using locks::LockKind;
    static const QMap<QString, LockKind> kinds{{u"table"_s, LockKind::Table},
        {u"app"_s, LockKind::Application}, {u"locked-table"_s, LockKind::LockedTable},
        {u"locked-key"_s, LockKind::LockedKey}};
    static const QMap<QString, AcquireMode> modes{{u"exclusive"_s, AcquireMode::Exclusive},
        {u"shared"_s, AcquireMode::Shared}, {u"update"_s, AcquireMode::Update},
        {u"intent-shared"_s, AcquireMode::IntentShared},
        {u"intent-exclusive"_s, AcquireMode::IntentExclusive}};
    if (const JsonNode* kind = m_check.need(node, u"kind"_s))
        act.kind = kinds.value(m_check.word(*kind, kinds.keys()));
    if (const JsonNode* mode = node.find(u"mode"))
        act.mode = modes.value(m_check.word(*mode, modes.keys()), AcquireMode::Exclusive);
    const bool isSurrogate = act.kind == LockKind::LockedTable || act.kind == LockKind::LockedKey;
    act.owner = isSurrogate ? LockOwner::Transaction : LockOwner::Session;
    if (const JsonNode* owner = node.find(u"owner")) {
        const bool byTransaction = m_check.word(*owner, {u"session"_s, u"transaction"_s}) == u"transaction";
        if (byTransaction != isSurrogate && act.kind != LockKind::Application)
            m_check.note(*owner, u"Such a lock can't belong to that."_s,
                isSurrogate ? u"transaction"_s : u"session"_s);
        act.owner = byTransaction ? LockOwner::Transaction : LockOwner::Session;
    }
    if (const JsonNode* name = m_check.need(node, u"name"_s)) {
        act.name = nameTemplate(*name);
        if (act.kind == LockKind::LockedTable && !act.name.isFixed())
            m_check.note(*name, u"Locked tables are made before the run; their names can't hold values."_s,
                u"a fixed name, or the kind locked-key"_s);
    }
    act.waitMs = checkedAmount(node, u"wait_ms"_s, -1, -1);
    act.leaseMs = checkedAmount(node, u"lease_ms"_s, 600'000, 1);
    act.as = m_check.optionalName(node, u"as"_s, u"lock"_s);
    act.fencingInto = m_check.optionalName(node, u"fencing_into"_s);
    checkAcquire(node, act);
    return act;
}

/// Refuses what the strategies would refuse.
void ProgramReader::checkAcquire(const JsonNode& node, const AcquireStep& act)
{
    using locks::LockKind;
    const auto at = [&node](QStringView key) -> const JsonNode& {
        const JsonNode* const found = node.find(key);
        return found ? *found : node;
    };
    const bool isTable = act.kind == LockKind::Table;
    const bool isPlain = act.mode == locks::AcquireMode::Exclusive || act.mode == locks::AcquireMode::Shared;
    for (const Engine engine : m_engines) {
        const db::Dialect& dialect = db::Dialect::of(engine);
        if (!dialect.can(locks::capabilityFor(act.kind)))
            m_check.note(at(u"kind"), u"%1 has no such locks."_s.arg(engineName(engine)),
                u"the kind table, or \"engines\" of the variant without %1"_s.arg(engineKey(engine)));
        else if (act.kind == LockKind::Application && !isPlain
            && !dialect.can(db::Capability::UpdateAndIntentModes))
            m_check.note(
                at(u"mode"), u"%1 has no such mode."_s.arg(engineName(engine)), u"exclusive or shared"_s);
    }
    if (act.kind != LockKind::Application && act.mode != locks::AcquireMode::Exclusive)
        m_check.note(at(u"mode"), u"Such a lock can't be shared."_s, u"exclusive, or the kind app"_s);
    if (!isTable && !act.fencingInto.isEmpty())
        m_check.note(
            at(u"fencing_into"), u"Only the lock table gives numbers for fencing."_s, u"the kind table"_s);
    if (isTable && m_isInTransaction)
        m_check.note(node, u"An entry of the lock table can't be taken in a transaction."_s,
            u"this step before \"begin\""_s);
    if (act.owner == LockOwner::Transaction && !m_isInTransaction)
        m_check.note(node, u"Such a lock belongs to a transaction, and none is open here."_s,
            u"\"begin\" before it"_s);
}

TakeStep ProgramReader::takeStep(const JsonNode& node)
{
    TakeStep act;
    if (!m_check.isObject(node,
            {u"table"_s, u"key"_s, u"order"_s, u"stamp"_s, u"clock"_s, u"packet"_s, u"redeliver_ms"_s,
                u"into"_s}))
        return act;
    act.queue.table = m_check.neededName(node, u"table"_s);
    act.queue.keyColumn = m_check.optionalName(node, u"key"_s, act.queue.keyColumn);
    act.queue.orderColumn = m_check.optionalName(node, u"order"_s);
    act.queue.stampColumn = m_check.neededName(node, u"stamp"_s);
    if (const JsonNode* clock = node.find(u"clock")) {
        const QString word = m_check.word(*clock, {u"utc"_s, u"zone"_s, u"local"_s});
        act.queue.clock = word == u"zone" ? locks::QueueTable::Clock::WithZone
            : word == u"local"            ? locks::QueueTable::Clock::Local
                                          : locks::QueueTable::Clock::Utc;
    }
    act.packet = checkedAmount(node, u"packet"_s, 10, 1);
    act.redeliverMs = checkedAmount(node, u"redeliver_ms"_s, 60'000, 1);
    act.into = m_check.neededName(node, u"into"_s);
    return act;
}

DrawStep ProgramReader::drawStep(const JsonNode& node)
{
    if (!m_check.isObject(node, {u"into"_s, u"from"_s, u"to"_s}))
        return {};
    DrawStep act;
    act.into = m_check.neededName(node, u"into"_s);
    act.from = checkedAmount(node, u"from"_s, 1, 0);
    m_check.need(node, u"to"_s);
    act.to = checkedAmount(node, u"to"_s, 1, 0);
    return act;
}

void ProgramReader::each(const JsonNode& node, std::vector<Step>& program)
{
    if (!m_check.isObject(node, {u"of"_s, u"as"_s, u"steps"_s}))
        return;
    EachStep act;
    act.list = m_check.neededName(node, u"of"_s);
    if (!act.list.isEmpty() && !m_lists.contains(act.list))
        m_check.note(
            *node.find(u"of"), u"There is no list \"%1\"."_s.arg(act.list), known(m_lists, QString()));
    act.as = m_check.neededName(node, u"as"_s);
    const JsonNode* const inner = m_check.need(node, u"steps"_s);
    if (!inner)
        return;
    for (const JsonNode& item : inner->items)
        if (item.find(u"each"))
            m_check.note(item, u"A list inside of a list can't be gone through."_s, u"other steps"_s);
    const auto begin = program.size();
    program.push_back({u"each of %1"_s.arg(act.list), act});
    steps(*inner, program);
    std::get<EachStep>(program[begin].act).end = int(program.size());
    program.push_back({u"next of %1"_s.arg(act.list), EachEndStep{int(begin)}});
}

} // namespace lockscope::scenario
