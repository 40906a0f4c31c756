// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/LockOrder.h"

#include "core/base/EnumTable.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

/// FNV-1a with a good end: the same in each run, so that what is muted stays so.
quint64 hashOf(const QString& text)
{
    quint64 hash = 0xcbf29ce484222325;
    for (const QChar c : text) {
        hash ^= c.unicode();
        hash *= 0x100000001b3;
    }
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    return hash ^ (hash >> 32);
}

constexpr QChar separator(0x1f);

quint64 identityOf(const Resource& resource)
{
    const ResourceKey& key = resource.key;
    return hashOf(u"lock"_s + separator + QString::number(int(key.kind)) + separator
        + QString::number(key.database) + separator + QString::number(key.entity) + separator
        + QString::number(key.part) + separator + key.text);
}

/// "app lock 'order:4711' of public" → its pattern between the quotes; nothing: it is no name.
std::optional<QString> appLockPattern(const QString& name)
{
    const qsizetype from = name.indexOf(u'\'');
    const qsizetype to = name.lastIndexOf(u'\'');
    if (from < 0 || to <= from)
        return std::nullopt;
    return name.left(from + 1) + namePattern(name.mid(from + 1, to - from - 1)) + name.mid(to);
}

LockNamePtr named(const Resource& resource)
{
    LockName name;
    switch (resource.key.kind) {
    case ResourceKind::Relation:
    case ResourceKind::Row:
    case ResourceKind::Page: {
        const QString table = resource.tablePart().table;
        if (table.isEmpty())
            return nullptr;
        name = lockName(u"table"_s, resource.database, resource.name, table,
            resource.key.kind == ResourceKind::Relation ? Grain::Whole : Grain::Row);
        break;
    }
    case ResourceKind::Object:
        name = lockName(u"object"_s, resource.database, resource.name, resource.name);
        break;
    case ResourceKind::ApplicationLock:
    case ResourceKind::UserLock: {
        const auto pattern = resource.named ? appLockPattern(resource.name) : std::nullopt;
        name = lockName(u"app"_s, resource.database, resource.name, pattern.value_or(resource.name));
        name.isClassAlone = !pattern || *pattern == resource.name;
        break;
    }
    default:
        return nullptr;
    }
    name.lock = identityOf(resource);
    return std::make_shared<const LockName>(std::move(name));
}

constexpr qsizetype maxStatementLength = 2'000;

bool isOneWay(const Witness& a, const Witness& b)
{
    return a.first.mode == b.first.mode && a.second.mode == b.second.mode
        && a.first.standsForRows == b.first.standsForRows && a.second.standsForRows == b.second.standsForRows
        && a.first.name->grain == b.first.name->grain && a.second.name->grain == b.second.name->grain;
}

/// Returns the locks worth keeping as gates: those that keep others out at all. Of many those whose numbers
/// come first.
std::vector<Gate> gatesBeside(const LockOrder::Step& step, quint64 first, quint64 second)
{
    // Asked for each pair: nothing is copied before it is known to stay.
    std::vector<const Taken*> kept;
    for (const Taken& each : step.held) {
        const quint64 lock = each.name->lock;
        const bool isFull = kept.size() == LockOrder::maxGates;
        // What it already has of one of the two in another mode keeps others out, too: of a class of many
        // locks this would be another gate each time.
        if (((lock == first || lock == second) && !each.name->isClassAlone) || each.standsForRows
            || (isFull && lock > kept.back()->name->lock) || isWeak(each.mode))
            continue;
        const auto place =
            std::ranges::find_if(kept, [lock](const Taken* other) { return other->name->lock >= lock; });
        if (place != kept.end() && (*place)->name->lock == lock) {
            // Of two modes on one lock the weaker: that may raise a false alarm, and hides nothing.
            if (each.mode.strength() < (*place)->mode.strength())
                *place = &each;
            continue;
        }
        kept.insert(place, &each);
        if (kept.size() > LockOrder::maxGates)
            kept.pop_back();
    }
    std::vector<Gate> gates;
    for (const Taken* each : kept)
        gates.push_back({.lock = each->name->lock,
            .mode = each->mode,
            .name = each->name->name,
            .grain = each->name->grain});
    return gates;
}

bool areEqual(const std::vector<Gate>& a, const std::vector<Gate>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](const Gate& one, const Gate& other) { return one.lock == other.lock && one.mode == other.mode; });
}

