// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/RowLocks.h"

#include "core/db/Statement.h"
#include "core/frameworks/AsJudged.h"
#include "core/frameworks/KeyFormula.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxQuoteLength = 60;
constexpr qsizetype maxShownName = 255;

qint64 inMicroseconds(milliseconds after)
{
    return std::chrono::microseconds(after).count();
}

} // namespace

void RowLock::take(const ProgramSettings& settings, const FrameworkRow& row)
{
    signs.silence.configured = settings.deadAfter;
    signs.silence.givenInterval = settings.interval;
    if (!settings.lockAtMostFor || !row.expires || row.expires->after.count() == 0)
        return;
    signs.lockAtMostFor = settings.lockAtMostFor;
    const milliseconds longer = *settings.lockAtMostFor - row.expires->after;
    if (entry.expiresAt)
        entry.expiresAt = signs.expires = *entry.expiresAt + longer;
    if (zoneless.expires)
        *zoneless.expires += inMicroseconds(longer);
}

/// `since` was written by its program's clock, unless the database's own wrote it.
void RowLock::noteTaken(ServerTime since)
{
    const microseconds skew = zoneless.isOfDatabase ? microseconds(0) : ProgramZone::maxSkew;
    PossibleTime taken{since - skew, since + skew};
    if (signs.taken) // it was seen to be taken, by the server's clock
        taken = {
            std::max(taken.earliest, signs.taken->earliest), std::min(taken.latest, signs.taken->latest)};
    if (taken.earliest <= taken.latest)
        signs.taken = taken;
}

void RowLock::readZoneless(const ProgramZone& zone, const ServerZone& server, ServerTime now)
{
    if (zone.isKnown()) {
        const auto timeOf = [&zone](const std::optional<ZonelessTime>& time) {
            return time ? std::optional(zone.timeOf(*time)) : std::nullopt;
        };
        if (const auto since = timeOf(zoneless.since)) {
            entry.acquiredAt = *since;
            noteTaken(*since);
        }
        if (const auto expires = timeOf(zoneless.expires))
            entry.expiresAt = signs.expires = *expires;
        if (const auto heartbeat = timeOf(zoneless.heartbeat))
            entry.heartbeat = signs.heartbeat = *heartbeat;
        for (const ZonelessTime time : zoneless.mustBeToCome)
            mustBeToCome.push_back(zone.timeOf(time));
        zoneless.mustBeToCome.clear();
        return;
    }
    ProgramZone own = zone;
    if (zoneless.since) {
        own.noteThatHasCome(*zoneless.since, now);
        const PossibleTime taken = own.possible(*zoneless.since);
        if (!signs.taken) // it was not seen to be taken
            signs.taken = PossibleTime{taken.earliest, std::min(taken.latest, now)};
        if (own.isEastOfUtc())
            signs.readings << u"Its program's clock is ahead of UTC: by UTC the lock is not taken yet."_s;
    }
    const auto endsIt = std::ranges::min_element(zoneless.mustBeToCome);
    const bool endsTheLock = endsIt != zoneless.mustBeToCome.end();
    const auto end = endsTheLock ? std::optional(*endsIt) : zoneless.expires;
    if (end)
        signs.readings << own.endInWords(*end, endsTheLock, server, now);
    signs.dependsOnZone = endsTheLock && own.mayBeOver(*endsIt, now);
    entry.dependsOnZone = signs.dependsOnZone;
    // A row that has expired by each zone by which it was taken already is no lock: mostly so once it was
    // released.
    for (const ZonelessTime time : zoneless.mustBeToCome)
        mustBeToCome.push_back(own.possible(time).latest);
}

bool RowLock::isHeld(ServerTime now) const
{
    return std::ranges::all_of(mustBeToCome, [now](ServerTime time) { return time > now; });
}

RowLocks::RowLocks(
    const db::Dialect& dialect, FoundTablePtr table, FrameworkMatchPtr match, Times times, qint64 limit)
    : m_dialect(dialect)
    , m_table(std::move(table))
    , m_match(std::move(match))
    , m_times(times)
    , m_limit(limit)
    , m_pattern(m_table->row().holderPattern)
{
    const FrameworkRow& row = m_table->row();
    for (const QString& column : row.compare)
        addText(column);
    for (const QString& column : columnsRead(row)) // those of the conditions, too: what is shown is what held
        addText(column);
    m_holder = row.holder.isEmpty() ? -1 : addText(row.holder);
    if (row.process)
        m_from = addText(row.process->from);
    // All texts first: times are numbered behind them.
    m_since = addTime(row.since);
    m_expires = addTime(row.expires);
    m_heartbeat = addTime(row.heartbeat);
    addHeld();
    makeStatement();
    if (m_dialect.engine() == Engine::SqlServer)
        compareFirst();
}

