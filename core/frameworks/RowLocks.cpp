// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/RowLocks.h"

#include "core/db/SchemaFile.h"
#include "core/frameworks/StoredText.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestQuote = 60;
constexpr qsizetype longestName = 255;

qint64 inMicroseconds(milliseconds after)
{
    return std::chrono::microseconds(after).count();
}

} // namespace

bool RowLock::isHeld(ServerTime now) const
{
    return std::all_of(
        mustBeToCome.begin(), mustBeToCome.end(), [now](ServerTime time) { return time > now; });
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
    for (qsizetype i = 0; i < m_texts.size(); ++i) {
        if (m_texts[i].compare(column, Qt::CaseInsensitive) == 0)
            return static_cast<int>(i);
    }
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
    added.clock = clockOf(*time, m_dialect.engine());
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

/// As the column's type has it: true is 1 where truth values are numbers.
db::Param RowLocks::valueFor(const FrameworkValue& value, ColumnKind kind) const
{
    const bool asWord =
        kind == ColumnKind::Text || (kind == ColumnKind::Boolean && m_dialect.engine() == Engine::Postgres);
    if (const bool* truth = std::get_if<bool>(&value))
        return asWord ? db::Param(*truth ? u"true"_s : u"false"_s) : db::Param(qint64(*truth ? 1 : 0));
    if (const qint64* number = std::get_if<qint64>(&value)) {
        if (kind == ColumnKind::Boolean && m_dialect.engine() == Engine::Postgres)
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
    const FrameworkClock clock = clockOf(*condition.time, m_dialect.engine());
    const QString time =
        m_times == Times::AsStored ? comparableTime(m_dialect, kind, clock, column) : QString();
    if (time.isEmpty()) {
        // By some client's clock nobody can tell: such a row is shown.
        FrameworkTime end = *condition.time;
        end.column = condition.column;
        m_mustBeToCome.push_back(addTime(end));
        return sqlPart(m_dialect, "frameworks/is_not_null", {{"column"_L1, column}});
    }
    return sqlPart(m_dialect, "frameworks/is_future",
        {{"column"_L1, column}, {"time"_L1, time},
            {"value"_L1, marker(inMicroseconds(condition.time->after))}});
}

void RowLocks::addHeld()
{
    for (const FrameworkCondition& one : m_table->row().held)
        m_held << u'(' + condition(one) + u')';
    if (m_held.isEmpty())
        m_held << sqlPart(m_dialect, "frameworks/always", {});
}

void RowLocks::makeStatement()
{
    const LockRowTable& names = *m_table->table.names;
    const QString table = m_dialect.quoted(names.schema, names.table);
    const QString held = m_held.join(u" AND "_s);
    const auto path = [this](const char* name) { return db::schemaPath(m_dialect, name); };
    if (!m_table->processes) {
        m_rows = static_cast<int>(m_expressions.size());
        const QString columns = m_expressions.join(u", "_s);
        m_statement = db::Statement::filled(path("frameworks/rows").constData(),
            {{"parts"_L1, columns}, {"table"_L1, table}, {"held"_L1, held}, {"most"_L1, marker(m_limit)}});
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
        m_processBeat.clock = clockOf(*process.heartbeat, m_dialect.engine());
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
            {"processes"_L1, m_dialect.quoted(processes.schema, processes.table)},
            {"key"_L1, m_dialect.quoted(key->name)}, {"process_of"_L1, quotedColumn(process.from)},
            {"host"_L1, text(process.host)}, {"process"_L1, text(process.processId)}, {"beat"_L1, beat},
            {"time"_L1, beatTime}, {"most"_L1, marker(m_limit)}});
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
    const QString fault = u"%1 is '%2'"_s.arg(what, stored.left(longestQuote));
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
        const auto column = std::find_if(m_texts.begin(), m_texts.end(), isIt);
        const int at = static_cast<int>(column - m_texts.begin());
        if (row.isNull(at) && m_table->isAttached)
            faults << u"the name is NULL"_s;
        any = any || !row.isNull(at);
        name += row.text(at);
    }
    name += QStringView(lock.row.name).mid(done);
    if (!any && !m_table->isAttached)
        return lock.name;
    return m_table->isAttached ? name : name.simplified().left(longestName);
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
    if (signs.told.isNull())
        signs.told = signs.process;
    if (!row.isNull(m_process + 1))
        signs.holder.host = row.text(m_process + 1);
    if (!row.isNull(m_process + 2))
        signs.holder.processId = row.text(m_process + 2).toLongLong();
    if (const auto us = microsecondsOf(m_processBeat, row, faults); us && !signs.heartbeat)
        signs.heartbeat = ServerTime{*us};
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
    QStringList told;
    if (const auto us = microsecondsOf(m_expires, row, sameColumn ? told : faults))
        entry.expiresAt = ServerTime{*us};
    signs.expires = entry.expiresAt;
    signs.deadAfter = m_table->row().deadAfter;
    signs.keepsSession = m_table->row().keepsSession;
    if (const auto us = microsecondsOf(m_heartbeat, row, faults))
        signs.heartbeat = ServerTime{*us};
    for (const Time& time : m_mustBeToCome) {
        if (const auto us = microsecondsOf(time, row, told))
            lock.mustBeToCome.push_back(ServerTime{*us});
    }
    if (m_holder >= 0) {
        signs.namesHolder = true;
        signs.told = row.text(m_holder);
        signs.holder = m_pattern.partsOf(signs.told);
    }
    readProcess(row, lock, faults);
    if (!entry.acquiredAt.isValid() && signs.holder.since && signs.holder.since->us >= earliestUs
        && signs.holder.since->us <= latestUs)
        entry.acquiredAt = *signs.holder.since;
    entry.told = signs.told;
    entry.heartbeat = signs.heartbeat;
    const HolderParts& holder = signs.holder;
    entry.party = {holder.owner, holder.host.isEmpty() ? holder.address : holder.host, holder.program,
        holder.processId, SessionId{}};
    lock.rows = row.int64(m_rows);
    entry.badRow = faults.join(u", "_s);
    return lock;
}

} // namespace lockscope::frameworks
