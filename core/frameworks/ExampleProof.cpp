// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/FrameworkFile.h"

#include "core/base/Duration.h"
#include "core/domain/Engine.h"
#include "core/domain/HolderLife.h"
#include "core/frameworks/FoundTable.h"
#include "core/frameworks/ProgramZone.h"
#include "core/frameworks/Recogniser.h"

#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxColumns = 200;

/// Returns the beginnings of an example of that kind of lock; each has one of them.
QStringList waysOf(FrameworkLockKind kind)
{
    switch (kind) {
    case FrameworkLockKind::Row:
        return {u"row"_s};
    case FrameworkLockKind::AdvisoryKey:
        return {u"number"_s, u"pair"_s};
    case FrameworkLockKind::ApplicationLock:
        return {u"resource"_s};
    case FrameworkLockKind::Table:
        return {u"table"_s};
    }
    return {};
}

FrameworkExample::Row readColumns(FrameworkCheck& check, const JsonNode& node)
{
    FrameworkExample::Row row;
    if (!node.is(JsonNode::Type::Object) || node.items.empty() || node.items.size() > maxColumns) {
        check.noteOther(node, u"an object: columns and their values"_s);
        return row;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const FrameworkValue value = check.value(node.items[i]);
        const QString* const text = std::get_if<QString>(&value);
        if (text && text->startsWith(u"{now"_s) && !fromNow(*text))
            check.note(
                node.items[i], u"\"%1\" is no time."_s.arg(*text), u"\"{now-7min}\" or \"{now+1h}\""_s);
        row.emplace_back(node.keys[qsizetype(i)], value);
    }
    return row;
}

void readHolder(FrameworkCheck& check, const JsonNode& node, FrameworkExample& example)
{
    if (!check.isObject(node, {u"host"_s, u"address"_s, u"pid"_s, u"owner"_s, u"program"_s}))
        return;
    for (std::size_t i = 0; i < node.items.size(); ++i)
        example.holder.insert(node.keys[qsizetype(i)], check.plainText(node.items[i], 255));
}

QString readTime(FrameworkCheck& check, const JsonNode& node)
{
    static const QRegularExpression form(u"\\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\\z"_s);
    if (!node.is(JsonNode::Type::String) || (!fromNow(node.text) && !form.match(node.text).hasMatch()))
        check.noteOther(node, u"a time such as \"{now-7min}\" or \"2026-01-31T10:00:00Z\""_s);
    return node.text;
}

