// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/RuleIndex.h"

#include <algorithm>
#include <limits>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

using Hash = KeyFormula::Hash;

/// The limit for numbers of one rule: a database may have ten thousand schemas.
constexpr std::size_t maxIndexedNames = 50'000;
/// A constant up to here is one that any program may use.
constexpr qint64 plainNumbers = 65'536;
constexpr qsizetype minPlainCharacters = 4;

namespace weight { // see Candidate::weight
constexpr int any = 1;
constexpr int range = 10;
constexpr int half = 20;
constexpr int decoded = 30;
constexpr int exact = 50;
} // namespace weight

QString possessive(const Framework& framework)
{
    return framework.name + u"'s"_s;
}

/// The name that goes with a match: what {name} stands for, else the lock's own and what it is of.
QString nameOf(const FrameworkLock& lock, const QString& texts, const KeyNames& names)
{
    if (texts.contains(u"{name}"_s))
        return names.name;
    QString of;
    if (texts.contains(u"{table}"_s))
        of = names.schema.isEmpty() ? names.table : names.schema + u'.' + names.table;
    else if (texts.contains(u"{schema}"_s))
        of = names.schema;
    else if (texts.contains(u"{database}"_s))
        of = names.database;
    return of.isEmpty() ? lock.name : lock.name + u" of "_s + of;
}

/// Returns the values that a computed key was computed from; empty: none.
QString computedFor(const QString& texts, const KeyNames& names)
{
    QStringList parts;
    if (texts.contains(u"{database}"_s))
        parts << u"database "_s + names.database;
    if (texts.contains(u"{table}"_s))
        parts << (names.schema.isEmpty() ? names.table : names.schema + u'.' + names.table);
    else if (texts.contains(u"{schema}"_s))
        parts << u"schema "_s + names.schema;
    if (texts.contains(u"{name}"_s))
        parts << u"'%1'"_s.arg(names.name);
    return parts.join(u", "_s);
}

QString shownKey(quint64 number, quint64 part)
{
    return part == 2 ? u"key (%1, %2)"_s.arg(static_cast<qint32>(number >> 32))
                           .arg(static_cast<qint32>(number & 0xffffffff))
                     : u"key %1"_s.arg(static_cast<qint64>(number));
}

bool hasPlaces(const QString& text)
{
    return text.contains(u'{');
}

/// Returns the beginning of a pattern, up to the first character that may mean something.
qsizetype plainBeginning(const QString& pattern)
{
    const auto end = std::ranges::find_if(pattern,
        [](QChar c) { return !c.isLetterOrNumber() && c != u'_' && c != u':' && c != u'-' && c != u' '; });
    const bool isRepeated =
        end != pattern.end() && (*end == u'?' || *end == u'*' || *end == u'+' || *end == u'{');
    const bool hasChoices = pattern.contains(u'|') && !pattern.contains(u'(');
    return hasChoices ? 0 : end - pattern.begin() - (isRepeated ? 1 : 0);
}

} // namespace

RuleIndex::RuleIndex(Engine engine, const std::vector<FrameworkPtr>& frameworks, DatabaseFacts facts)
    : m_facts(std::move(facts))
{
    for (const FrameworkPtr& framework : frameworks)
        for (const FrameworkLock& lock : framework->locks)
            if (lock.engines.contains(engine) && meets(lock))
                add(engine, framework, lock);
}

bool RuleIndex::meets(const FrameworkLock& lock) const
{
    return std::ranges::all_of(lock.requires_, [this](const FrameworkTable& tableRule) {
        return std::ranges::any_of(
            m_facts.tables, [&](const KnownTable& table) { return isTable(tableRule, table); });
    });
}

bool RuleIndex::hasTableOf(const Framework& framework) const
{
    const auto isThere = [this](const FrameworkTable& required) {
        return std::ranges::any_of(
            m_facts.tables, [&](const KnownTable& table) { return isTable(required, table); });
    };
    return std::ranges::any_of(framework.locks, [&](const FrameworkLock& lock) {
        return (lock.table && isThere(*lock.table)) || std::ranges::any_of(lock.requires_, isThere);
    });
}

