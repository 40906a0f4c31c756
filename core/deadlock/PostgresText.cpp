// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"

#include "core/deadlock/LinePrefix.h"

#include <QJsonDocument>
#include <QJsonObject>
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

/// More lines than that of one part are left out: statements are cut by the server far below.
constexpr qsizetype maxLines = 100'000;

/// An entry's lines, the first without its label, the others without the tab before them.
struct Part {
    QString prefix;
    QString label;
    QStringList lines;
    qsizetype begin = 0; ///< of its first line, among all
    qsizetype end = 0; ///< behind its last one
};

class PostgresTextReader {
public:
    PostgresTextReader(const QString& text, const QString& place, PostgresEvents events)
        : m_text(text)
        , m_place(place)
        , m_events(events)
    {
    }

    QList<ReportPtr> run()
    {
        // Line by line, keeping only what the one before was.
        qsizetype at = 0;
        while (at < m_text.size()) {
            const qsizetype end = endOf(at);
            const QStringView line = lineAt(at);
            if (!isContinuation(line) && line.contains(u"eLock"))
                if (const auto label = labelOf(line))
                    if (const qsizetype next = takeEither(at, line.mid(label->text)); next > at) {
                        m_before = -1;
                        at = next;
                        continue;
                    }
            if (!isContinuation(line))
                m_before = at;
            at = end;
        }
        return m_reports;
    }

private:
    qsizetype endOf(qsizetype at) const
    {
        const qsizetype found = m_text.indexOf(u'\n', at);
        return found < 0 ? m_text.size() : found + 1;
    }
    QStringView lineAt(qsizetype at) const
    {
        QStringView line = QStringView(m_text).mid(at, endOf(at) - at);
        while (line.endsWith(u'\n') || line.endsWith(u'\r'))
            line.chop(1);
        return line;
    }
    /// PostgreSQL writes a tab before each further line of a message; some collectors make blanks of it, or
    /// "#011" (syslog).
    static bool isContinuation(QStringView line)
    {
        return line.startsWith(u'\t') || line.startsWith(u"    ") || line.startsWith(u"#011")
            || line.isEmpty();
    }
    static QString withoutTab(QStringView line)
    {
        if (line.startsWith(u'\t'))
            return line.mid(1).toString();
        if (line.startsWith(u"#011"))
            return line.mid(4).toString();
        return line.startsWith(u"    ") ? line.trimmed().toString() : line.toString();
    }

    Part partAt(qsizetype at) const
    {
        Part part;
        part.begin = at;
        const QStringView line = lineAt(at);
        qsizetype text = 0;
        if (const auto label = labelOf(line)) {
            part.prefix = label->prefix;
            part.label = label->label;
            text = label->text;
        }
        part.lines << line.mid(text).toString();
        for (at = endOf(at); at < m_text.size() && isContinuation(lineAt(at)); at = endOf(at))
            if (part.lines.size() < maxLines)
                part.lines << withoutTab(lineAt(at));
        part.end = at;
        return part;
    }

    qsizetype takeEither(qsizetype at, QStringView text)
    {
        const qsizetype end = waitLineOf(text) ? take(at) : at;
        return end == at && m_events == PostgresEvents::DeadlocksAndWaits ? takeWait(at) : end;
    }

    /// Reads the entry of a wait at `at`, and returns where that ends; `at` if it is none.
    qsizetype takeWait(qsizetype at)
    {
        const Part message = partAt(at);
        const Part detail = message.end < m_text.size() ? partAt(message.end) : Part();
        // Without a detail, "acquired ShareLock …", its context or statement comes next.
        const PartKind kind = partKindOf(message.label);
        const PartKind next = partKindOf(detail.label);
        if (kind == PartKind::Error || kind == PartKind::Remark || detail.label.isEmpty()
            || detail.label == message.label || next == PartKind::Context || next == PartKind::Statement
            || !isOfOneEntry(message.prefix, detail.prefix))
            return at;
        PostgresEntry entry;
        entry.message = message.lines.first();
        static const QRegularExpression process(u"\\[(\\d{1,10})\\]"_s); // as most prefixes have it
        entry.process = process.match(message.prefix).captured(1).toLongLong();
        entry.detail = detail.lines;
        const qsizetype end = takeRest(detail, entry);
        return add(message, end, entry, readLockWait);
    }

