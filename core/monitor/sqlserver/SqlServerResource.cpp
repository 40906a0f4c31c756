// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerResource.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype hashDigits = 8;

/// Digits only: no sign, no blank, and not more than fits.
std::optional<quint64> number(QStringView text)
{
    if (text.isEmpty() || text.size() > 20
        || !std::ranges::all_of(text, [](QChar c) { return c >= u'0' && c <= u'9'; }))
        return std::nullopt;
    bool fits = false;
    const quint64 value = text.toULongLong(&fits);
    return fits ? std::optional(value) : std::nullopt;
}

/// Temporary objects have negative ids.
qint64 signedNumber(QStringView text)
{
    const bool isNegative = text.startsWith(u'-');
    const auto value = number(isNegative ? text.mid(1) : text);
    if (!value || *value > static_cast<quint64>(std::numeric_limits<qint64>::max()))
        return 0;
    return isNegative ? -static_cast<qint64>(*value) : static_cast<qint64>(*value);
}

/// "1:109" or "1:109:0" as one number: file, page, slot. Nothing if it is anything else.
std::optional<quint64> place(QStringView text, int numbers)
{
    const auto parts = text.trimmed().split(u':');
    if (parts.size() != numbers)
        return std::nullopt;
    const auto file = number(parts[0]);
    const auto page = number(parts[1]);
    const auto slot = numbers == 3 ? number(parts[2]) : std::optional<quint64>(0);
    if (!file || !page || !slot || *file > 0x7fff || *page > 0xffffffff || *slot > 0xffff)
        return std::nullopt;
    return *file << 48 | *page << 16 | *slot;
}

/// "name=value" pairs, parted by blanks; words without "=" are left out. The first of a name counts: what an
/// XACT wait says of its underlying resource comes later.
QHash<QString, QString> pairsOf(QStringView text)
{
    QHash<QString, QString> pairs;
    for (const QStringView word : text.split(u' ', Qt::SkipEmptyParts)) {
        const qsizetype sign = word.indexOf(u'=');
        const QString name = word.left(sign).toString().toLower();
        if (sign > 0 && !pairs.contains(name))
            pairs.insert(name, word.mid(sign + 1).toString());
    }
    return pairs;
}

qint64 valueOf(const QHash<QString, QString>& pairs, const QString& name)
{
    return signedNumber(pairs.value(name));
}

WaitTarget unknownThing(QStringView text)
{
    WaitTarget thing;
    thing.key.kind = ResourceKind::Unknown;
    thing.key.text = text.toString();
    thing.exact = false;
    return thing;
}

/// "5:996:0" or "5:996:0 KEY: …": database, low and high half of the transaction's number.
bool setTransaction(ResourceKey& key, QStringView description)
{
    const qsizetype blank = description.indexOf(u' ');
    const auto parts = (blank < 0 ? description : description.left(blank)).split(u':');
    const auto database = number(parts.value(0));
    const auto low = number(parts.value(1));
    const auto high = number(parts.value(2));
    if (parts.size() != 3 || !database || !low || !high || *database > 0x7fff || *low > 0xffffffff
        || *high > 0xffffffff)
        return false;
    key.database = static_cast<quint32>(*database);
    key.entity = 0; // of a waiter it is the B-tree's, of the owner it is none
    key.part = *high << 32 | *low;
    return true;
}

/// The first word of a lock's description in sys.dm_os_waiting_tasks → the type in sys.dm_tran_locks.
QString typeOfWord(QStringView word)
{
    static const QHash<QString, QString> types{{u"databaselock"_s, u"DATABASE"_s}, {u"filelock"_s, u"FILE"_s},
        {u"objectlock"_s, u"OBJECT"_s}, {u"pagelock"_s, u"PAGE"_s}, {u"keylock"_s, u"KEY"_s},
        {u"extentlock"_s, u"EXTENT"_s}, {u"ridlock"_s, u"RID"_s}, {u"applicationlock"_s, u"APPLICATION"_s},
        {u"metadatalock"_s, u"METADATA"_s}, {u"hobtlock"_s, u"HOBT"_s},
        {u"allocunitlock"_s, u"ALLOCATION_UNIT"_s}, {u"xactlock"_s, u"XACT"_s}};
    return types.value(word.toString().toLower());
}