void RuleIndex::add(Engine engine, const FrameworkPtr& framework, const FrameworkLock& lock)
{
    for (const AdvisoryKeyRule& rule : lock.keys)
        addKey(framework, lock, rule);
    for (const ApplicationLockRule& rule : lock.resources) {
        Pattern pattern{
            .framework = framework, .lock = &lock, .rule = &rule, .whole = wholePattern(rule.pattern)};
        if (rule.key)
            for (const KeyNames& names : namesFor(lock, rule.key->text))
                if (const auto number = computeKey(*rule.key, names))
                    pattern.keys.insert(QString::number(*number), names);
        m_patterns.push_back(std::move(pattern));
    }
    if (lock.kind == FrameworkLockKind::Table)
        addTable(framework, lock, engine);
}

void RuleIndex::addTable(const FrameworkPtr& framework, const FrameworkLock& lock, Engine engine)
{
    if (!lock.table)
        return;
    OfTable of;
    for (const QString& mode : lock.modes.value(engine))
        of.modes.push_back(LockMode::fromText(engine, mode));
    for (const KnownTable& table : m_facts.tables) {
        if (!isTable(*lock.table, table))
            continue;
        of.candidate = {.framework = framework,
            .lock = &lock,
            .weight = Candidate::certainly + weight::exact,
            .name = lock.name,
            .evidence = u"%1 is %2 table"_s.arg(table.fullName(), possessive(*framework))};
        if (table.id != 0)
            m_tables[table.id].push_back(of);
        for (const quint64 part : table.parts)
            m_parts[part].push_back(of);
    }
}

std::vector<KeyNames> RuleIndex::namesFor(const FrameworkLock& lock, const QString& texts) const
{
    KeyNames known;
    known.database = m_facts.database;
    std::vector<KeyNames> all{known};
    if (texts.contains(u"{table}"_s)) {
        all.clear();
        for (const KnownTable& table : m_facts.tables) {
            if (!lock.table || !isTable(*lock.table, table))
                continue;
            known.schema = table.schema;
            known.table = table.table;
            all.push_back(known);
        }
    } else if (texts.contains(u"{schema}"_s)) {
        all.clear();
        for (const QString& schema : m_facts.schemas) {
            known.schema = schema;
            all.push_back(known);
        }
    }
    if (texts.contains(u"{name}"_s)) {
        std::vector<KeyNames> named;
        for (const KeyNames& one : all) {
            for (const QString& name : lock.knownNames) {
                named.push_back(one);
                named.back().name = name;
            }
        }
        all = std::move(named);
    }
    if (all.size() > maxIndexedNames)
        all.resize(maxIndexedNames);
    return all;
}

int RuleIndex::weightOf(const Framework& framework, const FrameworkLock& lock, const AdvisoryKeyRule& rule,
    quint64 number, bool hasPlaces) const
{
    if (lock.ofPlainNumber)
        return weight::exact;
    const auto isPlain = [](qint64 n) { return n >= -plainNumbers && n <= plainNumbers; };
    bool isCertain = false;
    if (rule.parts.size() == 2) {
        isCertain =
            !isPlain(static_cast<qint32>(number >> 32)) && !isPlain(static_cast<qint32>(number & 0xffffffff));
    } else {
        const auto key = static_cast<qint64>(number);
        const bool isOf32 =
            key >= std::numeric_limits<qint32>::min() && key <= qint64(std::numeric_limits<quint32>::max());
        isCertain = !isPlain(key) && (!isOf32 || !hasPlaces || hasTableOf(framework));
    }
    return weight::exact + (isCertain ? Candidate::certainly : 0);
}

