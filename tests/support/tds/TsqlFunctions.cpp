// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/TsqlFunctions.h"

#include "tests/support/tds/Catalogue.h"

#include <QCryptographicHash>
#include <QRegularExpression>

#include <cmath>
#include <span>
#include <sqlite3.h>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

namespace {

/// An error of a T-SQL function at run time.
struct Failure {
    int number;
    QString text;
};

using CallArguments = std::span<sqlite3_value* const>;
using Function = Value (*)(const Surroundings&, CallArguments);

QString textOf(sqlite3_value* value)
{
    return QString::fromUtf8(reinterpret_cast<const char*>(sqlite3_value_text(value)));
}

Value valueOf(sqlite3_value* value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return static_cast<qint64>(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return sqlite3_value_double(value);
    case SQLITE_TEXT: {
        const QString text = textOf(value);
        return text.isNull() ? Value(u""_s) : Value(text);
    }
    case SQLITE_BLOB:
        return QByteArray(static_cast<const char*>(sqlite3_value_blob(value)), sqlite3_value_bytes(value));
    default:
        return {};
    }
}

void giveBack(sqlite3_context* context, const Value& value)
{
    if (value.isNull())
        return sqlite3_result_null(context);
    if (value.is<qint64>() || value.is<bool>())
        return sqlite3_result_int64(context, value.toInt64());
    if (value.is<double>())
        return sqlite3_result_double(context, value.toDouble());
    const bool isBlob = value.is<QByteArray>();
    const QByteArray bytes = isBlob ? value.toBytes() : value.toText().toUtf8();
    if (isBlob)
        return sqlite3_result_blob(
            context, bytes.constData(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    sqlite3_result_text(context, bytes.constData(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
}

constexpr qint64 perSecond = 1'000'000;
constexpr qint64 perDay = 86'400 * perSecond;

/// µs since 1970 of "20260101", "2026-01-01", "2026-01-01 03:00:00.1234567 +01:00" (its zone aside).
std::optional<qint64> microsecondsOf(const QString& text)
{
    static const QRegularExpression form(
        u"\\A(\\d{4})-?(\\d\\d)-?(\\d\\d)(?:[ T](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,7}))?)?(?: ?[+-].*)?\\z"_s);
    const auto match = form.match(text);
    const QDate day(match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt());
    if (!match.hasMatch() || !day.isValid())
        return std::nullopt;
    const qint64 seconds = match.captured(4).toLongLong() * 3'600 + match.captured(5).toLongLong() * 60
        + match.captured(6).toLongLong();
    const qint64 fraction = match.captured(7).leftJustified(6, u'0').left(6).toLongLong();
    return QDate(1970, 1, 1).daysTo(day) * perDay + seconds * perSecond + fraction;
}

QString textOf(qint64 microseconds)
{
    const qint64 days = microseconds >= 0 ? microseconds / perDay : -((perDay - 1 - microseconds) / perDay);
    const QDate day = QDate(1970, 1, 1).addDays(days);
    if (!day.isValid() || day.year() < 1 || day.year() > 9999)
        throw Failure{517, u"Adding a value to a 'datetime2' column caused an overflow."_s};
    const qint64 rest = microseconds - days * perDay;
    const QTime time = QTime::fromMSecsSinceStartOfDay(static_cast<int>(rest / 1'000));
    return day.toString(u"yyyy-MM-dd "_s) + time.toString(u"HH:mm:ss.zzz"_s)
        + QString::number(rest % 1'000).rightJustified(3, u'0');
}

qint64 lengthOf(const QString& part)
{
    if (part == u"MICROSECOND")
        return 1;
    if (part == u"MILLISECOND")
        return 1'000;
    if (part == u"SECOND")
        return perSecond;
    if (part == u"MINUTE")
        return 60 * perSecond;
    if (part == u"HOUR")
        return 3'600 * perSecond;
    throw Failure{155, u"'%1' is not a datepart that the double knows."_s.arg(part)};
}

qint64 requireDateTime(sqlite3_value* value)
{
    if (const auto time = microsecondsOf(textOf(value)))
        return *time;
    throw Failure{241, u"Conversion failed when converting date and/or time from character string."_s};
}

bool hasNull(CallArguments arguments)
{
    for (sqlite3_value* argument : arguments) {
        if (sqlite3_value_type(argument) == SQLITE_NULL)
            return true;
    }
    return false;
}

Value dateAdd(const Surroundings&, CallArguments arguments)
{
    if (hasNull(arguments))
        return {};
    return textOf(
        requireDateTime(arguments[2]) + sqlite3_value_int64(arguments[1]) * lengthOf(textOf(arguments[0])));
}

/// Counts the boundaries between the two.
Value dateDifference(const Surroundings&, CallArguments arguments)
{
    if (hasNull(arguments))
        return {};
    const qint64 length = lengthOf(textOf(arguments[0]));
    const auto boundaries = [length](qint64 time) {
        return time >= 0 ? time / length : -((length - 1 - time) / length);
    };
    return boundaries(requireDateTime(arguments[2])) - boundaries(requireDateTime(arguments[1]));
}

Value datePart(const Surroundings& around, CallArguments arguments)
{
    if (textOf(arguments[0]) != u"TZOFFSET")
        throw Failure{155, u"The double knows no DATEPART but TZOFFSET."_s};
    return around.zoneMinutes;
}

Value localDateTime(const Surroundings& around, CallArguments)
{
    return textOf(around.nowUs + around.zoneMinutes * 60 * perSecond);
}

Value utcDateTime(const Surroundings& around, CallArguments)
{
    return textOf(around.nowUs);
}

qint64 integerFrom(const Value& value, Type type)
{
    if (value.is<QByteArray>()) {
        qint64 number = 0;
        for (const char byte : value.toBytes().right(8))
            number = static_cast<qint64>(static_cast<quint64>(number) << 8 | static_cast<quint8>(byte));
        return number;
    }
    bool ok = true;
    const qint64 number = value.is<QString>() ? value.toText().trimmed().toLongLong(&ok) : value.toInt64();
    if (!ok)
        throw Failure{245,
            u"Conversion failed when converting the nvarchar value '%1' to data type int."_s.arg(
                value.toText())};
    if (!contradiction({u"value"_s, type}, number).isEmpty())
        throw Failure{220, u"Arithmetic overflow error for data type, value = %1."_s.arg(number)};
    return number;
}

/// Styles: 0 takes the characters' own bytes, 1 needs digits after 0x, 2 digits alone.
QByteArray bytesFrom(const Value& value, Type type, int style)
{
    const auto cut = [type](const QByteArray& bytes) {
        return type.size == Type::max ? bytes : bytes.left(type.size);
    };
    if (value.is<QByteArray>())
        return cut(value.toBytes());
    if (!value.is<QString>())
        throw Failure{529, u"The double converts no numbers to bytes."_s};
    QString text = value.toText();
    if (style == 0)
        return cut(QByteArray(reinterpret_cast<const char*>(text.utf16()), text.size() * 2));
    static const QRegularExpression digits(u"\\A(?:[0-9A-Fa-f]{2})*\\z"_s);
    const bool hasPrefix = text.startsWith(u"0x", Qt::CaseInsensitive);
    if (style == 1)
        text = text.mid(2);
    if ((style == 1) != hasPrefix || !digits.match(text).hasMatch())
        throw Failure{8114, u"Error converting data type nvarchar to varbinary."_s};
    return cut(QByteArray::fromHex(text.toLatin1()));
}

QString textFrom(const Value& value, Type type, int style)
{
    QString text = value.toText();
    if (value.is<QByteArray>()) {
        const QByteArray bytes = value.toBytes();
        text = style == 0 ? QString(reinterpret_cast<const QChar*>(bytes.constData()), bytes.size() / 2)
                          : (style == 1 ? u"0x"_s : u""_s) + QString::fromLatin1(bytes.toHex().toUpper());
    }
    return type.size == Type::max ? text : text.left(type.size);
}

Value convert(const Surroundings&, CallArguments arguments)
{
    const QString name = textOf(arguments[0]);
    const auto type = typeFromText(name);
    if (!type)
        throw Failure{243, u"Type %1 is not a type that the double knows."_s.arg(name)};
    const Value value = valueOf(arguments[1]);
    if (value.isNull())
        return {};
    const int style = sqlite3_value_int(arguments[2]);
    if (type->isText())
        return textFrom(value, *type, style);
    if (type->isBinary())
        return bytesFrom(value, *type, style);
    switch (type->kind) {
    case Type::Real:
    case Type::Float:
        return value.toDouble();
    case Type::Bit:
        return integerFrom(value, bigint()) != 0;
    case Type::DateTime:
    case Type::DateTime2:
        return textOf(requireDateTime(arguments[1]));
    case Type::UniqueIdentifier:
        return value.toText();
    default:
        return integerFrom(value, *type);
    }
}

Value tryConvert(const Surroundings& around, CallArguments arguments)
{
    try {
        return convert(around, arguments);
    } catch (const Failure&) {
        return {};
    }
}

/// X LIKE Y calls like(Y, X), with the character after ESCAPE, which stands by a binary collation only.
Value like(const Surroundings&, CallArguments arguments)
{
    if (hasNull(arguments))
        return {};
    const QString pattern = textOf(arguments[0]);
    return arguments.size() == 2 ? isLike(textOf(arguments[1]), pattern)
                                 : isLike(textOf(arguments[1]), pattern, textOf(arguments[2])[0]);
}

/// Converts to UTC, and drops the offset.
Value switchOffset(const Surroundings&, CallArguments arguments)
{
    if (hasNull(arguments))
        return {};
    if (textOf(arguments[1]) != u"+00:00")
        throw Failure{9812, u"The double knows no offset but +00:00."_s};
    static const QRegularExpression zone(u"([+-])(\\d\\d):(\\d\\d)\\z"_s);
    const auto offset = zone.match(textOf(arguments[0]));
    const qint64 minutes = offset.captured(2).toInt() * 60 + offset.captured(3).toInt();
    return textOf(
        requireDateTime(arguments[0]) - (offset.captured(1) == u"-" ? -minutes : minutes) * 60 * perSecond);
}

Value partOfName(const Surroundings& around, CallArguments arguments, int part)
{
    const QString name =
        around.objectName(sqlite3_value_int64(arguments[0]), sqlite3_value_int64(arguments[1]));
    return name.isEmpty() ? Value() : Value(name.section(u'.', part, part));
}

Value permissions(const Surroundings& around, CallArguments arguments)
{
    const auto may = around.mayDo(textOf(arguments[0]), textOf(arguments[2]));
    return may ? Value(*may ? 1 : 0) : Value();
}

Value quoteName(const Surroundings&, CallArguments arguments)
{
    return hasNull(arguments) ? Value() : Value(u'[' + textOf(arguments[0]).replace(u']', u"]]"_s) + u']');
}

struct Entry {
    const Surroundings* const* surroundings;
    Function function;
};

void call(sqlite3_context* context, int count, sqlite3_value** values)
{
    const auto* entry = static_cast<const Entry*>(sqlite3_user_data(context));
    try {
        giveBack(context, entry->function(**entry->surroundings, {values, static_cast<size_t>(count)}));
    } catch (const Failure& failure) {
        const QByteArray text = u"%1 %2"_s.arg(failure.number).arg(failure.text).toUtf8();
        sqlite3_result_error(context, text.constData(), static_cast<int>(text.size()));
    }
}

/// Texts compare without regard to case and to blanks at the end.
int compareTexts(void*, int sizeA, const void* a, int sizeB, const void* b)
{
    const auto* left = static_cast<const unsigned char*>(a);
    const auto* right = static_cast<const unsigned char*>(b);
    const auto at = [](const unsigned char* text, int size, int i) {
        return i >= size ? ' ' : text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : int(text[i]);
    };
    for (int i = 0; i < sizeA || i < sizeB; ++i) {
        if (const int difference = at(left, sizeA, i) - at(right, sizeB, i); difference != 0)
            return difference;
    }
    return 0;
}

/// Compares in the order of the code units of UTF-16.
int compareUnits(void*, int sizeA, const void* a, int sizeB, const void* b)
{
    return QString::fromUtf8(static_cast<const char*>(a), sizeA)
        .compare(QString::fromUtf8(static_cast<const char*>(b), sizeB));
}

struct FunctionAdder {
    sqlite3* database;
    const Surroundings* const* surroundings;

    void operator()(const char* name, int arguments, Function function) const
    {
        sqlite3_create_function_v2(database, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            new Entry{surroundings, function}, call, nullptr, nullptr,
            [](void* entry) { delete static_cast<Entry*>(entry); });
    }
};

void addValueFunctions(const FunctionAdder& add)
{
    add("DATEADD", 3, dateAdd);
    add("DATEDIFF_BIG", 3, dateDifference);
    add("DATEDIFF", 3, dateDifference);
    add("DATEPART", 2, datePart);
    add("SYSDATETIMEOFFSET", 0, localDateTime);
    add("SYSDATETIME", 0, localDateTime);
    add("GETDATE", 0, localDateTime);
    add("SYSUTCDATETIME", 0, utcDateTime);
    add("tsql_convert", 3, convert);
    add("tsql_try_convert", 3, tryConvert);
    add("SWITCHOFFSET", 2, switchOffset);
    add("like", 2, like);
    add("like", 3, like);
    add("QUOTENAME", 1, quoteName);
    add("tsql_len", 1, [](const Surroundings&, CallArguments arguments) -> Value {
        if (hasNull(arguments))
            return {};
        QString text = textOf(arguments[0]);
        while (text.endsWith(u' '))
            text.chop(1);
        return text.size();
    });
    add("HASHBYTES", 2, [](const Surroundings&, CallArguments arguments) -> Value {
        if (hasNull(arguments))
            return {};
        const QString text = textOf(arguments[1]);
        const QByteArrayView bytes(reinterpret_cast<const char*>(text.utf16()), text.size() * 2);
        return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
    });
    add("CHARINDEX", 2, [](const Surroundings&, CallArguments arguments) -> Value {
        return hasNull(arguments)
            ? Value()
            : Value(textOf(arguments[1]).indexOf(textOf(arguments[0]), 0, Qt::CaseInsensitive) + 1);
    });
    add("NCHAR", 1, [](const Surroundings&, CallArguments arguments) -> Value {
        return QString(QChar(static_cast<char16_t>(sqlite3_value_int(arguments[0]))));
    });
    add("tsql_left", 2, [](const Surroundings&, CallArguments arguments) -> Value {
        return hasNull(arguments) ? Value()
                                  : Value(textOf(arguments[0]).left(sqlite3_value_int(arguments[1])));
    });
    add("tsql_right", 2, [](const Surroundings&, CallArguments arguments) -> Value {
        return hasNull(arguments) ? Value()
                                  : Value(textOf(arguments[0]).right(sqlite3_value_int(arguments[1])));
    });
}

/// About the login, the server and its objects.
void addServerFunctions(const FunctionAdder& add)
{
    add("HAS_PERMS_BY_NAME", -1, permissions);
    add("OBJECT_ID", -1, [](const Surroundings& around, CallArguments arguments) {
        return around.objectId(textOf(arguments[0]));
    });
    add("tsql_spid", 0, [](const Surroundings& around, CallArguments) -> Value { return around.session; });
    add("tsql_sees", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.seesOthers || sqlite3_value_int(arguments[0]) == around.session;
    });
    add("IS_SRVROLEMEMBER", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return textOf(arguments[0]) == u"sysadmin" && around.isAdministrator ? 1 : 0;
    });
    for (const char* name : {"SUSER_SNAME", "USER_NAME", "ORIGINAL_LOGIN"})
        add(name, 0, [](const Surroundings& around, CallArguments) -> Value { return around.login; });
    add("USER_NAME", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.users.value(sqlite3_value_int(arguments[0]) - 1); // a null string is NULL
    });
    add("DB_NAME", 0, [](const Surroundings& around, CallArguments) -> Value { return around.database; });
    add("DB_ID", 0, [](const Surroundings& around, CallArguments) -> Value { return around.databaseId; });
    add("SERVERPROPERTY", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.property(textOf(arguments[0]));
    });
    add("DATABASEPROPERTYEX", 2, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.property(textOf(arguments[1]));
    });
    add("IS_ROLEMEMBER", 1, [](const Surroundings&, CallArguments) -> Value { return 1; });
    add("HOST_NAME", 0, [](const Surroundings& around, CallArguments) -> Value { return around.host; });
    add("APP_NAME", 0, [](const Surroundings& around, CallArguments) -> Value { return around.program; });
    add("OBJECT_SCHEMA_NAME", 2,
        [](const Surroundings& around, CallArguments arguments) { return partOfName(around, arguments, 0); });
    add("OBJECT_NAME", 2,
        [](const Surroundings& around, CallArguments arguments) { return partOfName(around, arguments, 1); });
}

/// About the state of the session, its locks included.
void addSessionFunctions(const FunctionAdder& add)
{
    add("APPLOCK_TEST", 4, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.appLock(
            textOf(arguments[0]), textOf(arguments[1]), textOf(arguments[2]), textOf(arguments[3]));
    });
    add("APPLOCK_MODE", 3, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.appLock(textOf(arguments[0]), textOf(arguments[1]), {}, textOf(arguments[2]));
    });
    add("lockscope_AppLockFor", 2, [](const Surroundings& around, CallArguments arguments) {
        return around.call(u"lockscope.AppLockFor"_s, {valueOf(arguments[0]), valueOf(arguments[1])});
    });
    add("lockscope_BellPrincipal", 0, [](const Surroundings& around, CallArguments) {
        return around.call(u"lockscope.BellPrincipal"_s, {});
    });
    add("CURRENT_TRANSACTION_ID", 0, [](const Surroundings&, CallArguments) -> Value { return 1; });
    add("ERROR_NUMBER", 0,
        [](const Surroundings& around, CallArguments) -> Value { return around.errorNumber; });
    add("tsql_trancount", 0,
        [](const Surroundings& around, CallArguments) -> Value { return around.transactionCount; });
    add("XACT_STATE", 0,
        [](const Surroundings& around, CallArguments) -> Value { return around.transactionCount > 0; });
    add("tsql_rowcount", 0,
        [](const Surroundings& around, CallArguments) -> Value { return around.rowCount; });
    add("tsql_updates", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return textOf(arguments[0]) == around.updatedColumn;
    });
    add("SESSION_CONTEXT", 1, [](const Surroundings& around, CallArguments arguments) -> Value {
        return around.sessionContext(textOf(arguments[0]));
    });
    add("tsql_next", 0, [](const Surroundings& around, CallArguments) -> Value { return around.next(); });
}

} // namespace

