// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Types.h"

#include <QTimeZone>

#include <cmath>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

// The data types by their bytes on the wire ([MS-TDS] 2.2.5.4).
enum TypeToken : quint8 {
    NullToken = 0x1F,
    ImageToken = 0x22,
    TextToken = 0x23,
    GuidToken = 0x24,
    OldVarBinaryToken = 0x25,
    IntNToken = 0x26,
    OldVarCharToken = 0x27,
    DateToken = 0x28,
    TimeToken = 0x29,
    DateTime2Token = 0x2A,
    DateTimeOffsetToken = 0x2B,
    OldBinaryToken = 0x2D,
    OldCharToken = 0x2F,
    Int1Token = 0x30,
    BitToken = 0x32,
    Int2Token = 0x34,
    Int4Token = 0x38,
    DateTime4Token = 0x3A,
    RealToken = 0x3B,
    MoneyToken = 0x3C,
    DateTimeToken = 0x3D,
    FloatToken = 0x3E,
    VariantToken = 0x62,
    NTextToken = 0x63,
    BitNToken = 0x68,
    DecimalToken = 0x6A,
    NumericToken = 0x6C,
    FloatNToken = 0x6D,
    MoneyNToken = 0x6E,
    DateTimeNToken = 0x6F,
    Money4Token = 0x7A,
    Int8Token = 0x7F,
    VarBinaryToken = 0xA5,
    VarCharToken = 0xA7,
    BinaryToken = 0xAD,
    CharToken = 0xAF,
    NVarCharToken = 0xE7,
    NCharToken = 0xEF,
};
constexpr quint16 maxSize = 0xFFFF; // of a (max) type; also the length of a NULL of two length bytes
constexpr quint64 nullChunks = ~quint64(0);

const QDate firstDay(1, 1, 1); // of datetime2
const QDate dateTimeEpoch(1900, 1, 1);

int timeBytes(int scale)
{
    return scale < 3 ? 3 : scale < 5 ? 4 : 5;
}

/// Seconds since midnight in units of 10^-scale.
QTime timeFrom(quint64 units, int scale)
{
    const double ms = static_cast<double>(units) * std::pow(10.0, 3 - scale);
    return QTime::fromMSecsSinceStartOfDay(static_cast<int>(ms));
}

quint64 readLittle(const QByteArray& bytes)
{
    quint64 value = 0;
    for (qsizetype i = bytes.size(); i-- > 0;)
        value = value << 8 | static_cast<quint8>(bytes[i]);
    return value;
}

void writeLittle(ByteWriter& writer, quint64 value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        writer.byte(static_cast<int>(value >> (8 * i) & 0xFF));
}

QByteArray utf16(const QString& text)
{
    ByteWriter writer;
    writer.text(text);
    return writer.release();
}

/// Sized bytes of (n) types, chunks of (max) types.
void writeBytes(ByteWriter& writer, int size, const Value& value, const QByteArray& bytes)
{
    if (size == Type::max) {
        if (value.isNull()) {
            writer.little(nullChunks);
            return;
        }
        writer.little(static_cast<quint64>(bytes.size()));
        if (!bytes.isEmpty()) {
            writer.little(static_cast<quint32>(bytes.size()));
            writer.append(bytes);
        }
        writer.little(quint32(0));
    } else if (value.isNull()) {
        writer.little(maxSize);
    } else {
        const QByteArray kept = bytes.left(size);
        writer.little(static_cast<quint16>(kept.size()));
        writer.append(kept);
    }
}

std::optional<QByteArray> readChunks(ByteReader& reader)
{
    if (reader.little<quint64>() == nullChunks)
        return std::nullopt;
    QByteArray bytes;
    while (const auto size = reader.little<quint32>()) {
        bytes += reader.take(size);
        if (!reader.ok())
            break;
    }
    return bytes;
}

QString textOf(TypeToken token, const QByteArray& bytes)
{
    if (token == NVarCharToken || token == NCharToken || token == NTextToken)
        return ByteReader(bytes).text(bytes.size() / 2);
    return bytes.isEmpty() ? u""_s : QString::fromLatin1(bytes);
}

