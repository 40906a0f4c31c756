// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/record/FrameCodec.h"

#include <QByteArray>
#include <QHash>
#include <QtGlobal>

#include <optional>
#include <tuple>
#include <type_traits>

namespace lockscope::record {

// The fields of all that a frame of a recording has, in the order in which they are written. A new field goes
// to the end of its list: bits of a mask say which fields are there, so that older frames lack the last ones.
// A field that is added to one of the structures, except Snapshot, and not here does not compile.

/// Marks a text as a statement.
template <class Text> struct StatementField {
    Text& text;
    bool operator==(const StatementField& other) const
    {
        return text == other.text && text.isNull() == other.text.isNull();
    }
};

/// Marks a lock mode, which is written as its name.
template <class Mode> struct ModeField {
    Mode& mode;
    bool operator==(const ModeField& other) const { return mode == other.mode; }
};

template <class Text> StatementField<Text> asStatement(Text& text)
{
    return {text};
}
template <class Mode> ModeField<Mode> asMode(Mode& mode)
{
    return {mode};
}

template <class T, class Plain>
concept Like = std::is_same_v<std::remove_const_t<T>, Plain>;

namespace counting {
struct Anything {
    template <class T> operator T() const; // NOLINT(google-explicit-constructor)
};
template <class T, class... Fields> constexpr size_t count()
{
    if constexpr (requires { T{Fields{}..., Anything{}}; })
        return count<T, Fields..., Anything>();
    else
        return sizeof...(Fields);
}
} // namespace counting
/// The number of fields of an aggregate.
template <class T> inline constexpr size_t fieldCount = counting::count<T>();

auto fieldsOf(Like<Session> auto& s)
{
    static_assert(fieldCount<Session> == 34 && fieldCount<SessionWork> == 4);
    return std::make_tuple(std::ref(s.id.value), std::ref(s.started), std::ref(s.startedAhead),
        std::ref(s.state), std::ref(s.user), std::ref(s.database), std::ref(s.program), std::ref(s.host),
        asStatement(s.statement), std::ref(s.statementVisible), std::ref(s.waitEvent), std::ref(s.stateSince),
        std::ref(s.transactionStarted), std::ref(s.statementStarted), std::ref(s.leader.value),
        std::ref(s.percentDone), std::ref(s.timeLeft), std::ref(s.unitOfWork), std::ref(s.workSinceLogin.cpu),
        std::ref(s.workSinceLogin.logicalReads), std::ref(s.workSinceLogin.reads),
        std::ref(s.workSinceLogin.writes), std::ref(s.workOfStatement.cpu),
        std::ref(s.workOfStatement.logicalReads), std::ref(s.workOfStatement.reads),
        std::ref(s.workOfStatement.writes), std::ref(s.openTransactions), std::ref(s.memoryGrant),
        std::ref(s.logUsed), std::ref(s.transactionId), std::ref(s.snapshotAge), std::ref(s.isolation),
        std::ref(s.address), std::ref(s.waitResource), asStatement(s.inputBuffer), std::ref(s.own),
        std::ref(s.system), std::ref(s.clientProcess), std::ref(s.waitedUntil), std::ref(s.waitedFor));
}

auto fieldsOf(Like<Resource> auto& r)
{
    static_assert(fieldCount<Resource> == 6 && fieldCount<ResourceKey> == 5);
    return std::make_tuple(std::ref(r.key.kind), std::ref(r.key.database), std::ref(r.key.entity),
        std::ref(r.key.part), std::ref(r.key.text), std::ref(r.database), std::ref(r.name), std::ref(r.named),
        std::ref(r.internal), std::ref(r.framework));
}

auto fieldsOf(Like<LockRequest> auto& r)
{
    static_assert(fieldCount<LockRequest> == 10);
    return std::make_tuple(std::ref(r.session.value), std::ref(r.sessionStarted), std::ref(r.resource),
        asMode(r.mode), std::ref(r.state), std::ref(r.owner), std::ref(r.count), std::ref(r.ordinal),
        std::ref(r.since), std::ref(r.sinceExact));
}

auto fieldsOf(Like<WaitEdge> auto& e)
{
    static_assert(fieldCount<WaitEdge> == 4);
    return std::make_tuple(
        std::ref(e.waiter.value), std::ref(e.blocker.value), std::ref(e.resource), std::ref(e.kind));
}

/// The place of a framework's row is left out: it is needed to act, and nobody acts on the past.
auto fieldsOf(Like<LockTableEntry> auto& e)
{
    static_assert(fieldCount<LockTableEntry> == 15 && fieldCount<LockOwnerInfo> == 5);
    return std::make_tuple(std::ref(e.table), std::ref(e.name), std::ref(e.token), std::ref(e.fencing),
        std::ref(e.acquiredAt), std::ref(e.expiresAt), std::ref(e.party.owner), std::ref(e.party.host),
        std::ref(e.party.program), std::ref(e.party.processId), std::ref(e.party.session.value),
        std::ref(e.framework), std::ref(e.stored), std::ref(e.holderText), std::ref(e.heartbeat),
        std::ref(e.holderLife.verdict), std::ref(e.holderLife.evidence), std::ref(e.badRow),
        std::ref(e.holderLife.overturnedBy), std::ref(e.dependsOnZone));
}

auto fieldsOf(Like<LockTableWaiter> auto& w)
{
    static_assert(fieldCount<LockTableWaiter> == 7);
    return std::make_tuple(std::ref(w.table), std::ref(w.name), std::ref(w.ticket), std::ref(w.registeredAt),
        std::ref(w.expiresAt), std::ref(w.party.owner), std::ref(w.party.host), std::ref(w.party.program),
        std::ref(w.party.processId), std::ref(w.party.session.value), std::ref(w.badRow));
}

auto fieldsOf(Like<Limitation> auto& l)
{
    static_assert(fieldCount<Limitation> == 6);
    return std::make_tuple(std::ref(l.kind), std::ref(l.what), std::ref(l.remedy), std::ref(l.shown),
        std::ref(l.total), std::ref(l.hidesLocks));
}

auto fieldsOf(Like<UnreadTable> auto& t)
{
    static_assert(fieldCount<UnreadTable> == 6);
    return std::make_tuple(std::ref(t.framework), std::ref(t.schema), std::ref(t.table), std::ref(t.owner),
        std::ref(t.reason), std::ref(t.canBeApproved));
}

/// The fields of the snapshot itself, without its lists, takenAt, isPooled and cost.waited: nobody asks for
/// those of the past.
auto fieldsOf(Like<Snapshot> auto& s)
{
    static_assert(fieldCount<PollCost> == 7);
    return std::make_tuple(std::ref(s.engine), std::ref(s.server), std::ref(s.serverVersion),
        std::ref(s.number), std::ref(s.cost.roundTrip), std::ref(s.cost.server), std::ref(s.cost.client),
        std::ref(s.cost.roundTrips), std::ref(s.cost.rows), std::ref(s.cost.visited),
        std::ref(s.frameworkRows));
}

/// Writes numbers as variable-length bytes, seven bits each, the lowest first.
class ByteWriter {
public:
    void number(quint64 value);
    void signedNumber(qint64 value); ///< small absolute values take few bytes
    void real(double value); ///< eight bytes, little endian
    void bytes(const QByteArray& bytes); ///< with their number before them
    const QByteArray& bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

/// Reads what ByteWriter wrote, or anything else: what is wrong or short makes failed() true and all further
/// numbers 0. Must not outlive the bytes.
class ByteReader {
public:
    explicit ByteReader(const QByteArray& bytes)
        : m_at(bytes.constData())
        , m_end(bytes.constData() + bytes.size())
    {
    }

