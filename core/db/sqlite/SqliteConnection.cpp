// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlite/SqliteConnection.h"

#include "core/db/AnswerLimits.h"
#include "core/db/sqlite/SqliteRow.h"

#include <QFileInfo>
#include <QSqlDriver>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include <algorithm>
#include <utility>

namespace lockscope::db {

namespace {

constexpr milliseconds defaultBusyLimit{5'000};
constexpr milliseconds longestBusyPause{20};
constexpr int progressSteps = 10'000; ///< of SQLite's virtual machine: well below a millisecond

/// Binds one value; the text stays ours for as long as the statement runs.
struct Binder {
    sqlite3_stmt* statement;
    int index;

    int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
    int operator()(bool value) const { return sqlite3_bind_int(statement, index, value ? 1 : 0); }
    int operator()(qint64 value) const { return sqlite3_bind_int64(statement, index, value); }
    int operator()(ServerTime value) const { return (*this)(value.us); }
    int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
    int operator()(const QString& value) const
    {
        const auto bytes = static_cast<sqlite3_uint64>(value.size()) * sizeof(QChar);
        return sqlite3_bind_text64(statement, index, reinterpret_cast<const char*>(value.utf16()), bytes,
            SQLITE_STATIC, SQLITE_UTF16);
    }
};

/// SQLite's own option: without it, opening would make a file that is not there.
QString uriOf(const QString& path, bool create)
{
    const QByteArray encoded = path.toUtf8().toPercentEncoding("/");
    return QStringLiteral("file://%1%2?mode=%3")
        .arg(path.startsWith(u'/') ? QString() : QStringLiteral("/"), QString::fromLatin1(encoded),
            create ? QStringLiteral("rwc") : QStringLiteral("rw"));
}

/// Which SQLite is in Qt's driver.
QString sourceIdOfDriver(DriverDatabase& database)
{
    QSqlQuery query(database->driver()->createResult());
    const QByteArray& sql = Statement::get("sqlite/session/library").sql();
    return query.exec(QString::fromUtf8(sql)) && query.next() ? query.value(0).toString() : QString();
}

bool canBeStored(const Param& param)
{
    const auto* text = std::get_if<QString>(&param);
    return !text || (!text->contains(QChar(0)) && text->isValidUtf16());
}

} // namespace

void SqliteConnection::Finalizer::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

Result<std::unique_ptr<Connection>> SqliteConnection::open(
    const ServerUrl& url, const ConnectOptions& options)
{
    // SQLite's own options of such a URL would be left out silently, and who wrote mode=ro relies on it.
    if (!url.options.isEmpty())
        return failure(ErrorKind::BadInput,
            QStringLiteral("The option '%1' of the server URL can't be used.").arg(url.options.firstKey()),
            QStringLiteral("URLs of files have no options. To change nothing: --read-only, or the server's "
                           "setting."));
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE")))
        return failure(ErrorKind::Unsupported, QStringLiteral("Qt's driver for SQLite is not installed."),
            QStringLiteral("Install the package libqt6sql6-sqlite."));
    // Who made the file along the way would turn a typing error in a path into an empty lock table.
    if (!options.createFile && !QFileInfo::exists(url.database)) {
        Failure missing =
            failure(ErrorKind::MissingObject, QStringLiteral("There is no file '%1'.").arg(url.database),
                QStringLiteral("Check the path, or make the file with: lockctl install --server %1")
                    .arg(url.toString()));
        missing.value().server = url.display();
        return missing;
    }
    auto database = std::make_unique<DriverDatabase>(QStringLiteral("QSQLITE"));
    (*database)->setConnectOptions(QStringLiteral("QSQLITE_OPEN_URI"));
    (*database)->setDatabaseName(uriOf(url.database, options.createFile));
    if (!(*database)->open()) {
        Error error =
            Dialect::create(Engine::Sqlite)
                ->mapError(QString::number(SQLITE_CANTOPEN), (*database)->lastError().databaseText(),
                    QStringLiteral("Can't open the file '%1'.").arg(url.database));
        error.server = url.display();
        return Failure(std::move(error));
    }
    static const QString driverSource = sourceIdOfDriver(*database); // the same for all connections
    if (std::optional<Error> other = reasonAgainst(driverSource))
        return Failure(std::move(*other));
    auto* sqlite = *static_cast<sqlite3* const*>((*database)->driver()->handle().constData());
    std::unique_ptr<SqliteConnection> connection(
        new SqliteConnection(url, std::move(database), sqlite, options));
    if (const Result<void> ready = connection->setUpSession(); !ready)
        return Failure(ready.error());
    return std::unique_ptr<Connection>(std::move(connection));
}

std::optional<Error> SqliteConnection::reasonAgainst(const QString& driverSource)
{
    const QString own = QString::fromLatin1(sqlite3_sourceid());
    if (driverSource == own)
        return std::nullopt;
    Error error = failure(ErrorKind::Unsupported,
        QStringLiteral("Qt's driver for SQLite has another SQLite in it than Lockscope is linked with."),
        QStringLiteral("Use a Qt whose driver takes the system's SQLite (configured with -system-sqlite)."))
                      .value();
    error.detail = QStringLiteral("Qt's: %1; Lockscope's: %2.")
                       .arg(driverSource.isEmpty() ? QStringLiteral("unknown") : driverSource, own);
    return error;
}

SqliteConnection::SqliteConnection(
    ServerUrl url, std::unique_ptr<DriverDatabase> database, sqlite3* sqlite, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::Sqlite))
    , m_database(std::move(database))
    , m_sqlite(sqlite)
    , m_gate([this] { sqlite3_interrupt(m_sqlite); })
    , m_purpose(options.purpose)
    , m_mayMakeFile(options.createFile)
    , m_statementLimit(options.statementTimeout)
    , m_busyLimit(options.statementTimeout.count() > 0 ? options.statementTimeout : defaultBusyLimit)
{
    m_serverVersion = QStringLiteral("SQLite ") + QString::fromUtf8(sqlite3_libversion());
    m_serverVersionNumber = sqlite3_libversion_number();
}

SqliteConnection::~SqliteConnection() = default;

Result<void> SqliteConnection::setUpSession()
{
    sqlite3_extended_result_codes(m_sqlite, 1);
    sqlite3_busy_handler(
        m_sqlite,
        [](void* self, int attempts) {
            return static_cast<SqliteConnection*>(self)->waitWhileBusy(attempts) ? 1 : 0;
        },
        this);
    // An interrupt that comes a moment before the first step is forgotten by SQLite; this looks again.
    sqlite3_progress_handler(
        m_sqlite, progressSteps,
        [](void* self) { return static_cast<SqliteConnection*>(self)->isToEnd() ? 1 : 0; }, this);
    sqlite3_limit(m_sqlite, SQLITE_LIMIT_LENGTH, static_cast<int>(mostBytesOfAnswer));
    // Reading the settings' schema needs the file, too. Whoever has it now need not have it for long.
    const milliseconds limit = std::exchange(m_busyLimit, std::min(m_busyLimit, longestBusyPause));
    Result<void> done = applySettings();
    m_busyLimit = limit;
    return !done && done.error().kind == ErrorKind::Timeout ? Result<void>() : done;
}

Result<void> SqliteConnection::applySettings()
{
    if (m_isSetUp)
        return {};
    m_isSetUp = true; // before it: this runs a statement itself
    const char* settings = m_purpose == Purpose::Monitor ? "sqlite/session/monitor" : "sqlite/session/lock";
    Result<void> done = runScript(
        Statement::get(settings).sql(), QStringLiteral("Can't open the file '%1'.").arg(m_url.database));
    m_isSetUp = done.has_value();
    return done;
}

Result<sqlite3_stmt*> SqliteConnection::prepared(const Statement& statement)
{
    const auto known = m_prepared.find(statement.id());
    if (known != m_prepared.end())
        return known->second.get();
    sqlite3_stmt* fresh = nullptr;
    const QByteArray& sql = statement.sql();
    const int code = sqlite3_prepare_v3(
        m_sqlite, sql.constData(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &fresh, nullptr);
    if (code != SQLITE_OK)
        return Failure(lastError(code, statement.whatFailed()));
    m_prepared.emplace(statement.id(), Prepared(fresh));
    return fresh;
}

Result<void> SqliteConnection::bind(
    sqlite3_stmt* statement, std::span<const Param> params, const QString& what)
{
    for (size_t i = 0; i < params.size(); ++i) {
        const int index = static_cast<int>(i) + 1;
        if (!canBeStored(params[i]))
            return failure(ErrorKind::BadInput,
                QStringLiteral(
                    "The text for parameter %1 contains a NUL character or half of a surrogate pair.")
                    .arg(index),
                QStringLiteral("Leave the character out."));
        const int code = std::visit(Binder{statement, index}, params[i]);
        if (code != SQLITE_OK)
            return Failure(lastError(code, what));
    }
    return {};
}

Result<qint64> SqliteConnection::execute(
    const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop)
{
    const QString& what = statement.whatFailed();
    if (Result<void> ready = applySettings(); !ready)
        return Failure(ready.error());
    const InFlight flight(m_gate, stop);
    if (m_gate.requested())
        return Failure(cancelled(what));
    const Result<sqlite3_stmt*> ready = prepared(statement);
    if (!ready)
        return Failure(m_gate.requested() ? cancelled(what) : ready.error());
    const Result<void> bound = bind(*ready, params, what);
    Result<qint64> result = bound ? step(*ready, sink, what) : Failure(bound.error());
    m_runsUntil.reset();
    sqlite3_reset(*ready);
    sqlite3_clear_bindings(*ready);
    return m_gate.requested() ? Result<qint64>(Failure(cancelled(what))) : result;
}

Result<qint64> SqliteConnection::step(sqlite3_stmt* statement, const RowSink& sink, const QString& what)
{
    const sqlite3_int64 changesBefore = sqlite3_total_changes64(m_sqlite);
    if (m_statementLimit.count() > 0)
        m_runsUntil = std::chrono::steady_clock::now() + m_statementLimit;
    qint64 rows = 0;
    qint64 bytesLeft = mostBytesOfAnswer;
    int code = SQLITE_OK;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        ++rows;
        bytesLeft -= SqliteRow(statement).bytes();
        if (bytesLeft < 0) {
            Error error = tooLongAnswer(what, m_url.display(), mostBytesOfAnswer);
            error.kind = ErrorKind::Server; // the file can be asked for something else
            return Failure(std::move(error));
        }
        if (sink)
            sink(SqliteRow(statement));
    }
    if (code == SQLITE_INTERRUPT && !m_gate.requested())
        return Failure(Error{ErrorKind::Timeout, what, m_url.display(),
            QStringLiteral("The statement ran longer than %1 ms.").arg(m_statementLimit.count()), {}, {}});
    if (code != SQLITE_DONE)
        return Failure(lastError(code, what));
    if (sqlite3_column_count(statement) > 0)
        return rows;
    // sqlite3_changes64 keeps the count of an earlier statement when this one changes nothing.
    const bool changed = sqlite3_total_changes64(m_sqlite) != changesBefore;
    return changed ? sqlite3_changes64(m_sqlite) : 0;
}

std::vector<Result<qint64>> SqliteConnection::executeBatch(
    std::span<const BatchItem> items, std::stop_token stop)
{
    std::vector<Result<qint64>> results;
    results.reserve(items.size());
    bool isLeftOut = false;
    for (const BatchItem& item : items) {
        results.push_back(
            isLeftOut ? results.back() : execute(*item.statement, item.params, item.sink, stop));
        isLeftOut = item.withNext && !results.back();
    }
    return results;
}

Result<void> SqliteConnection::runScript(const QByteArray& sql, const QString& what)
{
    if (Result<void> ready = applySettings(); !ready)
        return ready;
    const InFlight flight(m_gate, {});
    const int code = sqlite3_exec(m_sqlite, sql.constData(), nullptr, nullptr, nullptr);
    if (code == SQLITE_OK)
        return {};
    return Failure(m_gate.requested() ? cancelled(what) : lastError(code, what));
}

/// The journal mode of a file that somebody else made is not touched.
Result<void> SqliteConnection::setUpNewFile()
{
    if (!m_mayMakeFile || QFileInfo(m_url.database).size() != 0)
        return {};
    Result<void> done = runScript(Statement::get("sqlite/session/new_file").sql(),
        QStringLiteral("Can't set the new file '%1' up.").arg(m_url.database));
    // Somebody else makes it at the same time, and sets it up.
    return !done && done.error().kind == ErrorKind::Timeout ? Result<void>() : done;
}

Result<void> SqliteConnection::setDurable(bool durable)
{
    if (!m_hasWriteAheadLog) {
        QString mode;
        const auto asked = execute(Statement::get("sqlite/session/journal_mode"), {},
            [&mode](const Row& row) { mode = row.text(0); }, {});
        if (!asked)
            return Failure(asked.error());
        m_hasWriteAheadLog = mode == QLatin1String("wal");
    }
    if (!*m_hasWriteAheadLog)
        return {};
    // Compiled anew each time: it acts when it is compiled, not when it runs.
    const char* file = durable ? "sqlite/session/durable" : "sqlite/session/hurried";
    return runScript(Statement::get(file).sql(), QStringLiteral("Can't change how durable commits are."));
}

Result<void> SqliteConnection::executeScript(const QByteArray& sql)
{
    const QString what = QStringLiteral("The script failed.");
    if (inTransaction())
        return runScript(sql, what);
    if (Result<void> ready = setUpNewFile(); !ready)
        return ready;
    if (Result<void> begun = begin(); !begun)
        return begun;
    Result<void> result = runScript(sql, what);
    if (result)
        result = commit();
    if (!result && inTransaction())
        std::ignore = rollback();
    return result;
}

Result<void> SqliteConnection::beginTransaction()
{
    const char* path =
        m_purpose == Purpose::Monitor ? "sqlite/session/begin_reading" : "sqlite/session/begin";
    const Result<qint64> result = execute(Statement::get(path), {}, {}, {});
    return result ? Result<void>() : Failure(result.error());
}

Result<void> SqliteConnection::commit()
{
    const Result<qint64> result = execute(Statement::get("sqlite/session/commit"), {}, {}, {});
    return result ? Result<void>() : Failure(result.error());
}

Result<void> SqliteConnection::rollback()
{
    const Result<qint64> result = execute(Statement::get("sqlite/session/rollback"), {}, {}, {});
    return result ? Result<void>() : Failure(result.error());
}

bool SqliteConnection::inTransaction() const
{
    return sqlite3_get_autocommit(m_sqlite) == 0;
}

bool SqliteConnection::isToEnd() const
{
    return m_gate.requested() || (m_runsUntil && std::chrono::steady_clock::now() > *m_runsUntil);
}

/// SQLite's busy handler: sleeps a little, unless it was cancelled or has waited long enough.
bool SqliteConnection::waitWhileBusy(int attempts)
{
    const auto now = std::chrono::steady_clock::now();
    if (attempts == 0)
        m_busyUntil = now + m_busyLimit;
    if (now >= m_busyUntil)
        return false;
    return !m_gate.sleep(std::min(milliseconds(1 + attempts), longestBusyPause));
}

Error SqliteConnection::lastError(int code, const QString& what) const
{
    Error error =
        m_dialect->mapError(QString::number(code), QString::fromUtf8(sqlite3_errmsg(m_sqlite)), what);
    error.server = m_url.display();
    return error;
}

} // namespace lockscope::db
