// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/LockClass.h"

#include <QRegularExpression>

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

} // namespace lockscope::order
