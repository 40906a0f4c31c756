// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SqlServerReport.h"

#include <algorithm>
#include <iterator>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

struct KnownElement {
    QStringView name;
    ResourceKind kind;
    QStringView word; ///< for people
    bool isLock = true;
};

constexpr KnownElement knownElements[] = {
    {u"keylock", ResourceKind::Row, u"key"},
    {u"ridlock", ResourceKind::Row, u"row"},
    {u"pagelock", ResourceKind::Page, u"page"},
    {u"objectlock", ResourceKind::Relation, u"object"},
    {u"hobtlock", ResourceKind::Relation, u"heap or index"},
    {u"rowgrouplock", ResourceKind::Relation, u"row group"},
    {u"oiblock", ResourceKind::Relation, u"online index build"},
    {u"applicationlock", ResourceKind::ApplicationLock, u"application lock"},
    {u"databaselock", ResourceKind::Database, u"database"},
    {u"filelock", ResourceKind::File, u"file"},
    {u"extentlock", ResourceKind::Extend, u"extent"},
    {u"metadatalock", ResourceKind::Metadata, u"metadata"},
    {u"allocunitlock", ResourceKind::AllocationUnit, u"allocation unit"},
    {u"xactlock", ResourceKind::TransactionId, u"transaction"},
    {u"exchangeevent", ResourceKind::Unknown, u"exchange between parallel threads", false},
    {u"syncpoint", ResourceKind::Unknown, u"meeting point of parallel threads", false},
    {u"threadpool", ResourceKind::Unknown, u"worker thread", false},
    {u"resourcewait", ResourceKind::Unknown, u"memory or another resource", false},
};

const KnownElement* find(const QString& name)
{
    const auto known = std::find_if(std::begin(knownElements), std::end(knownElements),
        [&name](const KnownElement& each) { return each.name == name; });
    return known == std::end(knownElements) ? nullptr : known;
}

/// "Shop.dbo.orders": database, then the table with its schema. Names themselves may hold points.
void splitName(const QString& full, LockedThing& thing)
{
    if (full.count(u'.') < 2) {
        thing.table = full;
        return;
    }
    thing.database = full.section(u'.', 0, 0);
    thing.table = full.section(u'.', 1);
}

QString joined(const XmlElement& element, std::initializer_list<QStringView> names)
{
    QStringList parts;
    for (const QStringView name : names)
        if (const QString value = element.attribute(name); !value.isEmpty())
            parts << value;
    return parts.join(u':');
}

QString partOf(const XmlElement& element, const KnownElement& known)
{
    if (element.is(u"pagelock"))
        return u"page "_s + joined(element, {u"fileid", u"pageid"});
    if (element.is(u"ridlock"))
        return u"row "_s + joined(element, {u"fileid", u"pageid", u"slot"});
    if (element.is(u"extentlock"))
        return u"extent "_s + joined(element, {u"fileid", u"pageid"});
    return known.kind == ResourceKind::Row ? known.word.toString() : QString();
}

/// Returns the numbers alone, where there is no name.
QString numbersOf(const LockedThing& thing, const QString& word)
{
    if (thing.element == u"applicationlock"_s) {
        const QString hash = thing.attribute(u"hash");
        return hash.isEmpty() ? word : u"%1 %2"_s.arg(word, hash);
    }
    const QString database =
        thing.attribute(u"dbname").isEmpty() ? thing.attribute(u"dbid") : thing.attribute(u"dbname");
    if (thing.element == u"databaselock"_s)
        return u"%1 %2"_s.arg(word, database);
    for (const QStringView name : {u"objid", u"hobtid", u"associatedObjectId", u"xdesIdLow", u"id"})
        if (const QString value = thing.attribute(name); !value.isEmpty() && value != u"0"_s)
            return u"%1 %2"_s.arg(word, value);
    return word;
}

QString keyOf(const XmlElement& element)
{
    const QString id = element.attribute(u"id");
    if (!id.isEmpty())
        return element.name.toLower() + u':' + id;
    QString key = element.name.toLower();
    for (const auto& [name, value] : element.attributes)
        if (name.compare(u"mode"_s, Qt::CaseInsensitive) != 0)
            key += u';' + name + u'=' + value;
    return key;
}

} // namespace

ResourceKind kindOfWaitResource(const QString& type)
{
    return type == u"key"_s || type == u"rid"_s                              ? ResourceKind::Row
        : type.startsWith(u"pag"_s)                                          ? ResourceKind::Page
        : type == u"tab"_s || type == u"hobt"_s || type.startsWith(u"obj"_s) ? ResourceKind::Relation
        : type.startsWith(u"app"_s)                                          ? ResourceKind::ApplicationLock
                                                                             : ResourceKind::Unknown;
}

void giveName(LockedThing& thing)
{
    const KnownElement* known = find(thing.element);
    const QString word = known ? known->word.toString() : thing.element;
    const QString whole = thing.index.isEmpty() ? thing.table : thing.table + u'.' + thing.index;
    thing.named = !thing.table.isEmpty() || thing.kind == ResourceKind::Database;
    if (thing.table.isEmpty())
        thing.name = numbersOf(thing, word);
    else
        thing.name = TablePart{whole, thing.part}.name();
    if (!thing.isLock)
        thing.name = word;
}

LockedThing readLockedThing(const XmlElement& element)
{
    LockedThing thing;
    thing.element = element.name.toLower();
    thing.key = keyOf(element);
    thing.attributes = element.attributes;
    thing.mode = element.attribute(u"mode");
    const KnownElement* known = find(thing.element);
    const KnownElement unknown{thing.element, ResourceKind::Unknown, thing.element};
    const KnownElement& meaning = known ? *known : unknown;
    thing.kind = meaning.kind;
    thing.isLock = meaning.isLock;
    if (thing.element == u"xactlock"_s) {
        thing.isTransaction = true;
        const XmlElement* under = element.child(u"UnderlyingResource");
        if (under && !under->children.empty()) {
            const LockedThing really = readLockedThing(under->children.front());
            thing.kind = really.kind;
            thing.database = really.database;
            thing.table = really.table;
            thing.index = really.index;
            thing.part = really.part;
            thing.named = really.named;
            thing.name = u"transaction that changed "_s + really.name;
            for (const auto& [name, value] : really.attributes)
                thing.attributes.append({u"UnderlyingResource."_s + name, value});
            return thing;
        }
    }
    splitName(element.attribute(u"objectname"), thing);
    thing.index = element.attribute(u"indexname");
    if (thing.database.isEmpty())
        thing.database = element.attribute(u"dbname");
    thing.part = partOf(element, meaning);
    giveName(thing);
    return thing;
}

} // namespace lockscope::deadlock