Value integerOf(const QByteArray& bytes)
{
    switch (bytes.size()) {
    case 1:
        return static_cast<quint8>(bytes[0]);
    case 2:
        return qFromLittleEndian<qint16>(bytes.constData());
    case 4:
        return qFromLittleEndian<qint32>(bytes.constData());
    case 8:
        return qFromLittleEndian<qint64>(bytes.constData());
    default:
        return {};
    }
}

Type integerType(int bytes)
{
    return bytes == 1 ? tinyint() : bytes == 2 ? smallint() : bytes == 4 ? integer() : bigint();
}

Value dateTimeOf(const QByteArray& bytes)
{
    ByteReader reader(bytes);
    if (bytes.size() == 4) {
        const int days = reader.little<quint16>();
        const QTime time = QTime(0, 0).addSecs(60 * reader.little<quint16>());
        return QDateTime(dateTimeEpoch.addDays(days), time, Qt::UTC);
    }
    if (bytes.size() != 8)
        return {};
    const int days = reader.little<qint32>();
    const quint64 thirds = reader.little<quint32>(); // of 10 ms
    return QDateTime(dateTimeEpoch.addDays(days),
        QTime::fromMSecsSinceStartOfDay(static_cast<int>((thirds * 10 + 1) / 3)), Qt::UTC);
}

Value moneyOf(const QByteArray& bytes)
{
    ByteReader reader(bytes);
    if (bytes.size() == 4)
        return reader.little<qint32>() / 10'000.0;
    if (bytes.size() != 8)
        return {};
    const qint64 high = reader.little<qint32>();
    const qint64 low = reader.little<quint32>();
    return static_cast<double>(high * 0x1'0000'0000 + low) / 10'000.0;
}

Value realOf(const QByteArray& bytes)
{
    ByteReader reader(bytes);
    return bytes.size() == 4 ? Value(reader.real32()) : bytes.size() == 8 ? Value(reader.real64()) : Value();
}

/// The first three parts are numbers, low byte first.
QUuid uuidOf(const QByteArray& bytes)
{
    ByteReader reader(bytes);
    QUuid uuid;
    uuid.data1 = reader.little<quint32>();
    uuid.data2 = reader.little<quint16>();
    uuid.data3 = reader.little<quint16>();
    for (uchar& byte : uuid.data4)
        byte = reader.byte();
    return uuid;
}

void writeUuid(ByteWriter& writer, const QUuid& uuid)
{
    writer.little(static_cast<quint32>(uuid.data1));
    writer.little(uuid.data2);
    writer.little(uuid.data3);
    for (const uchar byte : uuid.data4)
        writer.byte(byte);
}

Value decimalOf(const QByteArray& bytes, int scale)
{
    if (bytes.isEmpty())
        return {};
    const auto magnitude = static_cast<double>(readLittle(bytes.mid(1, 8)));
    return (bytes[0] == 0 ? -magnitude : magnitude) / std::pow(10.0, scale);
}

/// The value after one byte of length: everything that is at most 255 bytes long.
Value shortValue(TypeToken token, int scale, const QByteArray& bytes)
{
    switch (token) {
    case IntNToken:
        return integerOf(bytes);
    case BitNToken:
        return bytes.isEmpty() ? Value() : Value(bytes[0] != 0);
    case FloatNToken:
        return realOf(bytes);
    case MoneyNToken:
        return moneyOf(bytes);
    case DecimalToken:
    case NumericToken:
        return decimalOf(bytes, scale);
    case DateTimeNToken:
        return dateTimeOf(bytes);
    case GuidToken:
        return bytes.size() == 16 ? Value(uuidOf(bytes)) : Value();
    case DateToken:
        return bytes.isEmpty()
            ? Value()
            : Value(QDateTime(firstDay.addDays(static_cast<qint64>(readLittle(bytes))), {}, Qt::UTC));
    case DateTime2Token:
    case DateTimeOffsetToken: {
        if (bytes.isEmpty())
            return {};
        const int length = timeBytes(scale);
        return QDateTime(firstDay.addDays(static_cast<qint64>(readLittle(bytes.mid(length, 3)))),
            timeFrom(readLittle(bytes.left(length)), scale), Qt::UTC);
    }
    default:
        return {};
    }
}

