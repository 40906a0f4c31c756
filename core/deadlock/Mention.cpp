// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Mention.h"

#include "core/deadlock/Carrier.h"
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresLabels.h"
#include "core/deadlock/PostgresReport.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

enum class Product { Postgres, SqlServer, MySql, Oracle };

struct Marker {
    QStringView text;
    Product product;
};

/// Each has "deadlock" in it, in some case: one search finds all.
constexpr auto withWord = std::to_array<Marker>({{u"ora-00060", Product::Oracle},
    {u"deadlock detected", Product::Postgres}, {u"deadlockdetected", Product::Postgres},
    {u"activerecord::deadlocked", Product::Postgres}, {u"(deadlock) entdeckt", Product::Postgres},
    {u"detectado un deadlock", Product::Postgres}, {u"(deadlock) détecté", Product::Postgres},
    {u"rilevato deadlock", Product::Postgres}, {u"deadlock rilevato", Product::Postgres},
    {u"deadlock 발생", Product::Postgres}, {u"deadlock upptäckt", Product::Postgres},
    {u"deadlock victim", Product::SqlServer}, {u"was deadlocked on", Product::SqlServer},
    {u"xml_deadlock_report", Product::SqlServer}, {u"deadlockopfer", Product::SqlServer},
    {u"vittima del deadlock", Product::SqlServer}, {u"vítima do deadlock", Product::SqlServer},
    {u"deadlock found", Product::MySql}, {u"latest detected deadlock", Product::MySql}});
/// The others, as servers write them.
constexpr auto others =
    std::to_array<Marker>({{u"40P01", Product::Postgres}, {u"デッドロックを検出", Product::Postgres},
        {u"检测到死锁", Product::Postgres}, {u"發現死結", Product::Postgres},
        {u"偵測到死鎖", Product::Postgres}, {u"взаимоблокировка", Product::Postgres},
        {u"взаємне блокування", Product::Postgres}, {u"ურთიერთბლოკირება", Product::Postgres},
        {u"wykryto zakleszczenie", Product::Postgres}, {u"impasse detectado", Product::Postgres},
        {u"bloquage mortel", Product::Postgres}, {u"死锁牺牲品", Product::SqlServer},
        {u"死結的犧牲者", Product::SqlServer}, {u"デッドロックの対象", Product::SqlServer},
        {u"교착 상태", Product::SqlServer}, {u"жертвой взаимоблокировки", Product::SqlServer},
        {u"été choisie comme victime", Product::SqlServer}, {u"interbloqueo", Product::SqlServer}});

/// "Msg 1205, Level 13", "Error: 1205, Severity: 13", "Number:1205,State:51,Class:13", in any language. Of
/// MySQL 1205 is another error, which has no such level.
bool isVictimsNumber(QStringView line)
{
    static const QRegularExpression number(u"\\b1205, ?(?:\\w+ ?[:=]? ?\\d{1,3}, ?)?\\w+ ?[:=]? ?13\\b"_s,
        QRegularExpression::UseUnicodePropertiesOption);
    return number.match(line.toString()).hasMatch();
}

/// The next place in a text at which a marker may stand; -1 if there is none. One pass for all of them: whole
/// logs are searched.
qsizetype nextMarker(QStringView text, qsizetype from)
{
    constexpr QStringView word = u"eadlock";
    constexpr qsizetype maxNumber = 60;
    for (qsizetype at = from; at < text.size(); ++at) {
        const char16_t c = text[at].unicode();
        const auto isAt = [&](const Marker& each) {
            return each.text[0] == c && text.mid(at).startsWith(each.text);
        };
        const bool isIt = c == u'e' || c == u'E' ? at + 1 < text.size() && text[at + 1].toLower() == u'a'
                && text.mid(at, word.size()).compare(word, Qt::CaseInsensitive) == 0
            : c == u'1' ? text.mid(at).startsWith(u"1205") && isVictimsNumber(text.mid(at, maxNumber))
                        : (c > 0x7f || c == u'4' || c == u'w' || c == u'i' || c == u'b')
                && std::ranges::any_of(others, isAt);
        if (isIt)
            return at;
    }
    return -1;
}

/// Returns the product whose message stands in the line.
std::optional<Product> productOf(QStringView line)
{
    if (nextMarker(line, 0) < 0)
        return std::nullopt;
    for (const Marker& each : withWord)
        if (line.contains(each.text, Qt::CaseInsensitive))
            return each.product;
    for (const Marker& each : others)
        if (line.contains(each.text))
            return each.product;
    return isVictimsNumber(line) ? std::optional(Product::SqlServer) : std::nullopt;
}