    quint64 number();
    qint64 signedNumber();
    double real();
    QByteArray bytes();
    /// Returns number(), but fails if it is more than `maximum`.
    quint64 numberUpTo(quint64 maximum);
    void fail() { m_failed = true; }
    bool failed() const { return m_failed; }
    bool atEnd() const { return m_at == m_end; }

private:
    const char* m_at;
    const char* m_end;
    bool m_failed = false;
};

/// Writes the values of fields. Times are written as differences to that of the frame.
class ValueWriter {
public:
    ValueWriter(ByteWriter& out, TextNumbers& texts, ServerTime at)
        : m_out(out)
        , m_texts(texts)
        , m_at(at)
    {
    }

    template <class T>
    requires std::is_enum_v<T>
    void write(T value) { m_out.number(static_cast<quint64>(value)); }
    template <class T>
    requires std::is_integral_v<T>
    void write(T value)
    {
        if constexpr (std::is_signed_v<T>)
            m_out.signedNumber(value);
        else
            m_out.number(value);
    }
    void write(double value) { m_out.real(value); }
    void write(ServerTime time)
    {
        m_out.signedNumber(
            static_cast<qint64>(static_cast<quint64>(time.us) - static_cast<quint64>(m_at.us)));
    }
    template <class Rep, class Period> void write(std::chrono::duration<Rep, Period> value)
    {
        m_out.signedNumber(value.count());
    }
    template <class T> void write(const std::optional<T>& value)
    {
        m_out.number(value ? 1 : 0);
        if (value)
            write(*value);
    }
    void write(const QString& text) { m_out.number(m_texts.numberOf(text)); }
    void write(const QStringList& texts);
    void write(const FrameworkMatchPtr& match);
    template <class Text> void write(StatementField<Text> field) { writeStatement(field.text); }
    template <class Mode> void write(ModeField<Mode> field) { m_out.number(numberOf(field.mode)); }

private:
    quint64 numberOf(const LockMode& mode);
    void writeStatement(const QString& statement);

