// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresRow.h"
#include "core/monitor/postgres/PostgresRows.h"
#include "tests/counted/Work.h"

#include <QtEndian>

#include <cstring>
#include <memory>
#include <string>

namespace lockscope::instructions {

namespace {

// Numbers of types: PostgreSQL's sources, src/include/catalog/pg_type.dat.
enum : Oid {
    Bool = 16,
    Int2 = 21,
    Int4 = 23,
    Text = 25,
    Number = 26,
    TransactionId = 28,
    Inet = 869,
    Time = 1184
};
constexpr qint64 someTime = 848'545'200'000'000; // microseconds since 2000

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

/// An answer in binary form whose columns have these types.
Answer emptyAnswer(const std::vector<Oid>& types)
{
    Answer answer(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK));
    std::string name = "column";
    std::vector<PGresAttDesc> columns;
    for (const Oid type : types)
        columns.push_back({name.data(), 0, 0, 1, type, -1, -1});
    PQsetResultAttrs(answer.get(), static_cast<int>(columns.size()), columns.data());
    return answer;
}

/// Fills a row from the left.
class Filler {
public:
    Filler(PGresult* answer, int row)
        : m_answer(answer)
        , m_row(row)
    {
    }
    Filler& null() { return bytes(nullptr, -1); }
    Filler& text(const std::string& value) { return bytes(value.c_str(), static_cast<int>(value.size())); }
    template <class Integer> Filler& number(Integer value)
    {
        const Integer big = qToBigEndian(value);
        char raw[sizeof(big)];
        std::memcpy(raw, &big, sizeof(big));
        return bytes(raw, sizeof(big));
    }

private:
    Filler& bytes(const char* value, int size)
    {
        std::string copy(value ? value : "", value ? static_cast<size_t>(size) : 0);
        PQsetvalue(m_answer, m_row, m_column++, value ? copy.data() : nullptr, size);
        return *this;
    }

    PGresult* m_answer;
    int m_row;
    int m_column = 0;
};

/// Columns as postgres/monitor/locks has them.
Answer lockRows(int locks, int sessions)
{
    Answer answer = emptyAnswer({Text, Number, Number, Int4, Int2, Text, TransactionId, Number, Number, Int2,
        Text, Int4, Text, Bool, Time});
    for (int i = 0; i < locks; ++i) {
        const bool isAdvisory = i % 2 == 0;
        const bool waits = i % 10 == 9;
        const qint32 session = 1'000 + i % sessions;
        Filler row(answer.get(), i);
        row.text(isAdvisory ? "advisory" : "relation").number<quint32>(16'384);
        if (isAdvisory)
            row.null().null().null().null().null().number<quint32>(0).number<quint32>(i / 2).number<qint16>(
                1);
        else
            row.number<quint32>(20'000 + i / 2 % 500).null().null().null().null().null().null().null();
        row.text(std::to_string(session) + "/7").number(session);
        row.text(waits ? "ExclusiveLock" : "RowExclusiveLock").number<quint8>(waits ? 0 : 1);
        if (waits)
            row.number(someTime + i);
        else
            row.null();
    }
    return answer;
}

/// Columns as postgres/monitor/sessions has them.
Answer sessionRows(int sessions)
{
    Answer answer = emptyAnswer({Int4, Time, Text, Number, Number, Text, Text, Inet, Int4, Text, Text, Text,
        Time, Time, Time, Int4, Text, Text, TransactionId, TransactionId});
    for (int i = 0; i < sessions; ++i)
        Filler(answer.get(), i)
            .number<qint32>(1'000 + i)
            .number(someTime)
            .text("idle in transaction")
            .number<quint32>(10)
            .number<quint32>(16'384)
            .text("checkout " + std::to_string(i % 20))
            .null()
            .text(std::string("\2\40\0\4\12\0\0\1", 8))
            .number<qint32>(50'000 + i)
            .text("UPDATE orders SET paid = true WHERE id = " + std::to_string(i))
            .text("Client")
            .text("ClientRead")
            .number(someTime)
            .number(someTime)
            .number(someTime)
            .null()
            .null()
            .null()
            .number<quint32>(700 + i)
            .number<quint32>(690);
    return answer;
}

template <class Take> void eachRow(const Answer& answer, Take take)
{
    db::RepeatedTexts repeated;
    for (int row = 0; row < PQntuples(answer.get()); ++row)
        take(db::PostgresRow(answer.get(), row, repeated));
}

} // namespace

void decodePoll(int locks)
{
    constexpr int sessions = 500;
    const Answer lockAnswer = lockRows(locks, sessions);
    const Answer sessionAnswer = sessionRows(sessions);
    monitor::FirstSeen firstSeen;
    monitor::PostgresNames names(16'384);
    Snapshot snapshot;
    countedWork([&] {
        monitor::PostgresLockRows rows;
        eachRow(lockAnswer, [&rows](const db::Row& row) { rows.add(row); });
        eachRow(sessionAnswer, [&snapshot](const db::Row& row) {
            snapshot.sessions.push_back(monitor::PostgresSession::fromRow(row, true, {}).session);
        });
        snapshot.takenAt = {snapshot.sessions.front().started.us + 60'000'000};
        snapshot.index();
        monitor::addRequests(snapshot, rows, firstSeen, names, {});
    });
    if (snapshot.requests.size() != static_cast<size_t>(locks))
        qFatal("%zu of %d locks were decoded", snapshot.requests.size(), locks);
}

} // namespace lockscope::instructions