QString RowLocks::quotedColumn(const QString& column) const
{
    const LockRowTable::Column* found = m_table->table.names->column(column);
    return m_dialect.quoted(found ? found->name : column);
}

ColumnKind RowLocks::kindOfColumn(const QString& column) const
{
    const LockRowTable::Column* found = m_table->table.names->column(column);
    return found ? kindOf(m_dialect.engine(), found->type) : ColumnKind::Other;
}

int RowLocks::addText(const QString& column)
{
    for (qsizetype i = 0; i < m_texts.size(); ++i)
        if (m_texts[i].compare(column, Qt::CaseInsensitive) == 0)
            return static_cast<int>(i);
    const LockRowTable::Column* found = m_table->table.names->column(column);
    m_texts << column;
    m_expressions << storedText(m_dialect, found ? *found : LockRowTable::Column{column, {}});
    return static_cast<int>(m_texts.size()) - 1;
}

RowLocks::Time RowLocks::addTime(const std::optional<FrameworkTime>& time)
{
    Time added;
    if (!time)
        return added;
    const ColumnKind kind = kindOfColumn(time->column);
    added.time = *time;
    added.clock = clockOf(*time, m_dialect.engine(), kind);
    added.by = timeBy(m_dialect.engine(), kind, added.clock);
    added.text = addText(time->column);
    if (added.by == TimeBy::Server && m_times == Times::AsStored) {
        m_expressions << timeExpression(m_dialect, kind, added.clock, quotedColumn(time->column));
        added.us = static_cast<int>(m_expressions.size()) - 1;
    }
    return added;
}

QString RowLocks::marker(db::Param value)
{
    m_params.push_back(std::move(value));
    return m_dialect.parameterMarker(static_cast<qsizetype>(m_params.size()));
}

/// Returns the value as the column's type has it: true is 1 where truth values are numbers.
db::Param RowLocks::valueFor(const FrameworkValue& value, ColumnKind kind) const
{
    const bool isTruth = kind == ColumnKind::Boolean && m_dialect.engine() == Engine::Postgres;
    if (const bool* truth = std::get_if<bool>(&value))
        return isTruth || kind == ColumnKind::Text ? db::Param(*truth ? u"true"_s : u"false"_s)
                                                   : db::Param(qint64(*truth ? 1 : 0));
    if (const qint64* number = std::get_if<qint64>(&value)) {
        if (isTruth)
            return *number != 0 ? u"true"_s : u"false"_s;
        return kind == ColumnKind::Text ? db::Param(QString::number(*number)) : db::Param(*number);
    }
    if (const QString* text = std::get_if<QString>(&value))
        return *text;
    return {};
}

QString RowLocks::condition(const FrameworkCondition& condition)
{
    using Is = FrameworkCondition::Is;
    const QString column = quotedColumn(condition.column);
    const ColumnKind kind = kindOfColumn(condition.column);
    const auto compared = [&](const char* part, db::Param value) {
        return sqlPart(m_dialect, part, {{"column"_L1, column}, {"value"_L1, marker(std::move(value))}});
    };
    switch (condition.is) {
    case Is::Null:
        return sqlPart(m_dialect, "frameworks/is_null", {{"column"_L1, column}});
    case Is::NotNull:
        return sqlPart(m_dialect, "frameworks/is_not_null", {{"column"_L1, column}});
    case Is::Equal:
        return compared("frameworks/is", valueFor(condition.value, kind));
    case Is::NotEqual:
        return compared("frameworks/is_not", valueFor(condition.value, kind));
    case Is::Like: {
        const QString* pattern = std::get_if<QString>(&condition.value);
        return compared(
            "frameworks/is_like", likePattern(m_dialect.engine(), pattern ? *pattern : QString()));
    }
    case Is::Future:
        break;
    }
    if (!condition.time)
        return sqlPart(m_dialect, "frameworks/is_not_null", {{"column"_L1, column}});
    const FrameworkClock clock = clockOf(*condition.time, m_dialect.engine(), kind);
    const QString time =
        m_times == Times::AsStored ? comparableTime(m_dialect, kind, clock, column) : QString();
    if (time.isEmpty() || clock == FrameworkClock::Application) {
        FrameworkTime end = *condition.time;
        end.column = condition.column;
        m_mustBeToCome.push_back(addTime(end));
    }
    if (time.isEmpty())
        return sqlPart(m_dialect, "frameworks/is_not_null", {{"column"_L1, column}});
    return sqlPart(m_dialect, "frameworks/is_future",
        {{"column"_L1, column}, {"time"_L1, time},
            {"value"_L1, marker(inMicroseconds(condition.time->after) + zonelessMargin(clock).count())}});
}