std::vector<Gate> common(const std::vector<Gate>& a, const std::vector<Gate>& b)
{
    std::vector<Gate> both;
    for (const Gate& gate : a)
        for (const Gate& other : b)
            if (gate.lock == other.lock && gate.mode == other.mode)
                both.push_back(gate);
    return both;
}

/// True if it has the lock in this mode already: then it is no new lock.
bool holdsAlready(const LockOrder::Step& step)
{
    return std::ranges::any_of(step.held, [&step](const Taken& held) {
        return held.name->lock == step.second.name->lock && held.mode == step.second.mode
            && held.standsForRows == step.second.standsForRows;
    });
}

} // namespace

LockName lockName(
    const QString& kind, const QString& database, const QString& name, const QString& className, Grain grain)
{
    const QString prefix = kind + separator + database + separator;
    return {.lock = hashOf(u"lock"_s + separator + prefix + name),
        .lockClass = hashOf(u"class"_s + separator + prefix + className),
        .name = name,
        .className = className,
        .database = database,
        .grain = grain,
        .isClassAlone = name == className};
}

QString namePattern(const QString& name)
{
    static const QRegularExpression number(
        u"(?<![A-Za-z0-9])(?:[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}" // a GUID
        u"|[0-9A-Fa-f]{32,}|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8,}" // hexadecimal
        u"|[0-9]+)(?![A-Za-z0-9])|[0-9]+(?![A-Za-z0-9])"_s);
    QString pattern = name;
    return pattern.replace(number, u"*"_s);
}

LockNamePtr LockNames::of(const Resource& resource)
{
    if (resource.internal)
        return nullptr;
    const auto known = m_ofResources.constFind(resource.key);
    // A name may be read later than its key.
    if (known != m_ofResources.constEnd() && (!*known || (*known)->name == resource.name))
        return *known;
    if (m_ofResources.size() >= maxKept)
        m_ofResources.clear();
    const LockNamePtr made = named(resource);
    m_ofResources.insert(resource.key, made);
    return made;
}

LockNamePtr LockNames::of(const LockTableKey& key)
{
    const auto known = m_ofEntries.constFind(key);
    if (known != m_ofEntries.constEnd())
        return *known;
    if (m_ofEntries.size() >= maxKept)
        m_ofEntries.clear();
    const auto made = std::make_shared<const LockName>(lockName(u"entry"_s, {},
        u"'%1' in %2"_s.arg(key.name, key.table), u"'%1' in %2"_s.arg(namePattern(key.name), key.table)));
    m_ofEntries.insert(key, made);
    return made;
}

LockMode intentOf(const LockMode& rowMode)
{
    const QString name = rowMode.name();
    QStringView intent;
    if (rowMode.engine() == Engine::Postgres)
        intent = name == u"AccessShareLock" || name == u"RowShareLock" || name == u"ShareLock"
            ? u"RowShareLock"
            : u"RowExclusiveLock";
    else if (name.endsWith(u'X') || name == u"RangeI-N")
        intent = u"IX";
    else if (name.endsWith(u'U'))
        intent = u"IU";
    else
        intent = u"IS";
    return LockMode::fromText(rowMode.engine(), intent);
}

bool conflicts(const LockMode& a, Grain ofA, const LockMode& b, Grain ofB)
{
    if (ofA == ofB)
        return !a.compatibleWith(b);
    return ofA == Grain::Row ? !intentOf(a).compatibleWith(b) : !a.compatibleWith(intentOf(b));
}

bool isWeak(const LockMode& mode)
{
    static const PerEngine<QStringList> weak{
        .postgres = {u"AccessShareLock"_s, u"RowShareLock"_s, u"RowExclusiveLock"_s},
        .sqlServer = {u"NL"_s, u"Sch-S"_s, u"IS"_s, u"IU"_s, u"IX"_s},
        .sqlite = {}};
    return !mode.isKnown() || weak[mode.engine()].contains(mode.name());
}

QString evidenceName(Evidence evidence)
{
    static constexpr EnumTable<Evidence> names(
        {u"held at both polls", u"in one transaction", u"exact times", u"seen waiting"});
    return names[evidence].toString();
}

QString Witness::who() const
{
    if (!step.isEmpty())
        return step;
    if (!thread.isEmpty())
        return thread;
    const QString& name = program.isEmpty() ? user : program;
    return name.isEmpty() ? QString::number(session.id.value) : u"%1 %2"_s.arg(session.id.value).arg(name);
}

qint64 OrderEdge::count() const
{
    qint64 sum = 0;
    for (const Way& way : ways)
        sum += way.count;
    return sum;
}