QString dateTimeText(const QDateTime& dateTime, Type type)
{
    const qint64 milliseconds = dateTime.toMSecsSinceEpoch();
    if (type.kind != Type::DateTime)
        return textOf(milliseconds * 1'000);
    const qint64 second = std::llround(std::floor(static_cast<double>(milliseconds) / 1'000.0));
    const double thirds = std::round(static_cast<double>(milliseconds - second * 1'000) * 0.3);
    return textOf(second * perSecond + static_cast<qint64>(thirds * 10'000 / 3));
}

QDateTime dateTimeFromText(const QString& text)
{
    const auto microseconds = microsecondsOf(text);
    return microseconds ? QDateTime::fromMSecsSinceEpoch(*microseconds / 1'000, Qt::UTC) : QDateTime();
}

bool isLike(QStringView text, QStringView pattern, QChar escape)
{
    QString expression = u"\\A"_s;
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        if (!escape.isNull() && pattern[i] == escape && i + 1 < pattern.size()) {
            expression += QRegularExpression::escape(pattern.mid(++i, 1).toString());
            continue;
        }
        const qsizetype close = pattern[i] == u'[' ? pattern.indexOf(u']', i + 1) : -1;
        if (close > 0) {
            expression +=
                u'[' + pattern.mid(i + 1, close - i - 1).toString().replace(u'\\', u"\\\\"_s) + u']';
            i = close;
        } else {
            expression += pattern[i] == u'%' ? u".*"_s
                : pattern[i] == u'_'         ? u"."_s
                                             : QRegularExpression::escape(pattern.mid(i, 1).toString());
        }
    }
    return QRegularExpression(expression + u"\\z"_s,
        QRegularExpression::DotMatchesEverythingOption
            | (escape.isNull() ? QRegularExpression::CaseInsensitiveOption
                               : QRegularExpression::NoPatternOption))
        .match(text)
        .hasMatch();
}

void addFunctions(sqlite3* database, const Surroundings* const* surroundings)
{
    const FunctionAdder add{database, surroundings};
    addValueFunctions(add);
    addServerFunctions(add);
    addSessionFunctions(add);
    sqlite3_create_collation(database, "tsql_texts", SQLITE_UTF8, nullptr, compareTexts);
    sqlite3_create_collation(database, "tsql_units", SQLITE_UTF8, nullptr, compareUnits);
}

} // namespace lockscope::test::tds::tsql
