// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

bool isNumeral(QChar c)
{
    return c >= u'0' && c <= u'9';
}

bool hasOne(const QString& words, std::initializer_list<QStringView> any)
{
    return std::ranges::any_of(
        any, [&words](QStringView each) { return words.contains(each, Qt::CaseInsensitive); });
}

// The words of PostgreSQL's own translations (its .po files): Chinese, Czech, English, French, Georgian,
// German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Swedish, Turkish, Ukrainian.
bool isPage(const QString& words)
{
    return hasOne(words,
        {u"page", u"Seite", u"página", u"pagina", u"страница", u"сторінк", u"ページ", u"페이지", u"页", u"頁",
            u"sida", u"გვერდი", u"stránk", u"stron", u"sayfa"});
}
bool isExtension(const QString& words)
{
    return hasOne(words,
        {u"extension", u"Erweiterung", u"extensión", u"estensione", u"расширение", u"розширення", u"拡張",
            u"확장", u"扩展", u"擴充", u"utökning", u"გაფართოება", u"rozšíření", u"rozszerzenie", u"extensão",
            u"genişle"});
}
bool isSpeculative(const QString& words)
{
    return hasOne(words,
        {u"speculative", u"spekulativ", u"spéculatif", u"especulativ", u"speculativo", u"спекулятивн",
            u"орієнтовн", u"投機", u"위험한 토큰", u"推测", u"推測", u"spekulatyw"});
}
bool isUserLock(const QString& words)
{
    return hasOne(words, {u"user lock"});
}
bool isObject(const QString& words)
{
    return hasOne(words,
        {u"object", u"Objekt", u"objet", u"objeto", u"oggetto", u"объект", u"об’єкт", u"オブジェクト",
            u"개체", u"对象", u"物件", u"objekt", u"obiekt", u"nesne"});
}
/// True where the greater thing is named first: the database, or of a speculative token the transaction.
bool isReversed(const QString& words)
{
    const qsizetype first = std::ranges::find_if(words, isNumeral) - words.begin();
    const auto isBefore = [&words, first](QStringView word) {
        const qsizetype at = words.indexOf(word);
        return at >= 0 && at < first && first < words.size();
    };
    return isBefore(u"データベース") || isBefore(u"数据库") || isBefore(u"資料庫")
        || ((isBefore(u"トランザクション") || isBefore(u"事务") || isBefore(u"交易"))
            && isSpeculative(words));
}

QStringList numbersOf(const QString& text, bool isReversed)
{
    QStringList numbers;
    for (auto at = std::ranges::find_if(text, isNumeral); at != text.end();) {
        const auto end = std::find_if_not(at, text.end(), isNumeral);
        numbers << text.mid(at - text.begin(), end - at);
        at = std::find_if(end, text.end(), isNumeral);
    }
    if (isReversed)
        std::ranges::reverse(numbers);
    return numbers;
}

void setTable(LockedThing& thing, const QString& relation, const QString& database)
{
    thing.attributes = {{u"relation"_s, relation}, {u"database"_s, database}};
    thing.database = u"database "_s + database;
}

void setKind(LockedThing& thing, ResourceKind kind, const QString& element, const QString& name)
{
    thing.kind = kind;
    thing.element = element;
    thing.name = name;
}

/// Sets the kind, by the words and the count of the numbers.
void markByNumbers(LockedThing& thing, const QString& words, const QStringList& numbers)
{
    if (words.contains(u"datfrozenxid"_s)) {
        setKind(thing, ResourceKind::Database, u"frozenid"_s,
            u"pg_database.datfrozenxid of database "_s + numbers.value(0));
    } else if (numbers.size() == 1) {
        setKind(thing, ResourceKind::TransactionId, u"transactionid"_s, u"transaction "_s + numbers[0]);
        thing.isTransaction = true;
    } else if (numbers.size() == 2 && isSpeculative(words)) {
        setKind(thing, ResourceKind::SpeculativeToken, u"spectoken"_s,
            u"speculative token %1 of transaction %2"_s.arg(numbers[0], numbers[1]));
    } else if (numbers.size() == 2) {
        setTable(thing, numbers[0], numbers[1]);
        if (isExtension(words))
            setKind(thing, ResourceKind::Extend, u"extend"_s,
                TablePart{u"table "_s + numbers[0], u"extension"_s}.name());
        else
            setKind(thing, ResourceKind::Relation, u"relation"_s, u"table "_s + numbers[0]);
    } else if (numbers.size() == 3 && isPage(words)) {
        setTable(thing, numbers[1], numbers[2]);
        thing.part = u"page "_s + numbers[0];
        setKind(thing, ResourceKind::Page, u"page"_s, TablePart{u"table "_s + numbers[1], thing.part}.name());
    } else if (numbers.size() == 3 && isObject(words)) {
        thing.attributes = {{u"object"_s, numbers[0]}, {u"class"_s, numbers[1]}, {u"database"_s, numbers[2]}};
        setKind(
            thing, ResourceKind::Object, u"object"_s, u"object %1 of class %2"_s.arg(numbers[0], numbers[1]));
    } else {
        setKind(thing, ResourceKind::Unknown, u"unknown"_s, words.simplified());
    }
}

} // namespace

LockedThing postgresThing(const QString& words)
{
    static const QRegularExpression advisory(u"\\[(\\d+),(\\d+),(\\d+)(?:,(\\d+))?\\]"_s);
    static const QRegularExpression tuple(u"\\((\\d+), ?(\\d+)\\)"_s);
    static const QRegularExpression virtualId(u"(\\d+)/(\\d+)"_s);
    LockedThing thing;
    const bool reversed = isReversed(words);
    const QStringList numbers = numbersOf(words, reversed);
    const auto matchOf = [&words](const QRegularExpression& form, QChar sign) {
        return words.contains(sign) ? form.match(words) : QRegularExpressionMatch();
    };
    if (const auto lock = matchOf(advisory, u'['); lock.hasMatch()) {
        const QString key = lock.captured(0);
        if (lock.captured(4).isEmpty() || isUserLock(words))
            setKind(thing, ResourceKind::UserLock, u"userlock"_s, u"user lock "_s + key);
        else
            setKind(thing, ResourceKind::ApplicationLock, u"advisory"_s, u"advisory lock "_s + key);
        thing.attributes = {{u"key"_s, key}};
        thing.database = u"database "_s + lock.captured(1);
    } else if (const auto row = matchOf(tuple, u'('); row.hasMatch() && numbers.size() == 4) {
        // Japanese names block and line in the other order.
        const bool swapped = words.contains(u"タプル"_s);
        const QString place = u"(%1,%2)"_s.arg(row.captured(swapped ? 2 : 1), row.captured(swapped ? 1 : 2));
        const QString rest = QString(words).remove(row.capturedStart(), row.capturedLength());
        const QStringList others = numbersOf(rest, reversed);
        setTable(thing, others.value(0), others.value(1));
        thing.part = u"row "_s + place;
        setKind(thing, ResourceKind::Row, u"tuple"_s,
            TablePart{u"table "_s + others.value(0), thing.part}.name());
    } else if (const auto id = matchOf(virtualId, u'/'); id.hasMatch()) {
        setKind(thing, ResourceKind::VirtualTransaction, u"virtualxid"_s,
            u"virtual transaction "_s + id.captured(0));
    } else {
        markByNumbers(thing, words, numbers);
    }
    if (thing.name.isEmpty())
        thing.name = u"something unknown"_s;
    thing.key =
        thing.element + u':' + (thing.kind == ResourceKind::Unknown ? thing.name : numbers.join(u','));
    return thing;
}

} // namespace lockscope::deadlock
