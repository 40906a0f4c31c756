// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresThingNames.h"

#include "core/db/Connection.h"
#include "core/db/Statement.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <limits>
#include <vector>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxNumbers = 200; // of each kind, for one poll

/// The number of a table and of its database.
struct TableNumber {
    qint64 table = 0;
    qint64 database = 0;
};
std::optional<TableNumber> tableNumberOf(const LockedThing& thing)
{
    const auto number = [&thing](const QString& name) {
        bool isNumber = false;
        const qint64 value = thing.attribute(name).toLongLong(&isNumber);
        return isNumber && value > 0 && value <= std::numeric_limits<quint32>::max() ? value : 0;
    };
    const TableNumber found{number(u"relation"_s), number(u"database"_s)};
    return found.table == 0 || found.database == 0 ? std::nullopt : std::optional(found);
}

/// The key of an advisory lock with one 64-bit key, and its database: "[5,0,77,1]".
std::optional<std::pair<qint64, qint64>> advisoryKeyOf(const LockedThing& thing)
{
    static const QRegularExpression form(u"^\\[(\\d+),(\\d+),(\\d+),1\\]$"_s);
    const auto match = form.match(thing.attribute(u"key"));
    if (!match.hasMatch())
        return std::nullopt;
    const quint64 key = (match.captured(2).toULongLong() << 32U) | match.captured(3).toULongLong();
    return std::pair(qint64(key), match.captured(1).toLongLong());
}

/// Collects the numbers to be named, then has their names.
class NumberedThings {
public:
    void want(const LockedThing& thing)
    {
        if (const auto number = tableNumberOf(thing); number && m_tables.size() < maxNumbers) {
            m_tables.insert(number->table);
            m_databases.insert(number->database);
        } else if (const auto key = advisoryKeyOf(thing); key && m_keys.size() < maxNumbers) {
            m_keys.insert(key->first);
            m_databases.insert(key->second);
        }
    }

    Result<void> ask(db::Connection& connection, const std::stop_token& stop)
    {
        std::vector<db::BatchItem> items;
        const auto add = [&items](const char* statement, const QSet<qint64>& numbers, auto& names) {
            if (!numbers.isEmpty())
                items.push_back({&db::Statement::get(statement), {arrayOf(numbers)},
                    [&names](const db::Row& row) { names.insert(row.int64(0), row.text(1)); }});
        };
        QHash<qint64, QString> databases;
        add("postgres/names/databases", m_databases, databases);
        add("postgres/names/relations", m_tables, m_tableNames);
        add("postgres/names/app_locks", m_keys, m_keyNames);
        if (items.empty())
            return {};
        for (const auto& result : connection.executeBatch(items, stop))
            if (!result
                && (result.error().kind == ErrorKind::Connection
                    || result.error().kind == ErrorKind::Cancelled))
                return Failure(result.error());
        m_own = databases.key(connection.url().database, 0);
        return {};
    }

    void apply(LockedThing& thing) const
    {
        if (const auto number = tableNumberOf(thing); number && number->database == m_own) {
            const QString name = m_tableNames.value(number->table);
            if (name.isEmpty())
                return;
            thing.table = name;
            thing.named = true;
            thing.name.replace(u"table %1"_s.arg(number->table), name);
        } else if (const auto key = advisoryKeyOf(thing); key && key->second == m_own) {
            if (const QString name = m_keyNames.value(key->first); !name.isEmpty()) {
                thing.name = u"advisory lock “%1”"_s.arg(name);
                thing.named = true;
            }
        }
    }

private:
    static QString arrayOf(const QSet<qint64>& numbers)
    {
        QStringList texts;
        for (const qint64 number : numbers)
            texts << QString::number(number);
        return u"{%1}"_s.arg(texts.join(u','));
    }

    QSet<qint64> m_tables, m_databases, m_keys;
    QHash<qint64, QString> m_tableNames, m_keyNames;
    qint64 m_own = 0; ///< database of the connection; 0: not known
};

} // namespace

Result<void> nameThings(QList<ReportPtr>& reports, db::Connection& connection, const std::stop_token& stop)
{
    NumberedThings names;
    for (const ReportPtr& report : reports)
        for (const LockedThing& thing : report->resources)
            names.want(thing);
    if (const auto asked = names.ask(connection, stop); !asked)
        return asked;
    for (ReportPtr& report : reports) {
        auto named = std::make_shared<DeadlockReport>(*report);
        for (LockedThing& thing : named->resources)
            names.apply(thing);
        if (named->resources != report->resources)
            report = std::move(named);
    }
    return {};
}

} // namespace lockscope::deadlock