void RowLocks::addHeld()
{
    for (const FrameworkCondition& one : m_table->row().held)
        m_held << u'(' + condition(one) + u')';
    if (m_held.isEmpty())
        m_held << sqlPart(m_dialect, "frameworks/always", {});
}

/// The table by its name, or the rows that were copied of it.
QString RowLocks::source(const DatabaseTable& table, const QStringList& columns)
{
    if (!m_table->isCopied)
        return m_dialect.quoted(table.names->schema, table.names->table);
    m_copies.emplace_back(m_dialect, table, columns);
    const QString place = m_dialect.parameterMarker(std::ssize(m_params) + std::ssize(m_copies));
    const auto copied = db::Statement::filled(
        "postgres/frameworks/copied", {{"json"_L1, place}, {"typed"_L1, m_copies.back().typed}});
    return u"(%1) AS lockscope_copy"_s.arg(QString::fromUtf8(copied.sql()));
}

std::vector<db::Param> RowLocks::params(const QString& rows, const QString& processes) const
{
    std::vector<db::Param> params = m_params;
    params.emplace_back(rows);
    if (m_copies.size() > 1)
        params.emplace_back(processes);
    return params;
}

/// The statement then checks by itself whether the tables are those that were judged.
void RowLocks::compareFirst()
{
    QStringList judged;
    const auto add = [this, &judged](const DatabaseTable& table) {
        const QString name = marker(m_dialect.quoted(table.names->schema, table.names->table));
        judged << name + u", "_s + marker(table.print);
    };
    add(m_table->table);
    if (m_table->processes)
        add(*m_table->processes);
    m_statement = asJudged(m_dialect, *m_statement, judged);
}

void RowLocks::makeStatement()
{
    const QString maximum = marker(m_limit);
    const QString table = source(m_table->table, columnsRead(m_table->row()));
    const QString held = m_held.join(u" AND "_s);
    const auto path = [this](const char* name) { return db::schemaPath(m_dialect, name); };
    if (!m_table->processes) {
        m_rows = static_cast<int>(m_expressions.size());
        const QString columns = m_expressions.join(u", "_s);
        m_statement = db::Statement::filled(path("frameworks/rows").constData(),
            {{"parts"_L1, columns}, {"table"_L1, table}, {"held"_L1, held}, {"most"_L1, maximum}});
        m_shape = columns + u'\n' + held;
        return;
    }
    const FrameworkProcessTable& process = *m_table->row().process;
    const LockRowTable& processes = *m_table->processes->names;
    const QString nothing = sqlPart(m_dialect, "frameworks/nothing", {});
    const auto text = [&](const QString& column) {
        const LockRowTable::Column* found = processes.column(column);
        return found ? storedText(m_dialect, *found) : nothing;
    };
    QString beat = nothing;
    QString beatTime = nothing;
    const LockRowTable::Column* beatColumn =
        process.heartbeat ? processes.column(process.heartbeat->column) : nullptr;
    if (beatColumn) {
        const ColumnKind kind = kindOf(m_dialect.engine(), beatColumn->type);
        m_processBeat.time = *process.heartbeat;
        m_processBeat.clock = clockOf(*process.heartbeat, m_dialect.engine(), kind);
        m_processBeat.by = timeBy(m_dialect.engine(), kind, m_processBeat.clock);
        beat = storedText(m_dialect, *beatColumn);
        if (m_processBeat.by == TimeBy::Server && m_times == Times::AsStored)
            beatTime =
                timeExpression(m_dialect, kind, m_processBeat.clock, m_dialect.quoted(beatColumn->name));
    }
    const LockRowTable::Column* key = processes.column(process.key);
    m_process = static_cast<int>(m_expressions.size());
    for (const char* column :
        {"lockscope_key", "lockscope_host", "lockscope_process", "lockscope_beat", "lockscope_time"})
        m_expressions << m_dialect.quoted(QString::fromLatin1(column));
    m_processBeat.text = m_process + 3;
    m_processBeat.us = m_processBeat.by == TimeBy::Server && m_times == Times::AsStored ? m_process + 4 : -1;
    m_rows = static_cast<int>(m_expressions.size());
    m_statement = db::Statement::filled(path("frameworks/rows_of_processes").constData(),
        {{"parts"_L1, m_expressions.join(u", "_s)}, {"table"_L1, table}, {"held"_L1, held},
            {"processes"_L1, source(*m_table->processes, columnsRead(process))},
            {"key"_L1, m_dialect.quoted(key->name)}, {"process_of"_L1, quotedColumn(process.from)},
            {"host"_L1, text(process.host)}, {"process"_L1, text(process.processId)}, {"beat"_L1, beat},
            {"time"_L1, beatTime}, {"most"_L1, maximum}});
    m_shape = QStringList{m_expressions.join(u", "_s), held, m_dialect.quoted(key->name),
        quotedColumn(process.from), text(process.host), text(process.processId), beat, beatTime}
                  .join(u'\n');
}

