// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"

#include "core/db/Connection.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

// The years 1 to 9999: differences of such times never overflow, and each can be written as a date.
constexpr qint64 earliestUs = -62'135'596'800'000'000;
constexpr qint64 latestUs = 253'402'300'799'999'999;
constexpr qsizetype maxQuoteLength = 60;

/// Reads one row and collects what is wrong with it.
class EntryRowReader {
public:
    EntryRowReader(Engine engine, const Row& row)
        : m_hasRawTimes(engine != Engine::SqlServer)
        , m_mayHoldAnything(columnsHoldAnything[engine])
        , m_row(row)
    {
    }

    void complain(const QString& what)
    {
        if (!m_faults.contains(what))
            m_faults << what;
    }
    QString faults() const { return m_faults.join(u", "_s); }

    /// A text of SQLite's may be bytes of any kind: column `bytes` has them as X'…', or is NULL if the value
    /// is no text at all. Such a text is shown as its bytes, so that different ones stay different.
    QString text(int column, const QString& called, int bytes)
    {
        const QString text = m_row.text(column);
        if (m_row.isNull(column))
            complain(u"%1 is NULL"_s.arg(called));
        if (m_row.isNull(column) || !m_mayHoldAnything)
            return text;
        const QString stored = m_row.text(bytes);
        if (!text.contains(QChar(0)) && stored == u"text X'"_s + toHex(text) + u'\'')
            return text;
        complain(stored.startsWith("text "_L1)
                ? u"%1 is not valid text"_s.arg(called)
                : u"%1 is %2 instead of text"_s.arg(called, firstWord(stored)));
        return stored.section(u' ', 1);
    }

    void checkName(const QString& name)
    {
        if (!m_row.isNull(0) && name.isEmpty())
            complain(u"the name is empty"_s);
        // The schema counts code points; a row that it let in is no bad one.
        if (name.size() > maxLockNameLength && name.toUcs4().size() > maxLockNameLength)
            complain(u"the name has more than %1 characters"_s.arg(maxLockNameLength));
    }

    /// `raw`: the column with the stored text, for a value that is no time.
    ServerTime time(int column, const QString& called, int raw)
    {
        return noteTime(column, called, raw) ? ServerTime{m_row.int64(column)} : ServerTime();
    }
    /// Returns the nearest time that can be represented: what never ends, ends in 9999.
    ServerTime end(int column, const QString& called, int raw)
    {
        noteTime(column, called, raw);
        return m_row.isNull(column) ? ServerTime{latestUs}
                                    : ServerTime{std::clamp(m_row.int64(column), earliestUs, latestUs)};
    }

    qint64 number(int column, const QString& called, std::optional<int> raw)
    {
        const QString stored = storedAs(column, m_mayHoldAnything ? raw : std::nullopt);
        if (!stored.isNull())
            complain(u"%1 is %2"_s.arg(called, stored));
        return stored.isNull() ? m_row.int64(column) : 0;
    }

    LockOwnerInfo party(int first, int rawProcess)
    {
        return {.owner = m_row.text(first),
            .host = m_row.text(first + 1),
            .program = m_row.text(first + 2),
            .processId = number(first + 3, u"process_id"_s, rawProcess),
            .session = SessionId{m_row.int64(first + 4)}};
    }

private:
    static QString toHex(const QString& text) { return QString::fromLatin1(text.toUtf8().toHex().toUpper()); }
    static QString firstWord(const QString& text) { return text.section(u' ', 0, 0); }

    /// A null string if it can be used as it is.
    QString storedAs(int column, std::optional<int> raw) const
    {
        if (raw && !m_row.isNull(*raw))
            return u""_s + m_row.text(*raw).left(maxQuoteLength);
        return m_row.isNull(column) ? u"NULL"_s : QString();
    }

    bool noteTime(int column, const QString& called, int raw)
    {
        QString stored = storedAs(column, m_hasRawTimes ? std::optional(raw) : std::nullopt);
        const qint64 us = m_row.int64(column);
        if (stored.isNull() && (us < earliestUs || us > latestUs))
            stored = QString::number(us);
        if (stored.isNull())
            return true;
        complain(u"%1 is %2"_s.arg(called, stored));
        return false;
    }

    const bool m_hasRawTimes; ///< SQL Server's times can't be but good
    const bool m_mayHoldAnything; ///< any column
    const Row& m_row;
    QStringList m_faults;
};

/// Shortens a token: its beginning differs from others', but can't release the lock as the whole can. The
/// servers give no more.
QString shortened(const QString& token)
{
    constexpr qsizetype shown = 4;
    const QString dots = u"..."_s;
    return token.size() <= shown || token.endsWith(dots) ? token : token.left(shown) + dots;
}

} // namespace

QString lockTableName(Engine engine)
{
    return engine == Engine::Sqlite ? u"lockscope_lock_entry"_s : u"lockscope.lock_entry"_s;
}

LockTableEntry entryFromRow(Engine engine, const Row& row)
{
    EntryRowReader reading(engine, row);
    LockTableEntry entry;
    entry.table = lockTableName(engine);
    entry.name = reading.text(0, u"the name"_s, 14);
    reading.checkName(entry.name);
    entry.token = shortened(reading.text(1, u"the token"_s, 15));
    entry.fencing = reading.number(2, u"fencing"_s, 12);
    entry.acquiredAt = reading.time(3, u"acquired_at"_s, 10);
    entry.expiresAt = reading.end(4, u"expires_at"_s, 11);
    entry.party = reading.party(5, 13);
    entry.badRow = reading.faults();
    return entry;
}

LockTableWaiter waiterFromRow(Engine engine, const Row& row)
{
    EntryRowReader reading(engine, row);
    LockTableWaiter waiter;
    waiter.table = lockTableName(engine);
    waiter.name = reading.text(0, u"the name"_s, 12);
    reading.checkName(waiter.name);
    waiter.ticket = reading.number(1, u"the ticket"_s, std::nullopt);
    waiter.registeredAt = reading.time(2, u"registered_at"_s, 9);
    waiter.expiresAt = reading.end(3, u"expires_at"_s, 10);
    waiter.party = reading.party(4, 11);
    waiter.badRow = reading.faults();
    return waiter;
}

Result<QList<TableColumns>> tablesWithColumns(Connection& connection, std::stop_token stop)
{
    QList<TableColumns> tables;
    LOCKSCOPE_TRY(connection.execute(
        schemaStatement(connection.dialect(), "names/table_columns"), {},
        [&tables](const Row& row) {
            const QString schema = row.text(0);
            const QString table = row.text(1);
            if (tables.isEmpty() || tables.last().schema != schema || tables.last().table != table)
                tables.append({.schema = schema, .table = table});
            const QString column = row.text(2);
            tables.last().columns << column;
            if (row.int64(3) != 0)
                tables.last().names << column;
            if (row.int64(4) != 0)
                tables.last().times << column;
            if (row.int64(5) != 0)
                tables.last().zoned << column;
        },
        std::move(stop)));
    tables.erase(std::remove_if(tables.begin(), tables.end(),
                     [](const TableColumns& one) { return one.names.isEmpty() || one.times.isEmpty(); }),
        tables.end());
    return tables;
}

} // namespace lockscope::db