Parameter readSized(ByteReader& reader, TypeToken token)
{
    Parameter parameter;
    const auto size = reader.little<quint16>();
    const bool isText = token != VarBinaryToken && token != BinaryToken;
    if (isText)
        reader.skip(5); // the collation
    std::optional<QByteArray> bytes;
    if (size == maxSize) {
        bytes = readChunks(reader);
    } else if (const auto length = reader.little<quint16>(); length != maxSize) {
        bytes = reader.take(length);
    }
    const int bytesPerUnit = token == NVarCharToken || token == NCharToken ? 2 : 1;
    parameter.type = {
        isText ? Type::NVarChar : Type::VarBinary, size == maxSize ? Type::max : size / bytesPerUnit};
    if (bytes)
        parameter.value = isText ? Value(textOf(token, *bytes)) : Value(*bytes);
    return parameter;
}

Parameter readLong(ByteReader& reader, TypeToken token)
{
    Parameter parameter;
    reader.skip(4); // the greatest length
    const bool isText = token != ImageToken && token != VariantToken;
    if (isText)
        reader.skip(5);
    parameter.type = isText ? nvarchar() : varbinary();
    const auto length = reader.little<quint32>();
    if (length != ~quint32(0) && !(token == VariantToken && length == 0)) {
        const QByteArray bytes = reader.take(length);
        parameter.value = isText ? Value(textOf(token, bytes)) : Value(bytes);
    }
    return parameter;
}

} // namespace

qint64 Value::toInt64() const
{
    if (const auto* integer = std::get_if<qint64>(&m_value))
        return *integer;
    if (const auto* boolean = std::get_if<bool>(&m_value))
        return *boolean ? 1 : 0;
    if (const auto* number = std::get_if<double>(&m_value))
        return static_cast<qint64>(*number);
    if (const auto* text = std::get_if<QString>(&m_value))
        return text->toLongLong();
    return 0;
}

double Value::toDouble() const
{
    if (const auto* number = std::get_if<double>(&m_value))
        return *number;
    if (const auto* text = std::get_if<QString>(&m_value))
        return text->toDouble();
    return static_cast<double>(toInt64());
}

QString Value::toText() const
{
    if (const auto* text = std::get_if<QString>(&m_value))
        return *text;
    if (const auto* number = std::get_if<double>(&m_value))
        return QString::number(*number);
    if (const auto* uuid = std::get_if<QUuid>(&m_value))
        return uuid->toString(QUuid::WithoutBraces).toUpper();
    if (const auto* dateTime = std::get_if<QDateTime>(&m_value))
        return dateTime->toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s);
    if (const auto* bytes = std::get_if<QByteArray>(&m_value))
        return u"0x"_s + QString::fromLatin1(bytes->toHex().toUpper());
    return isNull() ? QString() : QString::number(toInt64());
}

QByteArray Value::toBytes() const
{
    const auto* bytes = std::get_if<QByteArray>(&m_value);
    return bytes ? *bytes : QByteArray();
}

QUuid Value::toUuid() const
{
    const auto* uuid = std::get_if<QUuid>(&m_value);
    return uuid ? *uuid : QUuid::fromString(toText());
}

QDateTime Value::toDateTime() const
{
    const auto* dateTime = std::get_if<QDateTime>(&m_value);
    return dateTime ? dateTime->toUTC() : QDateTime();
}

QByteArray collation()
{
    return QByteArray::fromHex("0904d00034");
}

static TypeToken sizedToken(Type::Kind kind)
{
    switch (kind) {
    case Type::Char:
        return CharToken;
    case Type::VarChar:
        return VarCharToken;
    case Type::NChar:
        return NCharToken;
    case Type::Binary:
        return BinaryToken;
    case Type::VarBinary:
        return VarBinaryToken;
    default:
        return NVarCharToken;
    }
}

