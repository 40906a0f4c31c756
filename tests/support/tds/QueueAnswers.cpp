// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/QueueAnswers.h"

#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>
#include <chrono>

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

QString textOf(qint64 us)
{
    return QDateTime::fromMSecsSinceEpoch(us / 1'000, Qt::UTC).toString(u"yyyy-MM-dd hh:mm:ss.zzz"_s)
        + u"%1"_s.arg(us % 1'000, 3, 10, QChar(u'0')) + u'0';
}

QString places(const Request& request, qsizetype place)
{
    return request.filledIn.value(place);
}

} // namespace

QueueAnswers::QueueAnswers(TdsServer& server)
    : m_server(server)
{
    server.onTransactionEnd(
        [this](Session& session, bool committed) { transactionEnded(session, committed); });
    answerTables();
    answerReaders();
}

void QueueAnswers::stampNow(Row& row, const Clock& clock)
{
    const qint64 now = nowUs();
    row.stampUs = now;
    row.stamp = clock == u"SYSUTCDATETIME()" ? textOf(now) : textOf(now + serversOffsetUs);
    if (clock == u"SYSDATETIMEOFFSET()")
        row.stamp += u" +09:00"_s;
}

void QueueAnswers::setDefault(const Table& table, Row& row)
{
    row.stampUs = table.hasDefault ? std::optional(usOf2001) : std::nullopt;
    row.stamp = table.hasDefault ? textOf(usOf2001) : QString();
}

void QueueAnswers::remember(const Request& request, const Place& place, Row& row)
{
    if (request.session->transactionCount == 0)
        return;
    m_changes.insert({request.session->id, {place, row}});
    row.session = request.session->id;
}

void QueueAnswers::transactionEnded(const Session& session, bool committed)
{
    const auto [first, last] = m_changes.equal_range(session.id);
    // Backwards: the oldest state of a row is put back last.
    for (auto change = std::make_reverse_iterator(last); change != std::make_reverse_iterator(first);
         ++change) {
        auto& rows = m_tables[change->second.table].rows;
        const auto row = rows.find(change->second.before.key);
        if (!committed)
            rows[change->second.before.key] = change->second.before;
        else if (row != rows.end())
            row->second.session = 0;
    }
    m_changes.erase(first, last);
}

// --- What a test does with a table ------------------------------------------------------------------------

void QueueAnswers::answerTables()
{
    const auto tableOf = [this](const Request& request) -> Table& {
        return m_tables[{request.session->database, places(request, 0)}];
    };
    m_server.answer("test/sqlserver/queue/schema", [](const Request&, Reply& reply) { reply.done(); });
    m_server.answer("test/sqlserver/queue/create", [tableOf](const Request& request, Reply& reply) {
        tableOf(request) = {places(request, 1), places(request, 2), places(request, 3),
            places(request, 5).contains(u"DEFAULT"), {}};
        reply.done();
    });
    m_server.answer("test/sqlserver/queue/add", [tableOf](const Request& request, Reply& reply) {
        Table& table = tableOf(request);
        Row row{request.parameter(0).toInt64(), request.parameter(1).toInt64(), request.parameter(2), {}, {}};
        setDefault(table, row);
        table.rows[row.key] = row;
        reply.affected(1);
    });
    m_server.answer("test/sqlserver/queue/age", [tableOf](const Request& request, Reply& reply) {
        Row& row = tableOf(request).rows[request.parameter(0).toInt64()];
        row.stampUs = row.stampUs.value_or(0) - request.parameter(1).toInt64() * 1'000'000;
        row.stamp = textOf(*row.stampUs);
        reply.affected(1);
    });
    m_server.answer("test/sqlserver/queue/count", [tableOf](const Request& request, Reply& reply) {
        reply.table({{u""_s, integer()}}, {{static_cast<qint64>(tableOf(request).rows.size())}});
    });
    // A stamp of another clock than the given one is hours away.
    m_server.answer("test/sqlserver/queue/fresh", [tableOf](const Request& request, Reply& reply) {
        Row now;
        stampNow(now, places(request, 2));
        const auto isFresh = [&now](const auto& known) {
            const QString format = u"yyyy-MM-dd hh:mm:ss"_s;
            const QString& stamp = known.second.stamp;
            return std::abs(QDateTime::fromString(stamp.left(19), format)
                                .secsTo(QDateTime::fromString(now.stamp.left(19), format)))
                < 60;
        };
        const auto count = std::ranges::count_if(tableOf(request).rows, isFresh);
        reply.table({{u""_s, integer()}}, {{static_cast<qint64>(count)}});
    });
}

// --- What a reader does -----------------------------------------------------------------------------------

void QueueAnswers::answerReaders()
{
    m_server.answer(
        "sqlserver/queue/take", [this](const Request& request, Reply& reply) { take(request, reply); });
    m_server.answer("sqlserver/queue/delete", [this](const Request& request, Reply& reply) {
        settle(request, reply, [](Table& table, Row& row) { table.rows.erase(row.key); });
    });
    m_server.answer("sqlserver/queue/move", [this](const Request& request, Reply& reply) {
        settle(request, reply, [&](Table& table, Row& row) {
            m_tables[{request.session->database, places(request, 1)}].rows[row.key] = row;
            table.rows.erase(row.key);
        });
    });
    m_server.answer("sqlserver/queue/give_back", [this](const Request& request, Reply& reply) {
        settle(request, reply, [](Table& table, Row& row) { setDefault(table, row); });
    });
}

/// The places of the text: declared, table, stamp, stamp, now, order, stamp, now, key, stamp, order and
/// columns, names.
void QueueAnswers::take(const Request& request, Reply& reply)
{
    const Place place{request.session->database, places(request, 1)};
    const auto found = m_tables.find(place);
    if (found == m_tables.end())
        return reply.error(208, u"Invalid object name '%1'."_s.arg(place.second));
    Table& table = found->second;
    const qint64 oldest = nowUs() - request.parameter(1).toInt64() * 1'000;
    std::vector<Row*> free;
    for (auto& [key, row] : table.rows)
        if ((row.session == 0 || row.session == request.session->id)
            && (!row.stampUs || *row.stampUs < oldest))
            free.push_back(&row);
    if (places(request, 5) == table.order)
        std::ranges::stable_sort(free, {}, &Row::order);
    const auto most = static_cast<size_t>(request.parameter(0).toInt64());
    if (free.size() > most)
        free.resize(most);

    static const QRegularExpression column(u"CAST\\(INSERTED\\.(.+?) AS nvarchar\\(MAX\\)\\)"_s);
    QStringList wanted;
    for (auto match = column.globalMatch(places(request, 11)); match.hasNext();)
        wanted << match.next().captured(1);
    std::vector<Column> columns{{u"row_key"_s, nvarchar(450)}, {u"row_stamp"_s, nvarchar(40)}};
    for (qsizetype i = 0; i < wanted.size(); ++i)
        columns.push_back({u"c%1"_s.arg(i), nvarchar()});
    reply.columns(columns);
    for (Row* row : free) {
        remember(request, place, *row);
        stampNow(*row, places(request, 4));
        Values values{QString::number(row->key), row->stamp};
        for (const QString& name : wanted) {
            if (name == table.key)
                values.emplace_back(QString::number(row->key));
            else if (name == table.order)
                values.emplace_back(QString::number(row->order));
            else
                values.push_back(row->body);
        }
        reply.row(values);
    }
}

/// The first place of the texts is the table.
void QueueAnswers::settle(
    const Request& request, Reply& reply, const std::function<void(Table&, Row&)>& change)
{
    const Place place{request.session->database, places(request, 0)};
    Table& table = m_tables[place];
    const auto found = table.rows.find(request.parameter(0).toText().toLongLong());
    const bool isTheirs = found != table.rows.end() && found->second.stamp == request.parameter(1).toText();
    if (isTheirs) {
        remember(request, place, found->second);
        change(table, found->second);
    }
    reply.affected(isTheirs ? 1 : 0);
}

} // namespace lockscope::test::tds
