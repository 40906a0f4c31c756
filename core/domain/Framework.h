// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/LockMode.h"

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

class QRegularExpression;
class QRegularExpressionMatch;

/// The known locks of other programs: the contents of `resources/frameworks/*.json`, whose schema
/// (`framework.schema.json`) explains each field. Plain data; nothing here is SQL.

namespace lockscope {

/// The kind of lock by which a framework's lock is seen on the server.
enum class FrameworkLockKind : quint8 {
    Row, ///< a committed row of a table says that it is held
    AdvisoryKey, ///< PostgreSQL
    ApplicationLock, ///< SQL Server
    Table, ///< an ordinary lock on a table or its rows, in a transaction
};

/// A table as it is recognised: by name and columns, both compared without regard to case.
struct FrameworkTable {
    QStringList names; ///< with '*' for any text; empty: any name
    QStringList schemas{}; ///< empty: in any schema
    QStringList columns; ///< all of them must be there
    QStringList without{}; ///< none of them may be there

    bool operator==(const FrameworkTable&) const = default;
};

/// The meaning of the numbers or texts of a time column.
enum class FrameworkClock : quint8 {
    Utc, ///< a time without zone in UTC, or one with a zone
    Server, ///< the server's local time
    Application, ///< its program's local time, in a zone that nobody knows: see frameworks/ZonelessTime
    EpochSeconds,
    EpochMilliseconds,
    NetTicks, ///< 100 ns since the year 1, UTC
    IsoText, ///< a text with its zone: "2026-11-22T10:00:00Z"
};

struct FrameworkTime {
    QString column;
    QMap<Engine, FrameworkClock> clocks; ///< of each engine of the lock
    milliseconds after{0}; ///< the time that is meant is this much later

    bool operator==(const FrameworkTime&) const = default;
};

/// A value in a file: NULL, a truth value, a whole number, a text.
using FrameworkValue = std::variant<std::monostate, bool, qint64, QString>;

/// A condition that a column meets while the lock is held; several hold together.
struct FrameworkCondition {
    enum class Is : quint8 { Equal, NotEqual, Null, NotNull, Future, Like };
    QString column;
    Is is = Is::Equal;
    FrameworkValue value; ///< Equal, NotEqual; Like: a text with '*' for any text
    std::optional<FrameworkTime> time{}; ///< Future: whose clock

    bool operator==(const FrameworkCondition&) const = default;
};

/// The process that holds a row, in a table of its own.
struct FrameworkProcessTable {
    QString table; ///< in the schema of the lock's
    QString key; ///< its column …
    QString from; ///< … that this column of the row names
    QString host; ///< columns; empty where there is none
    QString processId;
    std::optional<FrameworkTime> heartbeat;

    bool operator==(const FrameworkProcessTable&) const = default;
};

/// Describes how to read a lock that is a row, and how to free it.
struct FrameworkRow {
    std::vector<FrameworkCondition> held; ///< none: each row is a lock that is held
    QString name; ///< "{column} …"; empty: the lock's own name
    QString holder; ///< column; empty where the row has none
    /// A regular expression over the whole of `holder`: named groups host, address, pid, owner, program,
    /// since.
    QString holderPattern;
    std::optional<FrameworkTime> since;
    std::optional<FrameworkTime> expires;
    std::optional<FrameworkTime> heartbeat;
    std::optional<milliseconds> deadAfter; ///< without a heartbeat
    std::optional<FrameworkProcessTable> process;
    /// The holder has a session as long as it holds the row: where none is, it is gone.
    bool keepsSession = false;
    /// Only for times without a zone: a finer one was written by the database's clock, in UTC, and not by the
    /// program.
    std::optional<microseconds> utcIfFinerThan;
    /// Columns that are compared before the lock is freed; with them the row is exactly that which was shown.
    QStringList compare;
    /// The columns that freeing sets, and their new values; a text "{column}" copies that column,
    /// "{column}+1" adds. Empty: the row is deleted.
    std::vector<std::pair<QString, FrameworkValue>> update;
    bool mayBeFreed = true; ///< false: never touch the row; `danger` says why

    bool operator==(const FrameworkRow&) const = default;
};

/// Computes a number from known texts, and recognises it again.
struct KeyFormula {
    enum class Hash : quint8 {
        None, ///< the number is `add`
        Java, ///< String.hashCode: int32
        Crc32, ///< IEEE
        Fnv1, ///< 32 bits, not 1a
        Md5, ///< digests: the first `bytes` bytes
        Sha1,
        Sha224,
        Sha256,
        PgHashText, ///< hashtext of the server, as of PostgreSQL 14 to 18
        TableId, ///< no hash: the oid of a table
        Any, ///< no hash: any number
    };
    Hash hash = Hash::None; ///< Java and PgHashText give signed 32 bits, Crc32 and Fnv1 unsigned ones
    /// the text that is hashed: with {database}, {schema}, {table}, {name}; \u0000 may stand in it
    QString text;
    int bytes = 8; ///< of digests
    bool littleEndian = false;
    qint64 multiply = 1;
    qint64 add = 0;
    int bits = 64; ///< of the result: taken modulo 2^bits …
    bool isSigned = true; ///< … and read as signed
    int shiftRight = 0; ///< digests: dropped at the low end first, of `bytes` bytes
    qint64 mask = -1;