    ByteWriter& m_out;
    TextNumbers& m_texts;
    ServerTime m_at;
    QHash<int, quint64> m_modes; // by strength: the same for all of one engine
    QHash<const FrameworkMatch*, quint64> m_matches;
};

/// Reads what ValueWriter wrote; what is wrong makes the reader fail.
class ValueReader {
public:
    ValueReader(ByteReader& in, TextSource& texts, ServerTime at, Engine engine)
        : m_in(in)
        , m_texts(texts)
        , m_at(at)
        , m_engine(engine)
    {
    }
    void setEngine(Engine engine) { m_engine = engine; }

    template <class T>
    requires std::is_enum_v<T>
    void read(T& value) { value = static_cast<T>(m_in.numberUpTo(enumeratorCount<T> - 1)); }
    template <class T>
    requires std::is_integral_v<T>
    void read(T& value)
    {
        if constexpr (std::is_same_v<T, bool>) {
            value = m_in.numberUpTo(1) != 0;
        } else if constexpr (std::is_signed_v<T>) {
            const qint64 number = m_in.signedNumber();
            value = static_cast<T>(number);
            if (value != number)
                m_in.fail();
        } else {
            value = static_cast<T>(m_in.numberUpTo(std::numeric_limits<T>::max()));
        }
    }
    void read(double& value) { value = m_in.real(); }
    void read(ServerTime& time)
    {
        time.us =
            static_cast<qint64>(static_cast<quint64>(m_in.signedNumber()) + static_cast<quint64>(m_at.us));
    }
    template <class Rep, class Period> void read(std::chrono::duration<Rep, Period>& value)
    {
        value = std::chrono::duration<Rep, Period>(m_in.signedNumber());
    }
    template <class T> void read(std::optional<T>& value)
    {
        value.reset();
        if (m_in.numberUpTo(1) != 0)
            read(value.emplace());
    }
    void read(QString& text);
    void read(QStringList& texts);
    void read(FrameworkMatchPtr& match);
    template <class Text> void read(StatementField<Text> field) { readStatement(field.text); }
    template <class Mode> void read(ModeField<Mode> field)
    {
        QString name;
        read(name);
        field.mode = LockMode::fromText(m_engine, name);
    }

private:
    void readText(quint64 number, QString& text);
    void readStatement(QString& statement);

    ByteReader& m_in;
    TextSource& m_texts;
    ServerTime m_at;
    Engine m_engine;
    qint64 m_characters = 0; ///< of statements that were put together: few bytes could make many
    QHash<quint64, FrameworkMatchPtr> m_matches;
};

} // namespace lockscope::record
