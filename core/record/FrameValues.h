// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/EnumTable.h"
#include "core/record/FrameFields.h"
#include "core/record/Texts.h"

#include <QByteArray>
#include <QHash>
#include <QtGlobal>

#include <optional>

namespace lockscope::record {

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

    // The last value of each enumeration that a frame has: others are damage.

    ByteReader& m_in;
    TextSource& m_texts;
    ServerTime m_at;
    Engine m_engine;
    qint64 m_characters = 0; ///< of statements that were put together: few bytes could make many
    QHash<quint64, FrameworkMatchPtr> m_matches;
};

} // namespace lockscope::record