void RuleIndex::addKey(const FrameworkPtr& framework, const FrameworkLock& lock, const AdvisoryKeyRule& rule)
{
    const bool isComputed = !rule.parts.empty()
        && std::ranges::none_of(rule.parts,
            [](const KeyFormula& part) { return part.hash == Hash::Any || part.hash == Hash::TableId; });
    if (!isComputed) {
        m_rules.push_back({framework, &lock, &rule});
        return;
    }
    QString texts;
    for (const KeyFormula& part : rule.parts)
        texts += part.text;
    const quint64 part = rule.parts.size();
    for (const KeyNames& names : namesFor(lock, texts)) {
        quint64 number = static_cast<quint64>(computeKey(rule.parts[0], names).value_or(0));
        if (part == 2)
            number = number << 32 | static_cast<quint32>(computeKey(rule.parts[1], names).value_or(0));
        const QString of = computedFor(texts, names);
        const QString evidence = shownKey(number, part)
            + (of.isEmpty() ? u" is %1"_s.arg(possessive(*framework))
                            : u" is what %1 computes for %2"_s.arg(framework->name, of));
        m_numbers[{part, number}].push_back({.framework = framework,
            .lock = &lock,
            .weight = weightOf(*framework, lock, rule, number, hasPlaces(texts)),
            .name = nameOf(lock, texts, names),
            .evidence = evidence});
    }
}

bool RuleIndex::matchParts(Candidate& found, const Rule& rule, quint64 number, quint64 part,
    const std::function<QString(quint32)>& tableName) const
{
    const QString key = shownKey(number, part);
    KeyNames names;
    names.database = m_facts.database;
    QString texts;
    QString table;
    bool isTelling = false;
    for (std::size_t i = 0; i < rule.rule->parts.size(); ++i) {
        const KeyFormula& formula = rule.rule->parts[i];
        if (part != rule.rule->parts.size())
            return false;
        const qint64 half = part == 1 ? static_cast<qint64>(number)
            : i == 0                  ? static_cast<qint32>(number >> 32)
                                      : static_cast<qint32>(number & 0xffffffff);
        if (formula.hash == Hash::Any)
            continue;
        if (const auto id = tableIdOf(formula, half)) {
            table = tableName(*id);
            if (table.isEmpty())
                return false;
            continue;
        }
        const auto all = namesFor(*rule.lock, formula.text);
        const auto fitting = std::ranges::find_if(all, [&](const KeyNames& one) {
            return static_cast<quint32>(computeKey(formula, one).value_or(0)) == static_cast<quint32>(half);
        });
        if (fitting == all.end())
            return false;
        names = *fitting;
        texts += formula.text;
        isTelling = half < -plainNumbers || half > plainNumbers;
    }
    found.weight = weight::half + (isTelling && !table.isEmpty() ? Candidate::certainly : 0);
    found.name = table.isEmpty() ? nameOf(*rule.lock, texts, names) : rule.lock->name + u" of "_s + table;
    found.evidence = table.isEmpty()
        ? u"%1 is like %2"_s.arg(key, possessive(*rule.framework))
        : u"%1 is what %2 computes for %3"_s.arg(key, rule.framework->name, table);
    return true;
}