/// Returns a time that needs its program's zone to be one in UTC.
std::optional<ZonelessTime> RowLocks::zonelessOf(const Time& time, const db::Row& row)
{
    if (time.text < 0 || row.isNull(time.text) || time.clock != FrameworkClock::Application)
        return std::nullopt;
    const auto us = timeFromText(row.text(time.text), time.clock);
    return us ? std::optional(*us + inMicroseconds(time.time.after)) : std::nullopt;
}

/// Returns whether one of them has digits that no program writes.
bool RowLocks::isFinerThanPrograms(const db::Row& row) const
{
    const auto limit = m_table->row().utcIfFinerThan;
    return limit && std::ranges::any_of(std::array{&m_since, &m_expires}, [&](const Time* time) {
        if (time->text < 0 || time->clock != FrameworkClock::Application)
            return false;
        const QString digits = row.text(time->text).section(u'.', 1, 1).left(6).leftJustified(6, u'0');
        return digits.toLongLong() % limit->count() != 0;
    });
}

/// A text or number that is no time is a fault of the row; NULL is none.
std::optional<qint64> RowLocks::microsecondsOf(
    const Time& time, const db::Row& row, QStringList& faults) const
{
    if (time.text < 0 || row.isNull(time.text) || time.clock == FrameworkClock::Application)
        return std::nullopt;
    const QString stored = row.text(time.text);
    std::optional<qint64> us;
    if (time.us >= 0) {
        if (!row.isNull(time.us) && row.int64(time.us) >= earliestUs && row.int64(time.us) <= latestUs)
            us = row.int64(time.us);
    } else if (time.by == TimeBy::Text) {
        us = timeFromText(stored, time.clock);
    }
    if (us) { // so that what is never over does not overflow
        const qint64 after = std::clamp<qint64>(inMicroseconds(time.time.after), 0, latestUs);
        return std::clamp(*us, earliestUs, latestUs - after) + after;
    }
    const QString what =
        m_table->isAttached && time.time.column == m_since.time.column ? u"the time"_s : time.time.column;
    const QString fault = u"%1 is '%2'"_s.arg(what, stored.left(maxQuoteLength));
    if (!faults.contains(fault))
        faults << fault;
    return std::nullopt;
}

QString RowLocks::nameOf(const db::Row& row, QStringList& faults) const
{
    const FrameworkLock& lock = *m_table->lock;
    if (lock.row.name.isEmpty())
        return lock.name;
    static const QRegularExpression place(u"\\{([^}]+)\\}"_s);
    QString name;
    qsizetype done = 0;
    bool any = false;
    for (auto found = place.globalMatch(lock.row.name); found.hasNext();) {
        const auto match = found.next();
        name += QStringView(lock.row.name).mid(done, match.capturedStart() - done);
        done = match.capturedEnd();
        const auto isIt = [&match](const QString& column) {
            return column.compare(match.captured(1), Qt::CaseInsensitive) == 0;
        };
        const auto column = std::ranges::find_if(m_texts, isIt);
        const int at = static_cast<int>(column - m_texts.begin());
        if (row.isNull(at) && m_table->isAttached)
            faults << u"the name is NULL"_s;
        any = any || !row.isNull(at);
        name += row.text(at);
    }
    name += QStringView(lock.row.name).mid(done);
    if (!any && !m_table->isAttached)
        return lock.name;
    return m_table->isAttached ? name : name.simplified().left(maxShownName);
}