qint64 OrderEdge::waited() const
{
    qint64 sum = 0;
    for (const Way& way : ways)
        sum += way.waited;
    return sum;
}

ServerTime OrderEdge::last() const
{
    ServerTime last;
    for (const Way& way : ways)
        last = std::max(last, way.last);
    return last;
}

void LockOrder::note(const Step& step)
{
    if (holdsAlready(step))
        return;
    const qint64 before = m_seen;
    std::size_t paired = 0;
    for (const Taken& first : step.firsts) {
        if (paired++ == maxHeld)
            break;
        notePair(first, step);
    }
    if (m_seen != before && m_edges.size() > maxEdges)
        forgetOldest();
}

void LockOrder::noteRowWait(quint64 lockClass)
{
    if (m_rowWaits.contains(lockClass))
        return;
    if (m_rowWaits.size() >= maxEdges)
        m_rowWaits.clear();
    m_rowWaits.insert(lockClass);
    ++m_revision;
}

void LockOrder::notePair(const Taken& first, const Step& step)
{
    const Taken& second = step.second;
    const bool isOneClass = first.name->lockClass == second.name->lockClass;
    // A lock of the same table, or the same lock in another mode: no order of two.
    if (first.name->lock == second.name->lock
        || (isOneClass
            && (first.name->grain != second.name->grain || first.standsForRows || second.standsForRows)))
        return;
    const bool isWaiting = step.witness.evidence == Evidence::Waiting;
    const auto hardlyBlocks = [](const Taken& taken) {
        return taken.name->grain == Grain::Whole && !taken.standsForRows && isWeak(taken.mode);
    };
    if (hardlyBlocks(first) && hardlyBlocks(second) && !isWaiting)
        return;
    // Rows that nobody shows are only worth a line where rows are waited for.
    if (second.standsForRows && !(hasRowWaits(second.name->lockClass) && hasRowWaits(first.name->lockClass)))
        return;
    if (first.standsForRows && !isWaiting && !hasRowWaits(first.name->lockClass))
        return;
    ++m_seen;
    const Key key = isOneClass ? Key{first.name->lock, second.name->lock}
                               : Key{first.name->lockClass, second.name->lockClass};
    OrderEdge& edge = m_edges[key];
    Witness witness = step.witness;
    witness.first = first;
    witness.second = second;
    witness.statement.truncate(maxStatementLength);
    const std::vector<Gate> gates = gatesBeside(step, first.name->lock, second.name->lock);
    auto way = std::ranges::find_if(edge.ways, [&](const OrderEdge::Way& each) {
        return isOneWay(each.witness, witness) && areEqual(each.gates, gates);
    });
    if (way == edge.ways.end() && edge.ways.size() >= maxWays) {
        // Merged with one of the same modes; else it takes the place of the one not seen for longest.
        way = std::ranges::find_if(
            edge.ways, [&](const OrderEdge::Way& each) { return isOneWay(each.witness, witness); });
        if (way == edge.ways.end()) {
            way = std::ranges::min_element(
                edge.ways, [](const OrderEdge::Way& a, const OrderEdge::Way& b) { return a.last < b.last; });
            *way = {};
            way->gates = gates;
        } else {
            way->gates = common(way->gates, gates);
        }
        ++m_revision;
    } else if (way == edge.ways.end()) {
        way = edge.ways.insert(edge.ways.end(), OrderEdge::Way());
        way->gates = gates;
        ++m_revision;
    }
    if (way->count++ == 0)
        way->first = witness.at;
    way->waited += isWaiting ? 1 : 0;
    way->last = witness.at;
    if (way->count == 1 || witness.evidence >= way->witness.evidence)
        way->witness = std::move(witness);
}

void LockOrder::forgetOldest()
{
    std::vector<qint64> times;
    for (const OrderEdge& edge : std::as_const(m_edges))
        times.push_back(edge.last().us);
    const auto middle = times.begin() + std::ptrdiff_t(times.size() / 4);
    std::nth_element(times.begin(), middle, times.end());
    const qint64 limit = *middle;
    qsizetype surplus = m_edges.size() - maxEdges * 3 / 4;
    m_edges.removeIf([&](const auto& each) {
        const bool goes = surplus > 0 && each.value().last().us <= limit;
        surplus -= goes ? 1 : 0;
        m_forgotten += goes ? 1 : 0;
        return goes;
    });
    ++m_revision;
}

} // namespace lockscope::order