std::optional<Candidate> RuleIndex::generic(
    const Rule& rule, quint64 number, quint64 part, const std::function<QString(quint32)>& tableName) const
{
    const Framework& framework = *rule.framework;
    const QString key = shownKey(number, part);
    Candidate found{.framework = rule.framework, .lock = rule.lock, .name = rule.lock->name};
    if (rule.rule->objsubid) {
        if (part != static_cast<quint64>(*rule.rule->objsubid))
            return std::nullopt;
        found.weight = Candidate::certainly + weight::exact;
        found.evidence = u"objsubid %1 is %2"_s.arg(part).arg(possessive(framework));
    } else if (rule.rule->range) {
        const auto [first, last] = *rule.rule->range;
        if (part != 1 || static_cast<qint64>(number) < first || static_cast<qint64>(number) > last)
            return std::nullopt;
        found.weight = weight::range;
        found.evidence = u"%1 is in the range of %2 keys"_s.arg(key, possessive(framework));
    } else if (rule.rule->anyNumber) {
        if (part != 1)
            return std::nullopt;
        found.weight = weight::any;
        found.evidence =
            u"the database has %1 tables, and its keys can be any number"_s.arg(possessive(framework));
    } else if (rule.rule->decode == AdvisoryKeyRule::Decode::Ascii7) {
        const auto name = part == 2 ? fromAscii7(number) : std::nullopt;
        if (!name)
            return std::nullopt;
        // In six characters 22 bits are always the same; in nine only one is.
        constexpr qsizetype tellingLength = 6;
        found.weight = weight::decoded + (name->size() <= tellingLength ? Candidate::certainly : 0);
        found.name = *name;
        found.evidence = u"%1 is '%2' as %3 writes names"_s.arg(key, *name, framework.name);
    } else if (!matchParts(found, rule, number, part, tableName))
        return std::nullopt;
    if (rule.lock->ofPlainNumber)
        found.weight %= Candidate::certainly;
    return found;
}

std::vector<Candidate> RuleIndex::key(
    quint64 number, quint64 part, const std::function<QString(quint32)>& tableName) const
{
    std::vector<Candidate> found = m_numbers.value({part, number});
    for (const Rule& rule : m_rules)
        if (auto candidate = generic(rule, number, part, tableName))
            found.push_back(std::move(*candidate));
    return found;
}

std::vector<Candidate> RuleIndex::applicationLock(const QString& name, bool isCut) const
{
    std::vector<Candidate> all;
    for (const Pattern& pattern : m_patterns) {
        Candidate found{.framework = pattern.framework, .lock = pattern.lock, .name = pattern.lock->name};
        const bool isTelling = plainBeginning(pattern.rule->pattern) >= minPlainCharacters;
        if (const auto match = matchWhole(pattern.whole, name)) {
            found.weight = weight::exact + Candidate::certainly;
            found.evidence = u"the name '%1' is %2"_s.arg(name, possessive(*pattern.framework));
            if (match->hasCaptured(u"name"_s)) {
                found.name = match->captured(u"name"_s);
                if (isCut && match->capturedEnd(u"name"_s) == name.size())
                    found.name += u'…';
            }
            if (pattern.rule->key) {
                const auto names = pattern.keys.constFind(match->captured(u"key"_s));
                if (names != pattern.keys.cend()) {
                    const QString& text = pattern.rule->key->text;
                    found.name = nameOf(*pattern.lock, text, *names);
                    found.evidence = u"the name '%1' is what %2 computes for %3"_s.arg(
                        name, pattern.framework->name, computedFor(text, *names));
                    if (!isTelling && !hasTableOf(*pattern.framework))
                        found.weight = weight::exact;
                } else if (isTelling) {
                    found.weight = weight::range;
                } else {
                    continue;
                }
            }
        } else if (isCut && isTelling
            && pattern.whole.match(name, 0, QRegularExpression::PartialPreferCompleteMatch)
                   .hasPartialMatch()) {
            found.weight = weight::half;
            found.evidence = u"the name begins like %1: '%2…'"_s.arg(possessive(*pattern.framework), name);
        } else {
            continue;
        }
        if (pattern.lock->ofPlainNumber)
            found.weight %= Candidate::certainly;
        all.push_back(std::move(found));
    }
    return all;
}

const std::vector<RuleIndex::OfTable>* RuleIndex::table(quint64 id) const
{
    const auto found = m_tables.constFind(id);
    return found == m_tables.cend() ? nullptr : &*found;
}

const std::vector<RuleIndex::OfTable>* RuleIndex::tablePart(quint64 id) const
{
    const auto found = m_parts.constFind(id);
    return found == m_parts.cend() ? nullptr : &*found;
}

} // namespace lockscope::frameworks