/// The hash of "hash=ea53e177 databasePrincipalId=0 …". Some versions write the name before it, blanks and
/// all.
QString hashIn(QStringView text)
{
    const qsizetype start = text.indexOf(u"hash=");
    if (start < 0)
        return {};
    const qsizetype end = text.lastIndexOf(u" databasePrincipalId=");
    QStringView value = end > start ? text.mid(start + 5, end - start - 5) : text.mid(start + 5);
    if (end < start && value.contains(u' '))
        value = value.left(value.indexOf(u' '));
    if (value.endsWith(u')'))
        value.chop(1);
    const QStringView digits = value.right(hashDigits);
    return digits.size() == hashDigits && db::isHex(digits) ? digits.toString().toLower() : QString();
}

/// The usual, unnamed part of an object is given as FULL or NORMAL or not at all.
QString subresource(const QHash<QString, QString>& pairs)
{
    const QString name = pairs.value(u"subresource"_s).toUpper();
    return name == u"FULL"_s || name == u"NORMAL"_s ? QString() : name;
}

/// Returns the text behind "classid=", blanks and all.
QString classIn(QStringView text)
{
    static constexpr QStringView name = u"classid=";
    const qsizetype start = text.indexOf(name);
    const qsizetype end = text.lastIndexOf(u" dbid=");
    return start < 0 || end < start ? QString() : text.mid(start, end - start).mid(name.size()).toString();
}

/// "database_id = 5 STATS(object_id = 19962, stats_id = 2), lockPartitionId = 0"
WaitTarget waitedMetadata(QStringView whole, QStringView text)
{
    static const QRegularExpression form(
        u"\\Adatabase_id = (\\d{1,5}) (\\w+)\\((.*)\\)(?:, lockPartitionId = (\\d{1,9}))?\\z"_s);
    const auto match = form.match(text.toString());
    if (!match.hasMatch())
        return unknownThing(whole);
    WaitTarget target;
    target.key = resourceKey({.type = u"METADATA"_s,
        .subtype = match.captured(2),
        .database = match.captured(1).toLongLong(),
        .description = match.captured(3),
        .partition = match.captured(4).toLongLong()});
    return target;
}

/// "19970:3 [COMPILE]", "72057594045792256", "0": number, partition and the part that is meant.
void setNumbers(ResourceColumns& thing, QStringView detail)
{
    const qsizetype bracket = detail.indexOf(u'[');
    const auto parts = (bracket < 0 ? detail : detail.left(bracket)).split(u':');
    thing.entity = signedNumber(parts.value(0).trimmed());
    thing.partition = signedNumber(parts.value(1).trimmed());
    if (bracket >= 0)
        thing.subtype = detail.mid(bracket + 1).chopped(detail.endsWith(u']') ? 1 : 0).toString();
}

} // namespace

ResourceKind sqlServerResourceKind(QStringView type)
{
    static const QHash<QString, ResourceKind> kinds{{u"DATABASE"_s, ResourceKind::Database},
        {u"FILE"_s, ResourceKind::File}, {u"OBJECT"_s, ResourceKind::Relation},
        {u"PAGE"_s, ResourceKind::Page}, {u"KEY"_s, ResourceKind::Row}, {u"RID"_s, ResourceKind::Row},
        {u"EXTENT"_s, ResourceKind::Extend}, {u"APPLICATION"_s, ResourceKind::ApplicationLock},
        {u"METADATA"_s, ResourceKind::Metadata}, {u"HOBT"_s, ResourceKind::Object},
        {u"ALLOCATION_UNIT"_s, ResourceKind::AllocationUnit}, {u"XACT"_s, ResourceKind::TransactionId}};
    return kinds.value(type.toString(), ResourceKind::Unknown);
}

ResourceKey resourceKey(const ResourceColumns& thing)
{
    ResourceKey key;
    key.kind = sqlServerResourceKind(thing.type);
    key.database = static_cast<quint32>(thing.database);
    key.entity = static_cast<quint64>(thing.entity);
    const QString description = thing.description.trimmed();
    QString text = thing.subtype;
    const auto add = [&text](const QString& more) {
        if (!more.isEmpty())
            text += text.isEmpty() ? more : u' ' + more;
    };
    switch (key.kind) {
    case ResourceKind::Relation:
        key.part = static_cast<quint64>(thing.partition);
        break;
    case ResourceKind::ApplicationLock:
        text = thing.description; // blanks at its ends belong to the name
        break;
    case ResourceKind::Page:
    case ResourceKind::Extend:
        if (const auto numbers = place(description, 2))
            key.part = *numbers;
        else
            add(description);
        break;
    case ResourceKind::Row: {
        const bool isHeap = thing.type == u"RID"_s; // told apart from keys of an index
        const auto numbers = isHeap ? place(description, 3) : std::nullopt;
        if (isHeap)
            add(u"RID"_s);
        if (numbers)
            key.part = *numbers;
        else
            add(description);
        break;
    }
    case ResourceKind::TransactionId:
        if (!setTransaction(key, description))
            add(description);
        break;
    case ResourceKind::Unknown:
        text = thing.type;
        add(thing.subtype);
        add(description);
        break;
    default:
        add(description);
    }
    if (key.kind != ResourceKind::Relation && thing.partition != 0)
        add(u"partition %1"_s.arg(thing.partition));
    key.text = text;
    return key;
}