    /// A detail stands at `at`: reads its entry, and returns where that ends; `at` if it is none.
    qsizetype take(qsizetype at)
    {
        const Part detail = partAt(at);
        if (m_before < 0 || !beginsWithRing(detail.lines))
            return at;
        const Part error = partAt(m_before);
        // The message itself comes right before its detail, by the same session.
        if (error.label.isEmpty() || error.label == detail.label || error.end != detail.begin
            || !isOfOneEntry(error.prefix, detail.prefix))
            return at;
        PostgresEntry entry;
        entry.detail = detail.lines;
        const qsizetype end = takeRest(detail, entry);
        return std::max(at, add(error, end, entry, readPostgresEntry));
    }

    /// Takes context and statement, and returns where the entry ends.
    qsizetype takeRest(const Part& detail, PostgresEntry& entry) const
    {
        qsizetype end = detail.end;
        for (int more = 0; more < 6 && end < m_text.size(); ++more) {
            const Part part = partAt(end);
            if (part.label.isEmpty() || !isOfOneEntry(part.prefix, detail.prefix))
                break;
            const PartKind kind = partKindOf(part.label);
            if (kind == PartKind::Context)
                entry.context = part.lines.join(u'\n');
            else if (kind == PartKind::Statement)
                entry.statement = part.lines.join(u'\n');
            else if (more > 0)
                break;
            end = part.end;
            if (kind == PartKind::Statement)
                break;
        }
        return end;
    }

    /// Returns `end`, or where the entry begins if it is none.
    qsizetype add(const Part& first, qsizetype end, PostgresEntry& entry,
        std::optional<DeadlockReport> (*read)(const PostgresEntry&))
    {
        readLogPrefix(first.prefix, entry);
        auto report = read(entry);
        if (!report)
            return first.begin;
        const QString raw = m_text.mid(first.begin, end - first.begin);
        m_reports << postgresReport(
            std::move(*report), m_place, SourceFormat::PostgresText, m_line.lineOf(m_text, first.begin), raw);
        return end;
    }

    const QString& m_text;
    const QString& m_place;
    const PostgresEvents m_events;
    QList<ReportPtr> m_reports;
    qsizetype m_before = -1; ///< the start of the last line that is no continuation
    LineCounter m_line;
};

constexpr auto deadlockCode = QStringView(u"40P01");

/// The columns of csvlog that are read, by their places; newer servers add theirs at the end.
enum CsvColumn {
    LogTime,
    User,
    Database,
    Process,
    Client,
    State = 12,
    Message = 13,
    Detail = 14,
    Context = 18,
    Query = 19,
    Program = 22
};

struct CsvRecord {
    QStringList fields;
    qsizetype begin = 0;
    qsizetype end = 0;
};

/// Reads records one after the other. One whose quotes don't close goes to the end of the text; then reading
/// begins again behind its first line, so that a file that begins within a record is read.
class CsvReader {
public:
    explicit CsvReader(const QString& text)
        : m_text(text)
    {
    }

    bool next(CsvRecord& record)
    {
        if (m_at >= m_text.size())
            return false;
        record = {};
        record.begin = m_at;
        QString field;
        bool isQuoted = false;
        qsizetype i = m_at;
        for (; i < m_text.size(); ++i) {
            const QChar c = m_text[i];
            if (isQuoted) {
                if (c != u'"')
                    field += c;
                else if (i + 1 < m_text.size() && m_text[i + 1] == u'"')
                    field += m_text[++i];
                else
                    isQuoted = false;
            } else if (c == u'"') {
                isQuoted = true;
            } else if (c == u',') {
                record.fields << field;
                field.clear();
            } else if (c == u'\n') {
                break;
            } else if (c != u'\r') {
                field += c;
            }
        }
        if (isQuoted) {
            const qsizetype line = m_text.indexOf(u'\n', m_at);
            record.fields.clear();
            m_at = line < 0 ? m_text.size() : line + 1;
            ++m_torn;
        } else {
            record.fields << field;
            m_at = i + 1;
        }
        record.end = std::min(m_at, m_text.size());
        return m_torn < 1000; // each costs a search of the whole rest
    }

private:
    const QString& m_text;
    qsizetype m_at = 0;
    int m_torn = 0;
};

