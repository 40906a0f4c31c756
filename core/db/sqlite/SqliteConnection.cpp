// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlite/SqliteConnection.h"

#include "core/db/AnswerLimits.h"
#include "core/db/DriverDatabase.h"

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
constexpr milliseconds maxBusyPause{20};
constexpr int progressSteps = 10'000; ///< of SQLite's virtual machine: well below a millisecond

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

Result<std::unique_ptr<Connection>> SqliteConnection::open(
    const ServerUrl& url, const ConnectOptions& options)
{
    // SQLite's own options of such a URL would be left out silently, and who wrote mode=ro relies on it.
    if (!url.options.isEmpty())
        return failure(ErrorKind::BadInput,
            QStringLiteral("The option '%1' of the server URL can't be used.").arg(url.options.firstKey()),
            QStringLiteral(
                "URLs of files have no options. To change nothing: --read-only, or the server's setting."));
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
    auto database = std::make_shared<DriverDatabase>(QStringLiteral("QSQLITE"));
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
        new SqliteConnection(url, std::shared_ptr<sqlite3>(std::move(database), sqlite), options));
    LOCKSCOPE_TRY(connection->setUpSession());
    return std::unique_ptr<Connection>(std::move(connection));
}

std::optional<Error> SqliteConnection::reasonAgainst(const QString& driverSource)
{
    const QString own = QString::fromLatin1(sqlite3_sourceid());
    if (driverSource == own)
        return std::nullopt;
    return Error{.kind = ErrorKind::Unsupported,
        .what =
            QStringLiteral("Qt's driver for SQLite has another SQLite in it than Lockscope is linked with."),
        .detail = QStringLiteral("Qt's: %1; Lockscope's: %2.")
                      .arg(driverSource.isEmpty() ? QStringLiteral("unknown") : driverSource, own),
        .hint = QStringLiteral(
            "Use a Qt whose driver takes the system's SQLite (configured with -system-sqlite).")};
}

SqliteConnection::SqliteConnection(
    ServerUrl url, std::shared_ptr<sqlite3> sqlite, const ConnectOptions& options)
    : Connection(std::move(url), Dialect::create(Engine::Sqlite))
    , m_handle(std::move(sqlite))
    , m_gate([this] { sqlite3_interrupt(m_handle.get()); })
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
    sqlite3_busy_handler(
        m_handle.get(),
        [](void* self, int attempts) {
            return static_cast<SqliteConnection*>(self)->waitWhileBusy(attempts) ? 1 : 0;
        },
        this);
    // An interrupt that comes just before the first step is forgotten by SQLite; this checks again.
    sqlite3_progress_handler(
        m_handle.get(), progressSteps,
        [](void* self) { return static_cast<SqliteConnection*>(self)->isToEnd() ? 1 : 0; }, this);
    sqlite3_limit(m_handle.get(), SQLITE_LIMIT_LENGTH, static_cast<int>(maxBytesOfAnswer));
    // Reading the settings' schema needs the file, too. A program that has it now need not have it for long.
    const milliseconds limit = std::exchange(m_busyLimit, std::min(m_busyLimit, maxBusyPause));
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

Result<qint64> SqliteConnection::execute(
    const Statement& statement, std::span<const Param> params, const RowSink& sink, std::stop_token stop)
{
    const QString& what = statement.whatFailed();
    LOCKSCOPE_TRY(applySettings());
    if (const auto bad = std::find_if_not(params.begin(), params.end(), canBeStored); bad != params.end())
        return failure(ErrorKind::BadInput,
            QStringLiteral("The text for parameter %1 contains a NUL character or half of a surrogate pair.")
                .arg(bad - params.begin() + 1),
            QStringLiteral("Leave the character out."));
    const InFlight flight(m_gate, stop);
    if (m_gate.requested())
        return Failure(cancelled(what));
    const sqlite3_int64 changesBefore = sqlite3_total_changes64(m_handle.get());
    if (m_statementLimit.count() > 0)
        m_runsUntil = std::chrono::steady_clock::now() + m_statementLimit;
    qint64 rows = 0;
    qint64 bytesLeft = maxBytesOfAnswer;
    const int code = m_handle.run(statement, params, [&](const SqliteRow& row) {
        ++rows;
        bytesLeft -= row.size();
        if (bytesLeft >= 0 && sink)
            sink(row);
        return bytesLeft >= 0;
    });
    m_runsUntil.reset();
    if (m_gate.requested())
        return Failure(cancelled(what));
    if (bytesLeft < 0) {
        Error error = tooLongAnswer(what, m_url.display(), maxBytesOfAnswer);
        error.kind = ErrorKind::Server; // the file can be asked for something else
        return Failure(std::move(error));
    }
    if (code == SQLITE_INTERRUPT)
        return Failure(Error{.kind = ErrorKind::Timeout,
            .what = what,
            .server = m_url.display(),
            .detail = QStringLiteral("The statement ran longer than %1 ms.").arg(m_statementLimit.count())});
    if (code != SQLITE_DONE)
        return Failure(lastError(code, what));
    // sqlite3_changes64 keeps the count of an earlier statement when this one changes nothing.
    const bool changed = sqlite3_total_changes64(m_handle.get()) != changesBefore;
    return rows == 0 && changed ? sqlite3_changes64(m_handle.get()) : rows;
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
    LOCKSCOPE_TRY(applySettings());
    const InFlight flight(m_gate, {});
    const int code = m_handle.runScript(sql);
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
        LOCKSCOPE_TRY(execute(Statement::get("sqlite/session/journal_mode"), {},
            [&mode](const Row& row) { mode = row.text(0); }, {}));
        m_hasWriteAheadLog = mode == QLatin1String("wal");
    }
    if (!*m_hasWriteAheadLog)
        return {};
    // Compiled again each time: it acts when it is compiled, not when it runs.
    const char* file = durable ? "sqlite/session/durable" : "sqlite/session/hurried";
    return runScript(Statement::get(file).sql(), QStringLiteral("Can't change how durable commits are."));
}

Result<void> SqliteConnection::executeScript(const QByteArray& sql)
{
    const QString what = QStringLiteral("The script failed.");
    if (inTransaction())
        return runScript(sql, what);
    LOCKSCOPE_TRY(setUpNewFile());
    LOCKSCOPE_TRY(begin());
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
    return ifDone(execute(Statement::get(path), {}, {}, {}));
}

Result<void> SqliteConnection::commit()
{
    return ifDone(execute(Statement::get("sqlite/session/commit"), {}, {}, {}));
}

Result<void> SqliteConnection::rollback()
{
    return ifDone(execute(Statement::get("sqlite/session/rollback"), {}, {}, {}));
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
    return !m_gate.sleep(std::min(milliseconds(1 + attempts), maxBusyPause));
}

Error SqliteConnection::lastError(int code, const QString& what) const
{
    Error error =
        m_dialect->mapError(QString::number(code), QString::fromUtf8(sqlite3_errmsg(m_handle.get())), what);
    error.server = m_url.display();
    return error;
}

} // namespace lockscope::db