void RowLocks::readProcess(const db::Row& row, RowLock& lock, QStringList& faults) const
{
    if (m_process < 0)
        return;
    HolderSigns& signs = lock.signs;
    signs.processTable = m_table->processes->display();
    signs.process = m_from >= 0 ? row.text(m_from) : QString();
    signs.isListed = !row.isNull(m_process);
    signs.namesHolder = true;
    if (!signs.isListed)
        return;
    if (signs.holderText.isNull())
        signs.holderText = signs.process;
    if (!row.isNull(m_process + 1))
        signs.holder.host = row.text(m_process + 1);
    if (!row.isNull(m_process + 2))
        signs.holder.processId = row.text(m_process + 2).toLongLong();
    if (const auto us = microsecondsOf(m_processBeat, row, faults); us && !signs.heartbeat)
        signs.heartbeat = ServerTime{*us};
}

/// The advisory keys that the holder's session would have.
void RowLocks::readKeys(const db::Row& row, HolderSigns& signs) const
{
    for (const HolderKey& key : m_table->lock->holderKeys) {
        const auto isIt = [&key](const QString& column) {
            return column.compare(key.column, Qt::CaseInsensitive) == 0;
        };
        const auto column = std::ranges::find_if(m_texts, isIt);
        const int at = static_cast<int>(column - m_texts.begin());
        if (column == m_texts.end() || row.isNull(at))
            continue;
        KeyNames names;
        names.name = row.text(at);
        if (const auto number = computeKey(key.number, names))
            signs.keys << *number;
    }
}

RowLock RowLocks::read(const db::Row& row) const
{
    RowLock lock;
    LockTableEntry& entry = lock.entry;
    HolderSigns& signs = lock.signs;
    QStringList faults;
    entry.table = m_table->shown;
    entry.name = nameOf(row, faults);
    entry.framework = m_match;
    entry.source = m_table->table.names;
    for (int i = 0; i < static_cast<int>(m_table->row().compare.size()); ++i)
        entry.stored << row.text(i);
    // A row without a time never gets stale; it is shown, and freed by hand.
    if (const auto us = microsecondsOf(m_since, row, faults))
        entry.acquiredAt = ServerTime{*us};
    const bool sameColumn = m_since.text >= 0 && m_since.text == m_expires.text;
    QStringList texts;
    if (const auto us = microsecondsOf(m_expires, row, sameColumn ? texts : faults))
        entry.expiresAt = ServerTime{*us};
    signs.expires = entry.expiresAt;
    signs.silence.byDefault = m_table->row().deadAfter;
    lock.zoneless = {.since = zonelessOf(m_since, row),
        .expires = zonelessOf(m_expires, row),
        .heartbeat = zonelessOf(m_heartbeat, row),
        .isOfDatabase = isFinerThanPrograms(row)};
    signs.keepsSession = m_table->row().keepsSession;
    if (const auto us = microsecondsOf(m_heartbeat, row, faults))
        signs.heartbeat = ServerTime{*us};
    for (const Time& time : m_mustBeToCome) {
        if (const auto us = microsecondsOf(time, row, texts))
            lock.mustBeToCome.push_back(ServerTime{*us});
        if (const auto zoneless = zonelessOf(time, row))
            lock.zoneless.mustBeToCome.push_back(*zoneless);
    }
    if (m_holder >= 0) {
        signs.namesHolder = true;
        signs.holderText = row.text(m_holder);
        signs.holder = m_pattern.partsOf(signs.holderText);
    }
    readProcess(row, lock, faults);
    readKeys(row, signs);
    if (!entry.acquiredAt.isValid() && signs.holder.since && signs.holder.since->us >= earliestUs
        && signs.holder.since->us <= latestUs)
        entry.acquiredAt = *signs.holder.since;
    if (entry.acquiredAt.isValid())
        signs.taken = PossibleTime{entry.acquiredAt, entry.acquiredAt};
    entry.holderText = signs.holderText;
    entry.heartbeat = signs.heartbeat;
    const HolderParts& holder = signs.holder;
    entry.party = {.owner = holder.owner,
        .host = holder.host.isEmpty() ? holder.address : holder.host,
        .program = holder.program,
        .processId = holder.processId,
        .session = SessionId{}};
    lock.rows = row.int64(m_rows);
    entry.badRow = faults.join(u", "_s);
    return lock;
}

} // namespace lockscope::frameworks