std::optional<DeadlockReport> readEither(const PostgresEntry& entry, QStringView state)
{
    return state == deadlockCode ? readPostgresEntry(entry) : readLockWait(entry);
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

void readLogPrefix(const QString& prefix, PostgresEntry& entry)
{
    static const QRegularExpression party(u"([A-Za-z_][\\w.-]*)@([A-Za-z_][\\w.-]*)"_s);
    static const QRegularExpression epoch(u"(?<![\\d.])(1\\d{9})\\.(\\d{3})(?!\\d)"_s);
    entry.time = prefix.trimmed();
    if (const auto match = prefix.contains(u'@') ? party.match(prefix) : QRegularExpressionMatch();
        match.hasMatch()) {
        entry.user = match.captured(1);
        entry.database = match.captured(2);
    }
    if (const auto match = epoch.match(prefix); match.hasMatch() && !postgresTime(prefix).at) {
        const qint64 us = (match.captured(1).toLongLong() * 1000 + match.captured(2).toInt()) * 1000;
        entry.time = ServerTime{us}.toIsoString();
    }
}

QList<ReportPtr> readPostgresText(const QString& text, const QString& place, PostgresEvents events)
{
    return PostgresTextReader(text, place, events).run();
}

QList<ReportPtr> readPostgresCsv(const QString& text, const QString& place, PostgresEvents events)
{
    QList<ReportPtr> reports;
    CsvReader reader(text);
    CsvRecord record;
    LineCounter line;
    while (reader.next(record)) {
        const QStringList& fields = record.fields;
        if (fields.size() <= Context
            || (fields[State] != deadlockCode
                && (events == PostgresEvents::Deadlocks || fields[State] != u"00000" // of what is no error
                    || !fields[Message].contains(u"eLock"))))
            continue;
        PostgresEntry entry;
        entry.message = fields[Message];
        entry.process = fields[Process].toLongLong();
        entry.time = fields[LogTime];
        entry.user = fields[User];
        entry.database = fields[Database];
        entry.host = fields[Client].section(u':', 0, -2);
        entry.detail = fields[Detail].split(u'\n');
        entry.context = fields[Context];
        entry.statement = fields.value(Query);
        entry.program = fields.value(Program);
        if (auto report = readEither(entry, fields[State]))
            reports << postgresReport(std::move(*report), place, SourceFormat::PostgresCsv,
                line.lineOf(text, record.begin), text.mid(record.begin, record.end - record.begin));
    }
    return reports;
}

QList<ReportPtr> readPostgresJson(const QString& text, const QString& place, PostgresEvents events)
{
    QList<ReportPtr> reports;
    qint64 number = 0;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = text.indexOf(u'\n', at);
        if (end < 0)
            end = text.size();
        ++number;
        const QStringView line = QStringView(text).mid(at, end - at);
        at = end + 1;
        const bool mayWait = events == PostgresEvents::DeadlocksAndWaits && line.contains(u"eLock");
        if (!line.contains(deadlockCode) && !mayWait)
            continue;
        const QJsonObject object = QJsonDocument::fromJson(line.toUtf8()).object();
        const QString state = object[u"state_code"].toString();
        if (state != deadlockCode && (!mayWait || !state.isEmpty()))
            continue;
        PostgresEntry entry;
        entry.message = object[u"message"].toString();
        entry.process = object[u"pid"].toInteger();
        entry.time = object[u"timestamp"].toString();
        entry.user = object[u"user"].toString();
        entry.database = object[u"dbname"].toString();
        entry.host = object[u"remote_host"].toString();
        entry.program = object[u"application_name"].toString();
        entry.detail = object[u"detail"].toString().split(u'\n');
        entry.context = object[u"context"].toString();
        entry.statement = object[u"statement"].toString();
        if (auto report = readEither(entry, state))
            reports << postgresReport(
                std::move(*report), place, SourceFormat::PostgresJson, number, line.toString());
    }
    return reports;
}

} // namespace lockscope::deadlock