/// The session number of "Transaction (Process ID 52) was deadlocked on …", in any language.
QString sessionOf(const QString& line)
{
    static const QRegularExpression session(u"\\((?:[^()\\d]{1,40} )(\\d{1,6})\\)"_s);
    return session.match(line).captured(1);
}

/// The line at `begin` and the ones below it.
QStringList nearOf(const QString& text, qsizetype begin)
{
    constexpr qsizetype maxNear = 2'000;
    return text.mid(begin, maxNear).split(u'\n').mid(0, 6);
}

Mention postgresMention(const QStringList& near)
{
    const bool saysPart = std::ranges::any_of(near, [](const QString& line) {
        return waitLineOf(QStringView(line).mid(line.indexOf(u": "_s) + 1)).has_value();
    });
    const bool isRedacted =
        std::ranges::any_of(near, [](const QString& line) { return line.contains(u"redacted"_s); });
    Mention mention;
    mention.where =
        u"The whole report is in the server's log: `lockctl deadlocks --server URL` reads it there. It needs log_error_verbosity default or verbose."_s;
    if (saysPart)
        mention.why = u"Only a part of the waits is there: who else waited is missing."_s;
    else if (isRedacted)
        mention.why = u"The client has removed the detail: Npgsql keeps it with Include Error Detail."_s;
    else
        mention.why = u"The detail, which says who waited for whom, is missing."_s;
    return mention;
}

Mention sqlServerMention(const QString& line)
{
    Mention mention;
    const QString session = sessionOf(line);
    mention.why = line.contains(u"xml_deadlock_report"_s)
        ? u"The event is named, but its XML, with sessions and locks, is missing or not complete."_s
        : session.isEmpty()
        ? u"The message names neither sessions nor locks."_s
        : u"Only the victim is known, session %1: the other sessions, the locks and the statements are missing."_s
              .arg(session);
    mention.where =
        u"The event session system_health of that server keeps the report: `lockctl deadlocks --server URL` reads it there; so does its error log with trace flag 1222."_s;
    return mention;
}

Mention mentionOf(const QString& line, Product product, bool isQuoted, const QStringList& near)
{
    Mention mention;
    if (isQuoted)
        mention = {.why = u"It is part of a statement or of a value that was logged: no deadlock."_s};
    else if (product == Product::Postgres)
        mention = postgresMention(near);
    else if (product == Product::SqlServer)
        mention = sqlServerMention(line);
    else if (product == Product::Oracle)
        mention = {.why = u"It is of Oracle, which Lockscope does not read."_s,
            .where = u"The trace file that its alert log names has the deadlock graph."_s};
    else
        mention = {.why = u"It is of MySQL or MariaDB, which Lockscope does not read."_s,
            .where = u"SHOW ENGINE INNODB STATUS shows the last one on that server."_s};
    constexpr qsizetype maxText = 200;
    mention.text = line.trimmed().left(maxText);
    return mention;
}

} // namespace

bool isDeadlockMessage(const QString& line)
{
    constexpr qsizetype maxLine = 4'000;
    return productOf(QStringView(line).left(maxLine)) == Product::Postgres;
}

QList<Mention> mentionsIn(const QString& text, const QSet<qint64>& quoted, bool isCsvlog)
{
    constexpr qsizetype maxLine = 20'000;
    QList<Mention> mentions;
    qint64 number = 1;
    qsizetype end = 0; // of the line before
    qint64 victimsNumber = -1; // its line: the message itself may follow
    for (qsizetype at = nextMarker(text, 0); at >= 0 && mentions.size() < maxMentions;
         at = nextMarker(text, end)) {
        const qsizetype begin = at == 0 ? 0 : text.lastIndexOf(u'\n', at - 1) + 1;
        number += countLines(QStringView(text).mid(end, begin - end));
        const qsizetype found = text.indexOf(u'\n', at);
        end = found < 0 ? text.size() : found;
        const QString line = text.mid(begin, std::min(end - begin, maxLine));
        const auto product = productOf(line);
        if (!product)
            continue;
        const MessagePart part = partOf(line);
        const bool isStatement = part.kind == PartKind::Statement || part.kind == PartKind::Log
            || isOpenStatement(line) || (isCsvlog && !line.contains(u"40P01"_s));
        const bool isNumber = isVictimsNumber(line);
        if (product == Product::SqlServer && !isNumber && number == victimsNumber + 1)
            mentions.removeLast();
        victimsNumber = isNumber ? number : -1;
        mentions << mentionOf(line, *product, isStatement || quoted.contains(number), nearOf(text, begin));
        mentions.last().line = number;
    }
    return mentions;
}

} // namespace lockscope::deadlock
