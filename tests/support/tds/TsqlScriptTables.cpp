// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The statements of scripts on tables: SELECT, INSERT, UPDATE, DELETE, and their triggers.

#include "tests/support/tds/TsqlScript.h"
#include "tests/support/tds/TsqlTypes.h"

#include <QScopeGuard>

#include <utility>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

void Script::runSelect(TokenSpan code)
{
    const bool hasTop = code[1].is(u"TOP");
    const size_t first = hasTop ? afterBracket(code, 2) : 1;
    const bool assigns =
        code[first].text.startsWith(u'@') && first + 1 < code.size() && code[first + 1].is(u"=");
    if (!assigns) {
        const Translation statement = translate(code, m_frame->types);
        const auto columns = resultColumns(statement);
        const auto rows = query(statement.statement, columns);
        m_reply.table(columns, rows);
        m_host.around.rowCount = static_cast<qint64>(rows.size());
        return;
    }
    const size_t end = findWord(code, first, {u"FROM", u"WHERE"});
    Tokens plain(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(first));
    QStringList names;
    for (const TokenSpan part : partedByCommas(code.subspan(first, end - first))) {
        if (!names.isEmpty())
            plain.push_back({Token::Sign, u","_s});
        names << part[0].text;
        plain.insert(plain.end(), part.begin() + 2, part.end());
    }
    plain.insert(plain.end(), code.begin() + static_cast<std::ptrdiff_t>(end), code.end());
    const auto rows = query(translate(plain, m_frame->types).statement);
    for (size_t i = 0; !rows.empty() && i < static_cast<size_t>(names.size()); ++i)
        assign(names[static_cast<qsizetype>(i)], rows.back()[i]);
    m_host.around.rowCount = static_cast<qint64>(rows.size());
}

void Script::keepRows(const QString& as, const QString& table, const QString& condition)
{
    query(u"DROP TABLE IF EXISTS temp.%1%2"_s.arg(as).arg(m_level + 1));
    query(u"CREATE TEMP TABLE %1%2 AS SELECT rowid AS place, * FROM %3 %4"_s.arg(as)
              .arg(m_level + 1)
              .arg(table, condition));
}

/// INSERT INTO, UPDATE, DELETE FROM a table, and its trigger.
void Script::runChange(TokenSpan code)
{
    const QString verb = code[0].text.toUpper();
    const size_t place = verb == u"UPDATE" ? 1 : 2;
    const QString table = code[place].text + u'.' + code[place + 2].text;
    const Routine* const trigger = m_triggered == table ? nullptr : OwnSchema::get().trigger(table, verb);
    const QString statement = translate(code, m_frame->types).statement;
    qint64 changes = 0;
    if (!trigger) {
        query(statement);
        changes = m_tables.changes();
    } else {
        const bool isAlone = m_depth == 0; // a trigger has a transaction
        if (isAlone)
            beginTransaction();
        try {
            const size_t where = verb == u"INSERT" ? code.size() : findWord(code, 0, {u"WHERE"});
            const QString condition =
                verb == u"INSERT" ? u"WHERE 0"_s : translate(code.subspan(where), m_frame->types).statement;
            m_host.around.updatedColumn = verb == u"UPDATE" ? code[place + 4].text : QString();
            keepRows(u"deleted"_s, table, condition);
            changes = changeAndTrigger(*trigger, table, verb, statement);
        } catch (const SqlError&) {
            if (isAlone && m_depth > 0)
                endTransaction(false);
            throw;
        }
        if (isAlone)
            endTransaction(true);
    }
    m_host.around.rowCount = changes;
    if (m_countsRows)
        m_reply.affected(changes);
}

qint64 Script::changeAndTrigger(
    const Routine& trigger, const QString& table, const QString& verb, QString statement)
{
    if (trigger.isInstead) {
        keepRows(u"inserted"_s, table, u"WHERE 0"_s);
        const QString written = QString(table).replace(u"."_s, u" . "_s);
        statement.replace(statement.indexOf(written), written.size(), u"temp.inserted%1"_s.arg(m_level + 1));
    }
    const qint64 last = query(u"SELECT IFNULL(MAX(rowid), 0) FROM "_s + table).at(0).at(0).toInt64();
    query(statement);
    const qint64 changes = m_tables.changes();
    if (!trigger.isInstead)
        keepRows(u"inserted"_s, table,
            verb == u"INSERT" ? u"WHERE rowid > %1"_s.arg(last)
                              : u"WHERE rowid IN (SELECT place FROM temp.deleted%1)"_s.arg(m_level + 1));
    const QString outer = std::exchange(m_triggered, table);
    ++m_level;
    const auto leave = qScopeGuard([&] {
        m_triggered = outer;
        --m_level;
    });
    call(trigger, {}, nullptr);
    if (m_depth == 0)
        throw SqlError{{3609, u"The transaction ended in the trigger. The batch has been aborted."_s}};
    return changes;
}

} // namespace lockscope::test::tds::tsql