static int bytesOf(Type type)
{
    const bool isWide = type.kind == Type::NChar || type.kind == Type::NVarChar;
    return type.size == Type::max ? Type::max : isWide ? 2 * type.size : type.size;
}

/// A type of fixed length is filled up with blanks.
static QByteArray textBytes(Type type, const QString& text)
{
    const bool isFixed = type.kind == Type::Char || type.kind == Type::NChar;
    const QString whole = isFixed ? text.leftJustified(type.size) : text;
    return type.kind == Type::NChar || type.kind == Type::NVarChar ? utf16(whole) : whole.toLatin1();
}

void writeTypeInfo(ByteWriter& writer, Type type)
{
    const auto sized = [&](TypeToken token, int bytes) {
        writer.byte(token);
        writer.byte(bytes);
    };
    switch (type.kind) {
    case Type::TinyInt:
        return sized(IntNToken, 1);
    case Type::SmallInt:
        return sized(IntNToken, 2);
    case Type::Int:
    case Type::Variant:
    case Type::Untyped:
        return sized(IntNToken, 4);
    case Type::BigInt:
        return sized(IntNToken, 8);
    case Type::Bit:
        return sized(BitNToken, 1);
    case Type::Real:
        return sized(FloatNToken, 4);
    case Type::Float:
    case Type::Decimal:
        return sized(FloatNToken, 8);
    case Type::UniqueIdentifier:
        return sized(GuidToken, 16);
    case Type::DateTime:
        return sized(DateTimeNToken, 8);
    case Type::DateTime2:
        return sized(DateTime2Token, type.size);
    case Type::Char:
    case Type::VarChar:
    case Type::NChar:
    case Type::NVarChar:
    case Type::Binary:
    case Type::VarBinary:
        writer.byte(sizedToken(type.kind));
        writer.little(type.size == Type::max ? maxSize : static_cast<quint16>(bytesOf(type)));
        if (type.isText())
            writer.append(collation());
        return;
    }
}

void writeValue(ByteWriter& writer, Type type, const Value& value)
{
    if (type.isText())
        return writeBytes(writer, bytesOf(type), value, textBytes(type, value.toText()));
    if (type.isBinary())
        return writeBytes(writer, bytesOf(type), value, value.toBytes());
    if (value.isNull() || type.kind == Type::Untyped)
        return writer.byte(0);
    const auto integer = [&](int bytes) {
        writer.byte(bytes);
        writeLittle(writer, static_cast<quint64>(value.toInt64()), bytes);
    };
    switch (type.kind) {
    case Type::TinyInt:
        return integer(1);
    case Type::SmallInt:
        return integer(2);
    case Type::Int:
        return integer(4);
    case Type::BigInt:
        return integer(8);
    case Type::Bit:
        writer.byte(1);
        return writer.byte(value.toBool() ? 1 : 0);
    case Type::Real:
        writer.byte(4);
        return writer.real32(value.toDouble());
    case Type::Float:
    case Type::Decimal:
        writer.byte(8);
        return writer.real64(value.toDouble());
    case Type::UniqueIdentifier:
        writer.byte(16);
        return writeUuid(writer, value.toUuid());
    case Type::DateTime: {
        const QDateTime dateTime = value.toDateTime();
        writer.byte(8);
        writer.little(static_cast<qint32>(dateTimeEpoch.daysTo(dateTime.date())));
        return writer.little(static_cast<quint32>(std::lround(dateTime.time().msecsSinceStartOfDay() * 0.3)));
    }
    case Type::DateTime2: {
        const QDateTime dateTime = value.toDateTime();
        const int length = timeBytes(type.size);
        writer.byte(length + 3);
        writeLittle(writer,
            static_cast<quint64>(dateTime.time().msecsSinceStartOfDay() * std::pow(10.0, type.size - 3)),
            length);
        return writeLittle(writer, static_cast<quint64>(firstDay.daysTo(dateTime.date())), 3);
    }
    default:
        return;
    }
}

