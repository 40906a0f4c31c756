// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameCodec.h"

#include "core/domain/SnapshotComparison.h"
#include "core/domain/SqlLexer.h"
#include "core/record/Damage.h"
#include "core/record/FrameValues.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr quint64 codecVersion = 1;
constexpr quint64 maxRows = 1'000'000; // of one list
constexpr quint32 noNumber = 0xffff'ffff;

enum class RunKind : quint8 { Copied, Changed, New, Expected };
constexpr int runBits = 2;

/// The places that the rows of a list come from.
struct Origin {
    std::vector<qint64> from; ///< by new position: position in the list before, −1 if new
    std::vector<bool> same; ///< as it was
    std::vector<bool> expected{}; ///< follows from the rows before it in its list; empty: no row does

    RunKind kind(size_t at) const
    {
        if (!expected.empty() && expected[at])
            return RunKind::Expected;
        return from[at] < 0 ? RunKind::New : (same[at] ? RunKind::Copied : RunKind::Changed);
    }
    /// Returns the length of the run of rows from there on that were there before.
    size_t copiedFrom(size_t at) const
    {
        size_t end = at;
        while (end < from.size() && same[end] && from[end] == from[at] + static_cast<qint64>(end - at))
            ++end;
        return end - at;
    }
};

bool comesFromBefore(quint64 kind)
{
    return kind == static_cast<quint64>(RunKind::Copied) || kind == static_cast<quint64>(RunKind::Changed);
}
bool hasFields(quint64 kind)
{
    return kind == static_cast<quint64>(RunKind::Changed) || kind == static_cast<quint64>(RunKind::New);
}

/// For a list whose rows never follow from those before them.
struct NothingExpected {
    template <class Row> void note(const Row& /*row*/) { }
    template <class Row> bool next(Row& /*row*/) const { return false; }
};

Origin originOf(const RowDiff& diff, size_t rows)
{
    Origin origin{std::vector<qint64>(rows, -1), std::vector<bool>(rows, false)};
    for (const auto& [was, is] : diff.kept) {
        origin.from[is] = was;
        origin.same[is] = true;
    }
    for (const auto& [was, is] : diff.changed)
        origin.from[is] = was;
    return origin;
}

