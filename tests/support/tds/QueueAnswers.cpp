// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/QueueAnswers.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

constexpr qint64 serversOffsetUs = 9LL * 3'600 * 1'000'000; // it is in Tokyo
const qint64 usOf2001 = QDateTime({2001, 1, 1}, {0, 0}, Qt::UTC).toMSecsSinceEpoch() * 1'000;

qint64 nowUs()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

/// Returns the text that CONVERT with style 121 writes.
QString textOf(std::optional<qint64> us)
{
    if (!us)
        return {};
    return QDateTime::fromMSecsSinceEpoch(*us / 1'000, Qt::UTC).toString(u"yyyy-MM-dd hh:mm:ss.zzz"_s)
        + u"%1"_s.arg(*us % 1'000, 3, 10, QChar(u'0')) + u'0';
}

/// Returns the text of a clock's present time, for "SYSUTCDATETIME()" and the like.
QString stampOf(const QString& clock, qint64 now)
{
    return clock == u"SYSUTCDATETIME()"
        ? textOf(now)
        : textOf(now + serversOffsetUs) + (clock == u"SYSDATETIMEOFFSET()" ? u" +09:00"_s : u""_s);
}

/// The table that a place of the text names, in the session's database.
QString placeOf(const Request& request, qsizetype place = 0)
{
    return request.session->database + u'.' + request.filledIn.value(place);
}

} // namespace

QueueAnswers::QueueAnswers(TdsServer& server)
    : m_server(server)
{
    // `session`: whose open transaction has changed the row; `before`: what the row was before, its oldest
    // first.
    const QString columns = u"place, key, sorted, body, stamp_us, stamp"_s;
    query(u"CREATE TABLE queue (%1, session DEFAULT 0, UNIQUE (place, key))"_s.arg(columns));
    query(u"CREATE TABLE before (id INTEGER PRIMARY KEY, %1, session)"_s.arg(columns));
    server.onTransactionEnd(
        [this](Session& session, bool committed) { transactionEnded(session, committed); });
    answerTables();
    server.answer(
        "sqlserver/queue/take", [this](const Request& request, Reply& reply) { take(request, reply); });
    answerChange("sqlserver/queue/delete", u"DELETE FROM queue WHERE place = @1 AND key = @2"_s);
    answerChange("sqlserver/queue/move", u"UPDATE queue SET place = @3 WHERE place = @1 AND key = @2"_s);
    answerChange("sqlserver/queue/give_back",
        u"UPDATE queue SET stamp_us = @4, stamp = @5 WHERE place = @1 AND key = @2"_s);
}

std::vector<Values> QueueAnswers::query(const QString& sql, const Values& values)
{
    return m_tables.query(sql, {}, [&](const QString& name) {
        return Parameter{name, {}, values.at(name.mid(1).toUInt() - 1)};
    });
}

void QueueAnswers::transactionEnded(const Session& session, bool committed)
{
    if (!committed) {
        query(u"DELETE FROM queue WHERE session = @1"_s, {session.id});
        query(
            u"INSERT OR IGNORE INTO queue (place, key, sorted, body, stamp_us, stamp) SELECT place, key, sorted, body, stamp_us, stamp FROM before WHERE session = @1 ORDER BY id"_s,
            {session.id});
    }
    query(u"UPDATE queue SET session = 0 WHERE session = @1"_s, {session.id});
    query(u"DELETE FROM before WHERE session = @1"_s, {session.id});
}

// --- What a test does with a table ------------------------------------------------------------------------

void QueueAnswers::answerTables()
{
    const auto answerCount = [](Reply& reply, const std::vector<Values>& rows) {
        reply.table({{u""_s, integer()}}, rows);
    };
    m_server.answer("test/sqlserver/queue/schema", [](const Request&, Reply& reply) { reply.done(); });
    m_server.answer("test/sqlserver/queue/create", [this](const Request& request, Reply& reply) {
        const QStringList& names = request.filledIn;
        m_names[placeOf(request)] = {names.value(1), names.value(2),
            names.value(5).contains(u"DEFAULT") ? std::optional(usOf2001) : std::nullopt};
        query(u"DELETE FROM queue WHERE place = @1"_s, {placeOf(request)});
        reply.done();
    });
    m_server.answer("test/sqlserver/queue/add", [this](const Request& request, Reply& reply) {
        const auto stamp = m_names[placeOf(request)].stampUs;
        query(
            u"INSERT OR REPLACE INTO queue (place, key, sorted, body, stamp_us, stamp) VALUES (@1, @2, @3, @4, @5, @6)"_s,
            {placeOf(request), request.parameter(0), request.parameter(1), request.parameter(2), stamp,
                textOf(stamp)});
        reply.affected(1);
    });
    m_server.answer("test/sqlserver/queue/age", [this](const Request& request, Reply& reply) {
        const qint64 stamp = query(u"SELECT stamp_us FROM queue WHERE place = @1 AND key = @2"_s,
                                 {placeOf(request), request.parameter(0)})
                                 .at(0)
                                 .at(0)
                                 .toInt64()
            - request.parameter(1).toInt64() * 1'000'000;
        query(u"UPDATE queue SET stamp_us = @3, stamp = @4 WHERE place = @1 AND key = @2"_s,
            {placeOf(request), request.parameter(0), stamp, textOf(stamp)});
        reply.affected(1);
    });
    m_server.answer("test/sqlserver/queue/count", [this, answerCount](const Request& request, Reply& reply) {
        answerCount(reply, query(u"SELECT COUNT(*) FROM queue WHERE place = @1"_s, {placeOf(request)}));
    });
    // A stamp of another clock than the given one is hours away.
    m_server.answer("test/sqlserver/queue/fresh", [this, answerCount](const Request& request, Reply& reply) {
        answerCount(reply,
            query(
                u"SELECT COUNT(*) FROM queue WHERE place = @1 AND ABS(julianday(substr(stamp, 1, 19)) - julianday(substr(@2, 1, 19))) < 60.0 / 86400"_s,
                {placeOf(request), stampOf(request.filledIn.value(2), nowUs())}));
    });
}

// --- What a reader does -----------------------------------------------------------------------------------

/// The places of the text: declared, table, stamp, stamp, now, order, stamp, now, key, stamp, order and
/// columns, names.
void QueueAnswers::take(const Request& request, Reply& reply)
{
    const QString place = placeOf(request, 1);
    const auto names = m_names.find(place);
    if (names == m_names.end())
        return reply.error(208, u"Invalid object name '%1'."_s.arg(request.filledIn.value(1)));
    const qint64 now = nowUs();
    const bool isSorted = request.filledIn.value(5) == names->second.order;
    const Values values{place, request.session->id, now - request.parameter(1).toInt64() * 1'000,
        request.parameter(0), now, stampOf(request.filledIn.value(4), now)};
    const QString free =
        u"FROM queue WHERE place = @1 AND session IN (0, @2) AND (stamp_us IS NULL OR stamp_us < @3) ORDER BY %1 LIMIT @4"_s
            .arg(isSorted ? u"sorted"_s : u"key"_s);
    query(
        u"INSERT INTO before (place, key, sorted, body, stamp_us, stamp, session) SELECT place, key, sorted, body, stamp_us, stamp, @2 "_s
            + free,
        values);
    const auto taken = query(u"SELECT key, sorted, body "_s + free, values);
    query(u"UPDATE queue SET session = @2, stamp_us = @5, stamp = @6 WHERE rowid IN (SELECT rowid "_s + free
            + u')',
        values);
    if (request.session->transactionCount == 0)
        transactionEnded(*request.session, true);

    static const QRegularExpression column(u"CAST\\(INSERTED\\.(.+?) AS nvarchar\\(MAX\\)\\)"_s);
    std::vector<Column> columns{{u"row_key"_s, nvarchar(450)}, {u"row_stamp"_s, nvarchar(40)}};
    std::vector<size_t> places; // of those that were taken
    for (auto match = column.globalMatch(request.filledIn.value(11)); match.hasNext();) {
        const QString name = match.next().captured(1);
        columns.push_back({u"c%1"_s.arg(places.size()), nvarchar()});
        places.push_back(name == names->second.key ? 0 : name == names->second.order ? 1 : 2);
    }
    reply.columns(columns);
    for (const Values& row : taken) {
        Values answered{row[0].toText(), values[5]};
        for (const size_t each : places)
            answered.emplace_back(row[each].isNull() ? Value() : Value(row[each].toText()));
        reply.row(answered);
    }
}

/// The places of the texts: the table, for a move that where it goes to. @1 and @2 are the row, @3 is that
/// other table, @4 and @5 the stamp of a row that nobody took.
void QueueAnswers::answerChange(const char* path, const QString& change)
{
    m_server.answer(path, [this, change](const Request& request, Reply& reply) {
        const auto stamp = m_names[placeOf(request)].stampUs;
        const Values values{placeOf(request), request.parameter(0).toText().toLongLong(), placeOf(request, 1),
            stamp, textOf(stamp), request.parameter(1), request.session->id};
        const QString theirs = u" WHERE place = @1 AND key = @2 AND stamp = @6"_s;
        query(
            u"INSERT INTO before (place, key, sorted, body, stamp_us, stamp, session) SELECT place, key, sorted, body, stamp_us, stamp, @7 FROM queue"_s
                + theirs,
            values);
        query(u"UPDATE queue SET session = @7"_s + theirs, values);
        const qint64 changes = m_tables.changes();
        if (changes > 0)
            query(change, values);
        if (request.session->transactionCount == 0)
            transactionEnded(*request.session, true);
        reply.affected(changes);
    });
}

} // namespace lockscope::test::tds