namespace {

/// Reads a value whose type has only one length; nullopt: the type is another one.
std::optional<Parameter> readFixed(ByteReader& reader, TypeToken token)
{
    const auto fixed = [&reader](Type type, int bytes, auto&& convert) {
        return Parameter{.type = type, .value = convert(reader.take(bytes))};
    };
    switch (token) {
    case NullToken:
        return Parameter();
    case Int1Token:
        return fixed(tinyint(), 1, integerOf);
    case Int2Token:
        return fixed(smallint(), 2, integerOf);
    case Int4Token:
        return fixed(integer(), 4, integerOf);
    case Int8Token:
        return fixed(bigint(), 8, integerOf);
    case BitToken:
        return fixed(bit(), 1, [](const QByteArray& bytes) { return Value(bytes[0] != 0); });
    case RealToken:
        return fixed(real(), 4, realOf);
    case FloatToken:
        return fixed(floating(), 8, realOf);
    case MoneyToken:
        return fixed(floating(), 8, moneyOf);
    case Money4Token:
        return fixed(floating(), 4, moneyOf);
    case DateTimeToken:
        return fixed(datetime(), 8, dateTimeOf);
    case DateTime4Token:
        return fixed(datetime(), 4, dateTimeOf);
    default:
        return std::nullopt;
    }
}

/// Reads a value after one byte of length; nullopt: the type is another one.
std::optional<Parameter> readShort(ByteReader& reader, TypeToken token)
{
    const auto shortOf = [&](Type type, int scale = 0) {
        return Parameter{.type = type, .value = shortValue(token, scale, reader.take(reader.byte()))};
    };
    switch (token) {
    case IntNToken:
        return shortOf(integerType(reader.byte()));
    case BitNToken:
        reader.skip(1);
        return shortOf(bit());
    case FloatNToken:
        return shortOf(reader.byte() == 4 ? real() : floating());
    case MoneyNToken:
        reader.skip(1);
        return shortOf(floating());
    case DecimalToken:
    case NumericToken: {
        reader.skip(2); // length and precision
        const int scale = reader.byte();
        return shortOf({Type::Decimal, scale}, scale);
    }
    case DateTimeNToken:
        reader.skip(1);
        return shortOf(datetime());
    case GuidToken:
        reader.skip(1);
        return shortOf(uniqueidentifier());
    case DateToken:
        return shortOf(datetime2(0));
    case TimeToken:
    case DateTime2Token:
    case DateTimeOffsetToken: {
        const int scale = reader.byte();
        return shortOf(datetime2(scale), scale);
    }
    default:
        return std::nullopt;
    }
}

Parameter readOldSized(ByteReader& reader, TypeToken token)
{
    Parameter parameter;
    const bool isText = token == OldVarCharToken || token == OldCharToken;
    parameter.type = {isText ? Type::NVarChar : Type::VarBinary, reader.byte()};
    const QByteArray bytes = reader.take(reader.byte());
    if (!bytes.isEmpty())
        parameter.value = isText ? Value(textOf(token, bytes)) : Value(bytes);
    return parameter;
}

std::optional<Parameter> readTyped(ByteReader& reader, TypeToken token)
{
    if (const auto fixed = readFixed(reader, token))
        return fixed;
    if (const auto shortOne = readShort(reader, token))
        return shortOne;
    switch (token) {
    case OldVarBinaryToken:
    case OldBinaryToken:
    case OldVarCharToken:
    case OldCharToken:
        return readOldSized(reader, token);
    case VarBinaryToken:
    case BinaryToken:
    case VarCharToken:
    case CharToken:
    case NVarCharToken:
    case NCharToken:
        return readSized(reader, token);
    case TextToken:
    case NTextToken:
    case ImageToken:
    case VariantToken:
        return readLong(reader, token);
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<Parameter> readParameter(ByteReader& reader)
{
    const QString name = reader.shortText();
    const bool output = reader.byte() & 1;
    auto parameter = readTyped(reader, static_cast<TypeToken>(reader.byte()));
    if (!parameter || !reader.ok())
        return std::nullopt;
    parameter->name = name;
    parameter->output = output;
    return parameter;
}

} // namespace lockscope::test::tds