// Null strings mean something else than empty ones: NULL in a table.
template <class T> bool isUnchanged(const T& was, const T& now)
{
    return was == now;
}
bool isUnchanged(const QString& was, const QString& now)
{
    return was == now && was.isNull() == now.isNull();
}
bool isUnchanged(const QStringList& was, const QStringList& now)
{
    return std::equal(was.begin(), was.end(), now.begin(), now.end(),
        [](const QString& a, const QString& b) { return isUnchanged(a, b); });
}
template <class Row> bool isUnchangedRow(const Row& was, const Row& now)
{
    const auto a = fieldsOf(was);
    const auto b = fieldsOf(now);
    return [&]<size_t... I>(std::index_sequence<I...>)
    {
        return (isUnchanged(std::get<I>(a), std::get<I>(b)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(a)>>());
}

template <class Row, class KeyOf>
Origin originOf(const std::vector<Row>& before, const std::vector<Row>& after, KeyOf keyOf)
{
    return originOf(diffRows(before, after, keyOf, isUnchangedRow<Row>), after.size());
}

/// Returns the present place of each earlier resource's row; noNumber: none.
std::vector<quint32> movesOf(const Origin& origin, size_t before)
{
    std::vector<quint32> moves(before, noNumber);
    for (size_t at = 0; at < origin.from.size(); ++at) {
        if (origin.from[at] >= 0)
            moves[static_cast<size_t>(origin.from[at])] = static_cast<quint32>(at);
    }
    return moves;
}

template <class Tuple, class Each, size_t... I>
void forEach(const Tuple& a, const Tuple& b, Each each, std::index_sequence<I...> /*all*/)
{
    (each(I, std::get<I>(a), std::get<I>(b)), ...);
}

/// The fields of `now` that differ from `was`: a mask, then their values.
template <class Row> void writeFields(ByteWriter& out, ValueWriter& values, const Row& was, const Row& now)
{
    const auto a = fieldsOf(was);
    const auto b = fieldsOf(now);
    constexpr auto all = std::make_index_sequence<std::tuple_size_v<decltype(a)>>();
    quint64 mask = 0;
    forEach(
        a, b,
        [&mask](size_t i, const auto& x, const auto& y) {
            if (!isUnchanged(x, y))
                mask |= quint64(1) << i;
        },
        all);
    out.number(mask);
    forEach(
        a, b,
        [&values, mask](size_t i, const auto&, const auto& y) {
            if (mask >> i & 1)
                values.write(y);
        },
        all);
}

template <class Row> void readFields(ByteReader& in, ValueReader& values, Row& row)
{
    const auto fields = fieldsOf(row);
    constexpr size_t count = std::tuple_size_v<std::remove_const_t<decltype(fields)>>;
    static_assert(count <= 64);
    const quint64 mask = in.number();
    if constexpr (count < 64) {
        if (mask >> count != 0)
            in.fail(); // of a newer program
    }
    [&]<size_t... I>(std::index_sequence<I...>)
    {
        ((mask >> I & 1 && !in.failed() ? values.read(std::get<I>(fields)) : void()), ...);
    }
    (std::make_index_sequence<count>());
}

/// `was(position)` is the row before in the numbers of the new frame.
template <class Row, class Was>
void writeList(
    ByteWriter& out, ValueWriter& values, const std::vector<Row>& after, const Origin& origin, Was was)
{
    out.number(after.size());
    qint64 expected = 0;
    for (size_t at = 0; at < after.size();) {
        const RunKind run = origin.kind(at);
        const auto kind = static_cast<quint64>(run);
        const size_t begin = at;
        const qint64 from = origin.from[at];
        while (at < after.size() && origin.kind(at) == run
            && (!comesFromBefore(kind) || origin.from[at] == from + static_cast<qint64>(at - begin)))
            ++at;
        out.number((at - begin) << runBits | kind);
        if (comesFromBefore(kind)) {
            out.signedNumber(from - expected);
            expected = from + static_cast<qint64>(at - begin);
        }
        for (size_t i = begin; i < at && hasFields(kind); ++i) {
            const Row old = run == RunKind::New ? Row{} : was(static_cast<size_t>(origin.from[i]));
            writeFields(out, values, old, after[i]);
        }
    }
}

/// `was(position)` as for writeList; `moved(from, to)` is called for every row that was there before;
/// `expectation` for every row, and it returns those that follow from them.
template <class Row, class Was, class Moved, class Expectation = NothingExpected>
void readList(ByteReader& in, ValueReader& values, size_t before, std::vector<Row>& after, Was was,
    Moved moved, Expectation expectation = {})
{
    const quint64 rows = in.numberUpTo(maxRows);
    std::vector<bool> taken(before, false); // a row comes from one row: few bytes don't make many rows
    qint64 expected = 0;
    while (after.size() < rows && !in.failed()) {
        const quint64 tag = in.number();
        const quint64 count = tag >> runBits;
        const quint64 kind = tag & ((1 << runBits) - 1);
        if (count == 0 || count > rows - after.size()) {
            in.fail();
            return;
        }
        quint64 from = 0;
        if (comesFromBefore(kind)) {
            from = static_cast<quint64>(expected) + static_cast<quint64>(in.signedNumber());
            if (in.failed() || from > before || count > before - from) {
                in.fail();
                return;
            }
            expected = static_cast<qint64>(from + count);
        }
        for (quint64 i = 0; i < count && !in.failed(); ++i) {
            if (!comesFromBefore(kind)) {
                Row row{};
                if (kind == static_cast<quint64>(RunKind::Expected) && !expectation.next(row))
                    in.fail();
                after.push_back(std::move(row));
            } else {
                if (taken[from + i]) {
                    in.fail();
                    return;
                }
                taken[from + i] = true;
                after.push_back(was(from + i));
                moved(from + i, after.size() - 1);
            }
            if (hasFields(kind))
                readFields(in, values, after.back());
            expectation.note(after.back());
        }
    }
}

Origin originOfRequests(const Snapshot& before, const Snapshot& after, const std::vector<quint32>& moves)
{
    std::vector<RequestRow> old;
    old.reserve(before.requests.size());
    for (const LockRequest& request : before.requests)
        old.push_back({&request, moves[request.resource]});
    std::vector<RequestRow> now;
    now.reserve(after.requests.size());
    for (const LockRequest& request : after.requests)
        now.push_back({&request, request.resource});
    return originOf(diffRequests(old, now), after.requests.size());
}

struct WaitRow {
    qint64 waiter;
    qint64 blocker;
    quint32 resource;
    WaitEdge::Kind kind;

    bool operator==(const WaitRow&) const = default;
    friend size_t qHash(const WaitRow& row, size_t seed) noexcept
    {
        return qHashMulti(seed, row.waiter, row.blocker, row.resource, static_cast<quint8>(row.kind));
    }
};

/// Predicts the next edge where a queue is listed: a session behind a waiter waits for the session that this
/// one waits for, and for the first of the waiters.
class NextWait {
public:
    explicit NextWait(const std::vector<LockRequest>& requests)
    {
        QHash<quint32, SessionId> last;
        for (const LockRequest& request : requests) {
            if (!request.isWaiting())
                continue;
            if (const auto ahead = last.constFind(request.resource); ahead != last.cend())
                m_behind.insert({request.resource, *ahead}, request.session);
            last.insert(request.resource, request.session);
        }
    }

    void note(const WaitEdge& edge)
    {
        if (m_edges.empty() || m_edges.front().waiter != edge.waiter
            || m_edges.front().resource != edge.resource) {
            const bool isBehind = !m_edges.empty() && m_edges.front().resource == edge.resource;
            m_ahead = isBehind ? std::move(m_edges) : std::vector<WaitEdge>();
            m_edges.clear();
            m_at = 0;
            m_namedAhead = false;
        }
        if (!m_ahead.empty() && edge.blocker == m_ahead.front().waiter)
            m_namedAhead = true;
        else if (m_at < m_ahead.size() && edge.blocker == m_ahead[m_at].blocker)
            ++m_at;
        m_edges.push_back(edge);
    }

    bool next(WaitEdge& edge) const
    {
        if (m_edges.empty())
            return false;
        edge = m_edges.front();
        const bool hasMore = m_at < m_ahead.size();
        if (hasMore && (m_namedAhead || m_ahead[m_at].kind == WaitEdge::Kind::Holder)) {
            edge.blocker = m_ahead[m_at].blocker;
            edge.kind = m_ahead[m_at].kind;
        } else if (!m_ahead.empty() && !m_namedAhead) {
            edge.blocker = m_ahead.front().waiter;
            edge.kind = WaitEdge::Kind::Queue;
        } else { // all are listed: the next waiter
            const auto behind = m_behind.constFind({edge.resource, edge.waiter});
            if (behind == m_behind.cend())
                return false;
            if (edge.kind == WaitEdge::Kind::Queue)
                edge.blocker = edge.waiter;
            edge.waiter = *behind;
        }
        return true;
    }

private:
    QHash<std::pair<quint32, SessionId>, SessionId> m_behind;
    std::vector<WaitEdge> m_ahead; ///< those of the waiter before, if it waits for the same
    std::vector<WaitEdge> m_edges; ///< those of this waiter so far
    size_t m_at = 0; ///< of m_ahead: listed until here
    bool m_namedAhead = false; ///< that it waits for the waiter before
};

/// Writes a run of edges that follow from others where it is longer than one of edges that were there.
void expectEdges(Origin& origin, const Snapshot& snapshot)
{
    if (origin.copiedFrom(0) == snapshot.waits.size())
        return;
    NextWait expectation(snapshot.requests);
    origin.expected.resize(snapshot.waits.size());
    for (size_t at = 0; at < snapshot.waits.size(); ++at) {
        WaitEdge edge{};
        origin.expected[at] = expectation.next(edge) && edge == snapshot.waits[at];
        expectation.note(snapshot.waits[at]);
    }
    for (size_t at = 0; at < snapshot.waits.size();) {
        const auto begin = origin.expected.begin() + static_cast<qsizetype>(at);
        const auto follow = static_cast<size_t>(std::find(begin, origin.expected.end(), false) - begin);
        const size_t copied = origin.from[at] < 0 ? 0 : origin.copiedFrom(at);
        if (copied >= follow)
            std::fill_n(begin, copied, false);
        at += std::max({copied, follow, size_t(1)});
    }
}

Origin originOfWaits(const Snapshot& before, const Snapshot& after, const std::vector<quint32>& moves)
{
    const auto rowsOf = [](const std::vector<WaitEdge>& edges, auto resourceOf) {
        std::vector<WaitRow> rows;
        rows.reserve(edges.size());
        for (const WaitEdge& edge : edges)
            rows.push_back({edge.waiter.value, edge.blocker.value, resourceOf(edge.resource), edge.kind});
        return rows;
    };
    Origin origin =
        originOf(diffRows(rowsOf(before.waits, [&moves](quint32 resource) { return moves[resource]; }),
                     rowsOf(after.waits, [](quint32 resource) { return resource; }),
                     [](const WaitRow& row) { return row; }),
            after.waits.size());
    expectEdges(origin, after);
    return origin;
}

template <class Row> auto rowsAsTheyWere(const std::vector<Row>& rows)
{
    return [&rows](size_t at) -> const Row& { return rows[at]; };
}

/// Rows that name a resource, with its new number.
template <class Row> auto rowsAtNewResources(const std::vector<Row>& rows, const std::vector<quint32>& moves)
{
    return [&rows, &moves](size_t at) {
        Row row = rows[at];
        row.resource = moves[row.resource];
        return row;
    };
}

bool namesResources(const Snapshot& snapshot)
{
    const auto there = [count = snapshot.resources.size()](const auto& row) { return row.resource < count; };
    return std::all_of(snapshot.requests.begin(), snapshot.requests.end(), there)
        && std::all_of(snapshot.waits.begin(), snapshot.waits.end(), there);
}

Failure unreadableFrame()
{
    return damaged(u"A snapshot of the recording can't be read: it is damaged."_s);
}

const auto entryKey = [](const LockTableEntry& entry) { return LockTableKey{entry.table, entry.name}; };
const auto waiterKey = [](const LockTableWaiter& waiter) { return std::pair(waiter.table, waiter.ticket); };
const auto limitationKey = [](const Limitation& limitation) {
    return std::pair(static_cast<quint8>(limitation.kind), limitation.what);
};
const auto unreadKey = [](const UnreadTable& table) { return std::pair(table.schema, table.table); };
const auto nowhere = [](size_t, size_t) {};

/// The origins of all rows.
struct Origins {
    Origin resources;
    std::vector<quint32> moves; ///< of the resources
    Origin requests;
    Origin entries;
    Origin entryWaiters;

    Origins(const Snapshot& before, const Snapshot& after)
        : resources(originOf(before.resources, after.resources, [](const Resource& r) { return r.key; }))
        , moves(movesOf(resources, before.resources.size()))
        , requests(originOfRequests(before, after, moves))
        , entries(originOf(before.entries, after.entries, entryKey))
        , entryWaiters(originOf(before.entryWaiters, after.entryWaiters, waiterKey))
    {
    }
    RowOrigins rows() &&
    {
        return {std::move(requests.from), std::move(entries.from), std::move(entryWaiters.from)};
    }
};

} // namespace

RowOrigins originsOf(const Snapshot& before, const Snapshot& after)
{
    return Origins(before, after).rows();
}

QByteArray encodeFrame(const Snapshot& before, const Snapshot& after, TextNumbers& texts, RowOrigins* origins)
{
    ByteWriter out;
    out.number(codecVersion);
    out.signedNumber(after.takenAt.us);
    ValueWriter values(out, texts, after.takenAt);
    writeFields(out, values, before, after);

    Origins rows(before, after);
    writeList(out, values, after.resources, rows.resources, rowsAsTheyWere(before.resources));
    writeList(out, values, after.sessions,
        originOf(before.sessions, after.sessions, [](const Session& s) { return s.key(); }),
        rowsAsTheyWere(before.sessions));
    writeList(out, values, after.requests, rows.requests, rowsAtNewResources(before.requests, rows.moves));
    writeList(out, values, after.waits, originOfWaits(before, after, rows.moves),
        rowsAtNewResources(before.waits, rows.moves));
    writeList(out, values, after.entries, rows.entries, rowsAsTheyWere(before.entries));
    writeList(out, values, after.entryWaiters, rows.entryWaiters, rowsAsTheyWere(before.entryWaiters));
    writeList(out, values, after.limitations, originOf(before.limitations, after.limitations, limitationKey),
        rowsAsTheyWere(before.limitations));
    writeList(out, values, after.unreadTables, originOf(before.unreadTables, after.unreadTables, unreadKey),
        rowsAsTheyWere(before.unreadTables));
    if (origins)
        *origins = std::move(rows).rows();
    return out.bytes();
}

Result<SnapshotPtr> decodeFrame(const Snapshot& before, const QByteArray& frame, TextSource& texts)
{
    ByteReader in(frame);
    if (in.number() != codecVersion)
        return unreadableFrame();
    auto after = std::make_shared<Snapshot>();
    after->takenAt.us = in.signedNumber();
    ValueReader values(in, texts, after->takenAt, before.engine);
    const auto head = [](auto& to, const auto& from) {
        to.engine = from.engine;
        to.server = from.server;
        to.serverVersion = from.serverVersion;
        to.number = from.number;
        to.cost = from.cost;
        to.frameworkRows = from.frameworkRows;
    };
    head(*after, before);
    readFields(in, values, *after);
    values.setEngine(after->engine);

    std::vector<quint32> moves(before.resources.size(), noNumber);
    readList(in, values, before.resources.size(), after->resources, rowsAsTheyWere(before.resources),
        [&moves](size_t from, size_t to) { moves[from] = static_cast<quint32>(to); });
    readList(in, values, before.sessions.size(), after->sessions, rowsAsTheyWere(before.sessions), nowhere);
    readList(in, values, before.requests.size(), after->requests, rowsAtNewResources(before.requests, moves),
        nowhere);
    readList(in, values, before.waits.size(), after->waits, rowsAtNewResources(before.waits, moves), nowhere,
        NextWait(after->requests));
    readList(in, values, before.entries.size(), after->entries, rowsAsTheyWere(before.entries), nowhere);
    readList(in, values, before.entryWaiters.size(), after->entryWaiters, rowsAsTheyWere(before.entryWaiters),
        nowhere);
    readList(in, values, before.limitations.size(), after->limitations, rowsAsTheyWere(before.limitations),
        nowhere);
    readList(in, values, before.unreadTables.size(), after->unreadTables, rowsAsTheyWere(before.unreadTables),
        nowhere);
    if (in.failed() || !in.atEnd() || !namesResources(*after))
        return unreadableFrame();
    after->index();
    return SnapshotPtr(std::move(after));
}

namespace {

constexpr QChar valueMark(0x02); // stands for a value
constexpr QChar betweenValues(0x1f);

bool isMark(QChar c)
{
    return c == valueMark || c == betweenValues;
}

bool isValue(SqlToken::Kind kind)
{
    return kind == SqlToken::Kind::Text || kind == SqlToken::Kind::Number || kind == SqlToken::Kind::Comment
        || kind == SqlToken::Kind::Unclear;
}

} // namespace

std::optional<StatementParts> StatementParts::of(const QString& statement, Engine engine)
{
    if (std::any_of(statement.cbegin(), statement.cend(), isMark))
        return std::nullopt;
    StatementParts parts;
    for (SqlLexer lexer(statement, engine); !lexer.atEnd();) {
        const SqlToken token = lexer.next();
        if (!isValue(token.kind)) {
            parts.family += token.text;
            continue;
        }
        parts.family += valueMark;
        parts.values << token.text.toString();
    }
    return parts.values.isEmpty() ? std::nullopt : std::optional(parts);
}

std::optional<QString> StatementParts::together() const
{
    const QStringList pieces = family.split(valueMark);
    if (pieces.size() != values.size() + 1)
        return std::nullopt;
    QString statement = pieces.front();
    for (qsizetype i = 0; i < values.size(); ++i)
        statement += values[i] + pieces[i + 1];
    return statement;
}

QString StatementParts::valueText() const
{
    return values.join(betweenValues);
}

QStringList StatementParts::valuesOf(const QString& valueText)
{
    return valueText.split(betweenValues);
}

QString shownFamily(QString family)
{
    return family.replace(valueMark, u'?');
}

} // namespace lockscope::record