std::optional<ResourceKey> underlyingKey(const ResourceColumns& thing)
{
    const qsizetype blank = thing.description.indexOf(u' ');
    const QStringView rest = QStringView(thing.description).mid(blank + 1).trimmed();
    if (sqlServerResourceKind(thing.type) != ResourceKind::TransactionId || blank < 0
        || rest.startsWith(u"XACT"))
        return std::nullopt;
    ResourceKey key = parseWaitResource(rest).key;
    if (key.entity == 0)
        key.entity = static_cast<quint64>(thing.entity);
    return key;
}

WaitTarget parseWaitingTask(QStringView description)
{
    QStringView trimmed = description.trimmed();
    const qsizetype blank = trimmed.indexOf(u' ');
    const QString type = typeOfWord(blank < 0 ? trimmed : trimmed.left(blank));
    if (type.isEmpty())
        return unknownThing(trimmed);
    WaitTarget target;
    static constexpr QStringView underlying = u" UnderlyingResource ";
    if (const qsizetype at = trimmed.indexOf(underlying); type == u"XACT"_s && at > 0) {
        if (const QStringView rest = trimmed.mid(at + underlying.size()); !rest.contains(underlying))
            target.underlying = parseWaitingTask(rest).key;
        trimmed = trimmed.left(at);
    }
    // An application lock's name comes first and may hold anything.
    const qsizetype afterName = type == u"APPLICATION"_s ? trimmed.lastIndexOf(u" databasePrincipalId=") : -1;
    const auto pairs = pairsOf(afterName < 0 ? trimmed : trimmed.mid(afterName));
    ResourceColumns thing;
    thing.type = type;
    thing.database = valueOf(pairs, u"dbid"_s);
    thing.subtype = subresource(pairs);
    target.mode = pairs.value(u"mode"_s);
    target.lockId = pairs.value(u"id"_s);
    if (type == u"OBJECT"_s) {
        thing.entity = valueOf(pairs, u"objid"_s);
        thing.partition = valueOf(pairs, u"lockpartition"_s);
    } else if (type == u"KEY"_s || type == u"HOBT"_s || type == u"ALLOCATION_UNIT"_s) {
        thing.entity = valueOf(pairs, u"hobtid"_s);
        target.exact = type != u"KEY"_s;
    } else if (type == u"PAGE"_s || type == u"RID"_s || type == u"EXTENT"_s) {
        thing.entity = valueOf(pairs, u"associatedobjectid"_s);
        thing.description = pairs.value(u"fileid"_s) + u':' + pairs.value(u"pageid"_s);
        if (type == u"RID"_s) {
            target.exact = false; // the slot is missing
            thing.description.prepend(u"page "_s);
        }
    } else if (type == u"APPLICATION"_s) {
        target.appLockHash = hashIn(trimmed);
        target.exact = !target.appLockHash.isEmpty();
        thing.description =
            pairs.value(u"databaseprincipalid"_s, u"0"_s) + u":[]:("_s + target.appLockHash + u')';
    } else if (type == u"XACT"_s) {
        thing.description = u"%1:%2:%3"_s.arg(
            pairs.value(u"dbid"_s), pairs.value(u"xdesidlow"_s), pairs.value(u"xdesidhigh"_s));
    } else if (type == u"METADATA"_s) {
        thing.description = classIn(trimmed);
    } else if (type == u"FILE"_s) {
        thing.description = pairs.value(u"fileid"_s);
    }
    target.key = resourceKey(thing);
    return target;
}