void readKey(FrameworkCheck& check, const JsonNode& node, FrameworkExample& example)
{
    if (const JsonNode* number = node.find(u"number"))
        example.number =
            check.number(*number, std::numeric_limits<qint64>::min(), std::numeric_limits<qint64>::max());
    if (const JsonNode* pair = node.find(u"pair")) {
        if (!pair->is(JsonNode::Type::Array) || pair->items.size() != 2) {
            check.noteOther(*pair, u"a list of two numbers"_s);
        } else {
            const auto part = [&check](const JsonNode& one) {
                return check.number(
                    one, std::numeric_limits<qint32>::min(), std::numeric_limits<qint32>::max());
            };
            example.pair = std::pair(qint32(part(pair->items[0])), qint32(part(pair->items[1])));
        }
    }
    example.objsubid = int(check.optionalNumber(node, u"objsubid"_s, 1, 1, 32'767));
}

} // namespace

std::optional<milliseconds> fromNow(const QString& text)
{
    static const QRegularExpression form(u"\\A\\{now(?:([-+])([0-9]{1,6})(ms|s|min|h|d))?\\}\\z"_s);
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    if (!match.hasCaptured(3))
        return milliseconds(0);
    return unitLength(match.capturedView(3)) * (match.captured(1) + match.captured(2)).toLongLong();
}

FrameworkExample readExample(FrameworkCheck& check, const JsonNode& node, const FrameworkLock& lock)
{
    FrameworkExample example;
    const QStringList ways = waysOf(lock.kind);
    QStringList keys{u"meaning"_s, u"schema"_s};
    keys << ways;
    if (lock.kind == FrameworkLockKind::Row)
        keys << u"held"_s << u"holder"_s << u"since"_s << u"expires"_s << u"heartbeat"_s << u"process"_s;
    else
        keys << u"database"_s << u"table"_s << u"name"_s << u"objsubid"_s;
    keys.removeDuplicates();
    if (!check.isObject(node, keys))
        return example;
    check.oneOf(node, ways);
    if (const JsonNode* meaning = check.need(node, u"meaning"_s))
        example.meaning = check.words(*meaning);
    readKey(check, node, example);
    const std::pair<QStringView, QString*> texts[] = {{u"resource", &example.resource},
        {u"database", &example.database}, {u"schema", &example.schema}, {u"table", &example.table},
        {u"name", &example.name}};
    for (const auto& [key, into] : texts)
        if (const JsonNode* text = node.find(key))
            *into = check.plainText(*text, 255);
    if (const JsonNode* row = node.find(u"row"))
        example.row = readColumns(check, *row);
    if (const JsonNode* process = node.find(u"process"))
        example.process = readColumns(check, *process);
    if (const JsonNode* held = node.find(u"held"))
        example.isHeld = check.flag(*held);
    if (const JsonNode* holder = node.find(u"holder"))
        readHolder(check, *holder, example);
    const std::pair<QStringView, QString*> times[] = {
        {u"since", &example.since}, {u"expires", &example.expires}, {u"heartbeat", &example.heartbeat}};
    for (const auto& [key, into] : times)
        if (const JsonNode* time = node.find(key))
            *into = readTime(check, *time);
    return example;
}

namespace {

constexpr qint64 nowUs = 1'780'000'000'000'000; // any
constexpr qint64 usPerMs = 1'000; // in a millisecond
constexpr quint64 tableId = 501;
constexpr quint32 databaseId = 5;

bool isSame(const QString& one, const QString& other)
{
    return one.compare(other, Qt::CaseInsensitive) == 0;
}

const QRegularExpression& places()
{
    static const QRegularExpression place(u"\\{([^}]+)\\}"_s);
    return place;
}

std::optional<FrameworkClock> clockIn(
    std::initializer_list<const std::optional<FrameworkTime>*> times, const QString& column, Engine engine)
{
    for (const auto* time : times)
        if (*time && isSame((*time)->column, column))
            return clockOf(**time, engine, ColumnKind::Time);
    return std::nullopt;
}

/// Returns the clock by which that column of the row gives a time; nothing: it gives none.
std::optional<FrameworkClock> clockOfColumn(const FrameworkRow& row, const QString& column, Engine engine)
{
    for (const FrameworkCondition& condition : row.held)
        if (condition.time && isSame(condition.column, column))
            return clockOf(*condition.time, engine, ColumnKind::Time);
    return clockIn({&row.since, &row.expires, &row.heartbeat}, column, engine);
}

/// Returns a time as a column keeps it by that clock: digits, or "2026-01-31 10:00:00.000" in UTC.
QString storedTime(qint64 time, FrameworkClock clock)
{
    const QDateTime at = ServerTime{time}.toDateTime();
    switch (clock) {
    case FrameworkClock::EpochSeconds:
        return QString::number(time / 1'000'000);
    case FrameworkClock::EpochMilliseconds:
        return QString::number(time / usPerMs);
    case FrameworkClock::NetTicks:
        return QString::number(ticksUntil1970 + time * 10);
    case FrameworkClock::IsoText:
        return at.toString(u"yyyy-MM-ddTHH:mm:ss.zzz'Z'"_s);
    case FrameworkClock::Utc:
    case FrameworkClock::Server:
    case FrameworkClock::Application:
        break;
    }
    return at.toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s);
}

/// The columns of a row or of its process as texts, as the engine keeps them; a null string for NULL.
class Columns {
public:
    template <class ClockOf> Columns(const FrameworkExample::Row& row, const ClockOf& clockOf)
    {
        for (const auto& [column, value] : row) {
            const QString* const text = std::get_if<QString>(&value);
            const auto later = text ? fromNow(*text) : std::nullopt;
            const std::optional<FrameworkClock> clock = clockOf(column);
            if (later && !clock)
                m_fault = u"Nothing says by which clock \"%1\" is a time."_s.arg(column);
            m_texts.emplace_back(column,
                later ? storedTime(nowUs + later->count() * usPerMs, clock.value_or(FrameworkClock::Utc))
                      : textOf(value));
        }
    }

    const QString& fault() const { return m_fault; }
    bool has(const QString& column) const { return find(column) != nullptr; }
    QString text(const QString& column) const
    {
        const auto* found = find(column);
        return found ? found->second : QString();
    }
    /// Microseconds since 1970; by the clocks of servers and programs as if their zone were UTC.
    std::optional<qint64> time(const QString& column, FrameworkClock clock) const
    {
        const QString stored = text(column);
        if (stored.isNull())
            return std::nullopt;
        const bool isLocal = clock == FrameworkClock::Server || clock == FrameworkClock::Application;
        return timeFromText(stored, isLocal ? FrameworkClock::Utc : clock);
    }

    static QString textOf(const FrameworkValue& value)
    {
        if (const bool* truth = std::get_if<bool>(&value))
            return *truth ? u"1"_s : u"0"_s;
        if (const qint64* number = std::get_if<qint64>(&value))
            return QString::number(*number);
        const QString* const text = std::get_if<QString>(&value);
        return !text ? QString() : text->isNull() ? u""_s : *text;
    }

private:
    const std::pair<QString, QString>* find(const QString& column) const
    {
        const auto found =
            std::ranges::find_if(m_texts, [&column](const auto& one) { return isSame(one.first, column); });
        return found == m_texts.end() ? nullptr : &*found;
    }

    std::vector<std::pair<QString, QString>> m_texts;
    QString m_fault;
};

bool isMet(const FrameworkCondition& condition, const Columns& columns, Engine engine)
{
    using Is = FrameworkCondition::Is;
    const QString text = columns.text(condition.column);
    const QString requested = Columns::textOf(condition.value);
    switch (condition.is) {
    case Is::Null:
        return text.isNull();
    case Is::NotNull:
        return !text.isNull();
    case Is::Equal:
        return !text.isNull() && text == requested;
    case Is::NotEqual:
        return text.isNull() || text != requested;
    case Is::Like: {
        QStringList parts = requested.split(u'*');
        for (QString& part : parts)
            part = QRegularExpression::escape(part);
        return !text.isNull()
            && QRegularExpression(QRegularExpression::anchoredPattern(parts.join(u".*"_s)),
                QRegularExpression::DotMatchesEverythingOption)
                   .match(text)
                   .hasMatch();
    }
    case Is::Future:
        break;
    }
    if (text.isNull() || !condition.time)
        return !text.isNull();
    const auto time = columns.time(condition.column, clockOf(*condition.time, engine, ColumnKind::Time));
    return !time || *time > nowUs; // what can't be reckoned with counts as to come
}

QString nameOf(const FrameworkLock& lock, const Columns& columns)
{
    if (lock.row.name.isEmpty())
        return lock.name;
    QString name;
    qsizetype done = 0;
    bool any = false;
    for (auto found = places().globalMatch(lock.row.name); found.hasNext();) {
        const auto match = found.next();
        const QString text = columns.text(match.captured(1));
        any = any || !text.isNull();
        name += lock.row.name.mid(done, match.capturedStart() - done) + text;
        done = match.capturedEnd();
    }
    return any ? (name + lock.row.name.mid(done)).simplified() : lock.name;
}

QMap<QString, QString> partsOf(const HolderParts& parts)
{
    QMap<QString, QString> named;
    const std::pair<QString, QString> all[] = {{u"host"_s, parts.host}, {u"address"_s, parts.address},
        {u"owner"_s, parts.owner}, {u"program"_s, parts.program},
        {u"pid"_s, parts.processId > 0 ? QString::number(parts.processId) : QString()}};
    for (const auto& [name, value] : all)
        if (!value.isEmpty())
            named.insert(name, value);
    return named;
}

QString inWords(const QMap<QString, QString>& parts)
{
    QStringList words;
    for (auto part = parts.begin(); part != parts.end(); ++part)
        words << u"%1 \"%2\""_s.arg(part.key(), part.value());
    return words.isEmpty() ? u"nobody"_s : words.join(u", "_s);
}

QString inWords(std::optional<qint64> time)
{
    return time ? ServerTime{*time}.toDateTime().toString(Qt::ISODateWithMs) : u"no time"_s;
}

/// One row on one engine.
class RowProof {
public:
    RowProof(const FrameworkLock& lock, const FrameworkExample& example, Engine engine)
        : m_lock(lock)
        , m_example(example)
        , m_engine(engine)
        , m_row(example.row, [&](const QString& column) { return clockOfColumn(lock.row, column, engine); })
        , m_process(example.process, [&](const QString& column) {
            return lock.row.process ? clockIn({&lock.row.process->heartbeat}, column, engine) : std::nullopt;
        })
    {
    }

    QString whyFalse()
    {
        for (const QString& fault : {m_row.fault(), m_process.fault()})
            if (!fault.isEmpty())
                return fault;
        for (const QString& column : columnsUsed(m_lock.row))
            if (!m_row.has(column))
                return u"The row has no column \"%1\"."_s.arg(column);
        for (const auto& [column, value] : m_example.row)
            if (m_lock.table && !m_lock.table->columns.isEmpty()
                && !m_lock.table->columns.contains(column, Qt::CaseInsensitive))
                return u"\"columns\" of the table does not list \"%1\"."_s.arg(column);
        const bool isHeld = std::ranges::all_of(
            m_lock.row.held, [this](const FrameworkCondition& one) { return isMet(one, m_row, m_engine); });
        if (isHeld != m_example.isHeld)
            return isHeld ? u"The lock is held on %1, by what \"held\" says."_s.arg(engineName(m_engine))
                          : u"The lock is not held on %1, by what \"held\" says."_s.arg(engineName(m_engine));
        if (const QString name = nameOf(m_lock, m_row); name != m_example.meaning)
            return u"The lock is called \"%1\"."_s.arg(name);
        return m_example.isHeld ? whyNotTheHolder() : QString();
    }

    /// A time as it is read, and whether this engine can read it.
    struct ReadTime {
        std::optional<qint64> us;
        bool canBeRead = false;
    };
    ReadTime since() const
    {
        const ReadTime readTime = timeOf(m_lock.row.since, m_row);
        const auto since = holder().since;
        return readTime.us || !since ? readTime : ReadTime{since->us, true};
    }
    ReadTime expires() const { return timeOf(m_lock.row.expires, m_row); }
    ReadTime heartbeat() const
    {
        const ReadTime readTime = timeOf(m_lock.row.heartbeat, m_row);
        return readTime.us || !m_lock.row.process ? readTime
                                                  : timeOf(m_lock.row.process->heartbeat, m_process);
    }

private:
    ReadTime timeOf(const std::optional<FrameworkTime>& time, const Columns& columns) const
    {
        if (!time || clockOf(*time, m_engine, ColumnKind::Time) == FrameworkClock::Application)
            return {};
        const auto stored = columns.time(time->column, clockOf(*time, m_engine, ColumnKind::Time));
        return {stored ? std::optional(*stored + time->after.count() * usPerMs) : std::nullopt, true};
    }

    HolderParts holder() const
    {
        const FrameworkRow& row = m_lock.row;
        HolderParts parts;
        if (!row.holder.isEmpty())
            parts = HolderPattern(row.holderPattern).partsOf(m_row.text(row.holder));
        if (row.process && isListed()) {
            if (const QString host = m_process.text(row.process->host); !host.isEmpty())
                parts.host = host;
            if (const QString pid = m_process.text(row.process->processId); !pid.isEmpty())
                parts.processId = pid.toLongLong();
        }
        return parts;
    }

    bool isListed() const
    {
        const FrameworkProcessTable& process = *m_lock.row.process;
        const QString key = m_process.text(process.key);
        return !key.isNull() && key == m_row.text(process.from);
    }

    QString whyNotTheHolder() const
    {
        if (m_lock.row.process.has_value() && !m_example.process.empty() && !isListed())
            return u"The process is not the row's."_s;
        const auto result = partsOf(holder());
        return result == m_example.holder ? QString() : u"Its holder is %1."_s.arg(inWords(result));
    }

    const FrameworkLock& m_lock;
    const FrameworkExample& m_example;
    const Engine m_engine;
    const Columns m_row;
    const Columns m_process;
};

std::optional<qint64> timeInExample(const QString& text)
{
    if (const auto later = fromNow(text))
        return nowUs + later->count() * usPerMs;
    const QDateTime iso = QDateTime::fromString(text, Qt::ISODateWithMs);
    return iso.isValid() ? std::optional(iso.toMSecsSinceEpoch() * usPerMs) : std::nullopt;
}

/// A time must be read by one engine at least, and by each that can read it.
QString whyFalseRow(const FrameworkLock& lock, const FrameworkExample& example)
{
    const std::tuple<const char*, QString, RowProof::ReadTime (RowProof::*)() const> times[] = {
        {"since", example.since, &RowProof::since}, {"expires", example.expires, &RowProof::expires},
        {"heartbeat", example.heartbeat, &RowProof::heartbeat}};
    std::array<bool, 3> isRead{};
    for (const Engine engine : lock.engines) {
        RowProof proof(lock, example, engine);
        if (const QString why = proof.whyFalse(); !why.isEmpty())
            return why;
        for (std::size_t i = 0; example.isHeld && i < isRead.size(); ++i) {
            const auto& [name, text, read] = times[i];
            const RowProof::ReadTime readTime = (proof.*read)();
            isRead[i] = isRead[i] || readTime.us.has_value();
            if (readTime.canBeRead && readTime.us != (text.isEmpty() ? std::nullopt : timeInExample(text)))
                return u"\"%1\" is %2 on %3, if it is %4 now."_s.arg(
                    QLatin1StringView(name), inWords(readTime.us), engineName(engine), inWords(nowUs));
        }
    }
    for (std::size_t i = 0; example.isHeld && i < isRead.size(); ++i)
        if (const auto& [name, text, read] = times[i]; !text.isEmpty() && !isRead[i])
            return u"Nothing gives \"%1\"."_s.arg(QLatin1StringView(name));
    return {};
}

KnownTable tableLike(const FrameworkTable& tableRule, const QString& schema, const QString& table)
{
    KnownTable made;
    made.schema = tableRule.schemas.isEmpty() ? schema : tableRule.schemas.first();
    made.id = tableId;
    made.columns = tableRule.columns;
    made.table = table;
    if (!isNamedLike(tableRule, made.schema, table))
        made.table = QString(tableRule.names.first()).replace(u'*', u'x');
    return made;
}

Resource resourceOf(const FrameworkLock& lock, const FrameworkExample& example, const QString& database)
{
    Resource resource;
    resource.database = database;
    ResourceKey& key = resource.key;
    key.kind = ResourceKind::ApplicationLock;
    key.database = databaseId;
    if (lock.kind == FrameworkLockKind::Table) {
        key.kind = ResourceKind::Relation;
        key.entity = tableId;
    } else if (example.number) {
        key.entity = static_cast<quint64>(*example.number);
        key.part = static_cast<quint64>(example.objsubid);
    } else if (example.pair) {
        key.entity = quint64(static_cast<quint32>(example.pair->first)) << 32
            | static_cast<quint32>(example.pair->second);
        key.part = 2;
    } else {
        key.text = u"0:[%1]:(ea53e177)"_s.arg(example.resource.left(32));
        resource.named = true;
    }
    return resource;
}

/// Checks the example by this framework alone; that of a lock on a table in one of its modes.
QString whyFalseKey(const FrameworkPtr& framework, const FrameworkLock& lock, const FrameworkExample& example)
{
    auto known = std::make_shared<Framework>(*framework);
    for (FrameworkLock& one : known->locks)
        if (one.id == lock.id && !example.name.isEmpty())
            one.knownNames = QStringList{example.name};

    DatabaseFacts facts;
    facts.database = example.database.isEmpty() ? u"app"_s : example.database;
    const QString schema = example.schema.isEmpty() ? u"public"_s : example.schema;
    facts.schemas = {schema};
    const QString table = example.table.isEmpty() ? u"t"_s : example.table;
    if (lock.table)
        facts.tables << tableLike(*lock.table, schema, table);
    for (const FrameworkTable& needed : lock.requires_)
        facts.tables << tableLike(needed, schema, needed.names.isEmpty() ? table : needed.names.first());

    const Engine engine = lock.engines.isEmpty() ? Engine::Postgres : lock.engines.first();
    Snapshot snapshot;
    snapshot.engine = engine;
    snapshot.resources.push_back(resourceOf(lock, example, facts.database));
    LockRequest request;
    const QStringList modes = lock.modes.value(engine);
    request.mode = LockMode::fromText(engine, modes.isEmpty() ? u"X"_s : modes.first());
    snapshot.requests.push_back(request);
    Recogniser recogniser(engine, {std::move(known)});
    recogniser.setFacts(facts);
    recogniser.recognise(snapshot);

    const FrameworkMatchPtr match = snapshot.resources.front().framework;
    if (!match)
        return u"This is not recognised."_s;
    if (match->lock != lock.id)
        return u"This is the lock \"%1\"."_s.arg(match->lock);
    return match->name == example.meaning ? QString() : u"The lock is called \"%1\"."_s.arg(match->name);
}

} // namespace

QString whyFalse(const FrameworkPtr& framework, const FrameworkLock& lock, const FrameworkExample& example)
{
    return lock.kind == FrameworkLockKind::Row ? whyFalseRow(lock, example)
                                               : whyFalseKey(framework, lock, example);
}

QStringList columnsUsed(const FrameworkRow& row)
{
    QStringList columns = columnsRead(row);
    const auto add = [&columns](const QString& column) {
        if (!columns.contains(column, Qt::CaseInsensitive))
            columns << column;
    };
    for (const auto& [column, value] : row.update) {
        add(column);
        if (const QString* text = std::get_if<QString>(&value))
            for (auto match = places().globalMatch(*text); match.hasNext();)
                add(match.next().captured(1));
    }
    return columns;
}

} // namespace lockscope::frameworks