    bool operator==(const KeyFormula&) const = default;
};

/// An advisory key that the session of a row's holder has as long as it works.
struct HolderKey {
    QString column; ///< of the row: its value is {name}
    KeyFormula number;

    bool operator==(const HolderKey&) const = default;
};

/// A key of pg_advisory_lock. One of: one formula (bigint), two (int4, int4), a range, a reversible name.
struct AdvisoryKeyRule {
    enum class Decode : quint8 { None, Ascii7 }; ///< Ascii7: DistributedLock's names of up to nine characters
    std::vector<KeyFormula> parts; ///< one or two
    std::optional<std::pair<qint64, qint64>> range; ///< a key in it is likely one
    Decode decode = Decode::None;
    std::optional<int> objsubid; ///< PostgreSQL's field of pg_locks where it is neither 1 nor 2
    bool anyNumber = false; ///< every key; only with `requires`

    bool operator==(const AdvisoryKeyRule&) const = default;
};

/// A resource of sp_getapplock.
struct ApplicationLockRule {
    /// A regular expression over the whole name; the named group `name` is what the lock is called. A server
    /// shows only the first 32 characters of longer names: what does not fit is not compared.
    QString pattern;
    std::optional<KeyFormula> key; ///< the group `key` is this number, in decimal
    bool operator==(const ApplicationLockRule&) const = default;
};

/// An example of a lock, given by a file, and the match that it must be recognised as.
struct FrameworkExample {
    using Row =
        std::vector<std::pair<QString, FrameworkValue>>; ///< columns and values; "{now-7min}" is a time
    QString meaning; ///< the name of the lock then
    std::optional<qint64> number; ///< AdvisoryKey: this …
    std::optional<std::pair<qint32, qint32>> pair; ///< … or this
    int objsubid = 1; ///< of the number
    QString resource; ///< ApplicationLock
    QString database; ///< the values of the names in a key; Table: the table's name
    QString schema;
    QString table;
    QString name;
    Row row; ///< Row
    Row process; ///< the row's process, in the table of processes
    bool isHeld = true;
    QMap<QString, QString> holder; ///< his parts, by the names of the pattern's groups
    QString since; ///< "{now-7min}", or in ISO 8601
    QString expires;
    QString heartbeat;

    bool operator==(const FrameworkExample&) const = default;
};

/// One lock of a framework.
struct FrameworkLock {
    QString id; ///< unique in its file: "changelog"
    QString name; ///< "changelog lock"
    FrameworkLockKind kind = FrameworkLockKind::Row;
    QList<Engine> engines;
    QString purpose; ///< the work that it protects
    QString ends; ///< its end by itself, and what waiters do
    QString danger; ///< the risk of freeing it: shown before the button
    QString vendorCommand; ///< "liquibase release-locks"; empty if there is none
    QString vendorNote; ///< the difference of the vendor's way from ours
    bool inTransaction = false; ///< key or application lock: held by a transaction, not by the session
    bool ofPlainNumber = false; ///< the key alone proves nothing; `requires` must be met
    std::optional<FrameworkTable> table; ///< Row, Table; else what {table} and {schema} may be
    QList<FrameworkTable> requires_; ///< tables that the database must have
    FrameworkRow row; ///< Row
    std::vector<HolderKey> holderKeys; ///< Row; any of them
    std::vector<AdvisoryKeyRule> keys; ///< AdvisoryKey
    std::vector<ApplicationLockRule> resources; ///< ApplicationLock
    QStringList knownNames; ///< for {name}
    QMap<Engine, QStringList> modes; ///< Table: as the engine writes them; none: any
    std::vector<FrameworkExample> examples; ///< in the order of the file

    bool operator==(const FrameworkLock&) const = default;
};

/// One file: a framework and its locks.
struct Framework {
    QString id; ///< the file's name without ".json"
    QString name; ///< "Liquibase": also its badge
    QString about;
    QString versions;
    QStringList sources; ///< addresses
    QStringList issues; ///< addresses of threads where users were stuck
    QString notes;
    std::vector<FrameworkLock> locks;
    bool isBuiltIn = false;

    const FrameworkLock* lock(const QString& lockId) const; ///< null if there is none
};
using FrameworkPtr = std::shared_ptr<const Framework>;

/// Longer texts match no pattern of a framework file.
inline constexpr qsizetype maxMatchedLength = 2'000;

/// A pattern of a framework file, over the whole of a text and with a limit on the work of one match: one
/// that goes back and forth for ever ends as no match. Invalid if it is no regular expression or would end
/// what surrounds it.
QRegularExpression wholePattern(const QString& pattern);
/// Returns nothing if it does not match, or if that took too much work.
std::optional<QRegularExpressionMatch> matchWhole(const QRegularExpression& whole, const QString& text);

} // namespace lockscope