WaitTarget parseWaitResource(QStringView text)
{
    const QStringView trimmed = text.trimmed();
    const qsizetype colon = trimmed.indexOf(u": ");
    if (colon <= 0)
        return unknownThing(trimmed);
    ResourceColumns thing;
    thing.type = trimmed.left(colon).toString().toUpper();
    if (thing.type == u"TAB"_s)
        thing.type = u"OBJECT"_s;
    const QStringView rest = trimmed.mid(colon + 2).trimmed();
    if (thing.type == u"METADATA"_s)
        return waitedMetadata(trimmed, rest);
    const qsizetype afterDatabase = rest.indexOf(u':');
    const auto database = number(afterDatabase < 0 ? rest : rest.left(afterDatabase));
    if (sqlServerResourceKind(thing.type) == ResourceKind::Unknown || !database || *database > 0x7fff)
        return unknownThing(trimmed);
    thing.database = static_cast<qint64>(*database);
    const QStringView detail = afterDatabase < 0 ? QStringView() : rest.mid(afterDatabase + 1).trimmed();
    WaitTarget target;
    if (thing.type == u"APPLICATION"_s) {
        thing.description = rest.mid(afterDatabase + 1).toString();
        if (const auto lock = parseAppLockText(thing.description))
            target.appLockHash = lock->hash;
    } else if (thing.type == u"KEY"_s) {
        const qsizetype blank = detail.indexOf(u' ');
        thing.entity = signedNumber(blank < 0 ? detail : detail.left(blank));
        thing.description = blank < 0 ? QString() : detail.mid(blank + 1).trimmed().toString();
        target.exact = thing.description.startsWith(u'(');
    } else if (thing.type == u"XACT"_s) {
        thing.description = rest.toString();
        target.underlying = underlyingKey(thing);
    } else if (thing.type == u"PAGE"_s || thing.type == u"RID"_s || thing.type == u"EXTENT"_s
        || thing.type == u"FILE"_s) {
        thing.description = detail.toString();
    } else {
        setNumbers(thing, detail);
    }
    target.key = resourceKey(thing);
    return target;
}

QString modeOfWaitType(QStringView waitType)
{
    static constexpr QStringView prefix = u"LCK_M_";
    if (!waitType.startsWith(prefix, Qt::CaseInsensitive))
        return {};
    QString mode = waitType.mid(prefix.size()).toString();
    // The suffix is about the way of waiting, not about the lock.
    for (const QStringView suffix : {QStringView(u"_LOW_PRIORITY"), QStringView(u"_ABORT_BLOCKERS"),
             QStringView(u"_XACT_MODIFY"), QStringView(u"_XACT_READ"), QStringView(u"_XACT")}) {
        if (mode.endsWith(suffix, Qt::CaseInsensitive))
            mode.chop(suffix.size());
    }
    static const QHash<QString, QString> ranges{{u"RS_S"_s, u"RangeS-S"_s}, {u"RS_U"_s, u"RangeS-U"_s},
        {u"RIN_NL"_s, u"RangeI-N"_s}, {u"RIN_S"_s, u"RangeI-S"_s}, {u"RIN_U"_s, u"RangeI-U"_s},
        {u"RIN_X"_s, u"RangeI-X"_s}, {u"RX_S"_s, u"RangeX-S"_s}, {u"RX_U"_s, u"RangeX-U"_s},
        {u"RX_X"_s, u"RangeX-X"_s}, {u"SCH_S"_s, u"Sch-S"_s}, {u"SCH_M"_s, u"Sch-M"_s}};
    return ranges.value(mode.toUpper(), mode);
}

QString partText(const ResourceKey& key)
{
    const auto file = key.part >> 48;
    const auto page = key.part >> 16 & 0xffffffff;
    switch (key.kind) {
    case ResourceKind::Page:
        return key.part == 0 ? u"pages"_s : u"page %1:%2"_s.arg(file).arg(page);
    case ResourceKind::Extend:
        return key.part == 0 ? u"extents"_s : u"extent %1:%2"_s.arg(file).arg(page);
    case ResourceKind::Row:
        if (key.part != 0)
            return u"row %1:%2:%3"_s.arg(file).arg(page).arg(key.part & 0xffff);
        if (key.text == u"RID"_s)
            return u"rows"_s;
        return key.text.isEmpty() ? u"keys"_s
            : key.text.startsWith(u'(') || key.text.startsWith(u"lock")
            ? u"key "_s + key.text
            : QString(key.text).replace(u"RID "_s, u"row on "_s);
    default:
        return {};
    }
}

} // namespace lockscope::monitor
