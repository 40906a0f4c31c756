// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Database.h"

#include "core/base/PlainFile.h"
#include "core/record/Damage.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUrl>

#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxWalPages = 2'000; // who writes without a pause
constexpr int busyTimeout = 5'000; // ms: somebody may copy the file
// Who writes needs the newest pages of each table and index. SQLite would keep 2 MB, of each of an agent's
// hundreds of files.
constexpr auto writersCache = "PRAGMA cache_size = -256"; // KiB
constexpr int maxReadBytes = 64 * 1024 * 1024; // of one text or frame that is read
// A file may be made so that one question has no end. Nobody's own takes a tenth of it.
constexpr std::chrono::minutes maxTime{1};
constexpr int stepsBetweenChecks = 100'000; // of SQLite's machine, at the clock

class FileRow final : public Store::Row {
public:
    explicit FileRow(const db::SqliteRow& row)
        : m_row(row)
    {
    }
    qint64 number(int column) const override { return m_row.int64(column); }
    QString text(int column) const override { return m_row.text(column); }
    QByteArray bytes(int column) const override { return m_row.bytes(column); }
    bool isNull(int column) const override { return m_row.isNull(column); }

private:
    const db::SqliteRow& m_row;
};

ErrorKind kindOf(int code)
{
    if (isDamageCode(code))
        return ErrorKind::BadInput;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
        return ErrorKind::Timeout;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return ErrorKind::Permission;
    default:
        return ErrorKind::Server;
    }
}

/// The same file by a way without links: SQLite is told to follow none, also none on the way.
QString withoutLinks(const QString& path)
{
    const QFileInfo file(path);
    const QString folder = QFileInfo(file.absolutePath()).canonicalFilePath();
    return folder.isEmpty() ? file.absoluteFilePath() : QDir(folder).filePath(file.fileName());
}

Failure notOurs(const QString& path, const QString& why)
{
    return failure(ErrorKind::Permission, u"%1 is not written: %2."_s.arg(path, why),
        u"Choose another file, in a folder of this account."_s);
}

/// A file that is there must be this account's alone to write, as must what SQLite lays beside it.
Result<void> checkOwn(const QString& path)
{
    for (const QString& name : {path, path + u"-wal"_s, path + u"-shm"_s, path + u"-journal"_s}) {
        struct stat seen { };
        if (::lstat(QFile::encodeName(name).constData(), &seen) != 0)
            continue;
        if (!S_ISREG(seen.st_mode) || seen.st_nlink > 1)
            return notOurs(path, u"%1 is no plain file with one name"_s.arg(name));
        if (seen.st_uid != ::geteuid())
            return notOurs(path, u"%1 belongs to another account"_s.arg(name));
        if (othersMayWrite(seen))
            return notOurs(path, u"others may write to %1"_s.arg(name));
    }
    return {};
}

/// SQLite would wait for ever to open a FIFO, also one beside the file.
Result<void> checkPlain(const QString& path)
{
    for (const QString& name : {path, path + u"-wal"_s, path + u"-shm"_s, path + u"-journal"_s}) {
        struct stat seen { };
        if (::lstat(QFile::encodeName(name).constData(), &seen) == 0 && !S_ISREG(seen.st_mode))
            return failure(ErrorKind::Permission, u"%1 is not read: %2 is no plain file."_s.arg(path, name),
                u"Name the file itself, not a link to it."_s);
    }
    return {};
}

/// Never opens a file that is there: closing it would free the locks that this process has on it.
Result<void> make(const QString& path)
{
    const int made = ::open(QFile::encodeName(path).constData(),
        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made >= 0)
        ::close(made);
    else if (errno != EEXIST)
        return failure(ErrorKind::Permission, u"%1 can't be written: %2"_s.arg(path, qt_error_string(errno)));
    return checkOwn(path);
}

} // namespace

Database::Database(sqlite3* handle, QString path, QString what)
    : m_handle(std::shared_ptr<sqlite3>(handle, sqlite3_close))
    , m_path(std::move(path))
    , m_what(std::move(what))
{
}

Result<std::unique_ptr<Database>> Database::open(const QString& path, Mode mode, const QString& what)
{
    if (path.isEmpty())
        return failure(ErrorKind::BadInput, u"No %1 is named."_s.arg(what));
    const QString real = withoutLinks(path);
    if (mode == Mode::Write) {
        // Who may write to the folder can put another file in the place of one that is there, too.
        if (QFileInfo(real).dir().exists())
            if (std::optional<Error> reason = reasonAgainstWriting(QFileInfo::exists(real) ? real : path))
                return Failure(std::move(*reason));
        // SQLite gives its companions (-wal, -shm) the rights of the file.
        LOCKSCOPE_TRY(make(real));
    } else if (auto plain = checkPlain(real); !plain)
        return Failure(plain.error());
    else if (::access(QFile::encodeName(real).constData(), F_OK) != 0)
        return failure(ErrorKind::Permission,
            errno == ENOENT ? u"The %1 %2 is not there."_s.arg(what, real)
                            : u"The %1 %2 can't be read: %3"_s.arg(what, real, qt_error_string(errno)));
    auto opened = connect(real, real.toUtf8(), mode, what);
    // What is complete can be read where nothing can be written, too: SQLite would lay files beside it.
    if (!opened && opened.error().kind == ErrorKind::Permission && mode != Mode::Write
        && QFileInfo(real).isReadable() && QFileInfo(real + u"-wal"_s).size() == 0
        && QFileInfo(real + u"-journal"_s).size() == 0)
        opened = connect(real, QUrl::fromLocalFile(real).toEncoded() + "?immutable=1", mode, what);
    return opened;
}

/// `name`: the path, or a URI of it.
Result<std::unique_ptr<Database>> Database::connect(
    const QString& real, const QByteArray& name, Mode mode, const QString& what)
{
    sqlite3* handle = nullptr;
    const int flags = mode == Mode::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    const int code = sqlite3_open_v2(
        name.constData(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
    std::unique_ptr<Database> database(new Database(handle, real, what));
    database->m_writes = mode == Mode::Write;
    database->m_isComplete = name.endsWith("immutable=1");
    if (code != SQLITE_OK)
        return database->failed(code);
    sqlite3_busy_timeout(handle, busyTimeout);
    // What a file says must not run anything: it may be somebody else's.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, maxReadBytes);
    if (mode == Mode::Write) {
        LOCKSCOPE_TRY(database->script(writersCache));
    } else {
        database->m_answerBy = Clock::now() + maxTime;
        sqlite3_progress_handler(handle, stepsBetweenChecks, &Database::isTooLate, database.get());
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
        LOCKSCOPE_TRY(database->script("PRAGMA cell_size_check = ON"));
        // What the file says of its tables is read with this.
        LOCKSCOPE_TRY(database->script("SELECT count(*) FROM sqlite_schema"));
    }
    return database;
}

int Database::isTooLate(void* database)
{
    return Clock::now() > static_cast<const Database*>(database)->m_answerBy ? 1 : 0;
}

void Database::checkpointByHand()
{
    sqlite3_wal_hook(m_handle.get(), &Database::noteWal, this);
}

int Database::noteWal(void* database, sqlite3* handle, const char* schema, int pages)
{
    static_cast<Database*>(database)->m_walPages = pages;
    // A reader may keep it from being done; it is tried again after the next commit.
    if (pages >= maxWalPages)
        sqlite3_wal_checkpoint_v2(handle, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    return SQLITE_OK;
}

Result<void> Database::checkpoint()
{
    m_walPages = 0;
    return script("PRAGMA wal_checkpoint(PASSIVE)");
}

Result<void> Database::checkOwnFiles() const
{
    return checkOwn(m_path);
}

void Database::noteDamage(const Error& damage)
{
    if (!m_writes && !m_isComplete && !hasMoved())
        leaveDamageMark(m_path, damage);
}

Failure Database::failed(int code)
{
    Error error{.kind = kindOf(code),
        .what = u"The %1 %2 can't be used."_s.arg(m_what, m_path),
        .detail = QString::fromUtf8(m_handle.get() ? sqlite3_errmsg(m_handle.get()) : sqlite3_errstr(code)),
        .nativeCode = QString::number(code)};
    if ((code & 0xff) == SQLITE_NOTADB) {
        error.what = u"%1 is no %2 of Lockscope's."_s.arg(m_path, m_what);
        error.hint = u"Another program has written it: move it away if Lockscope is to make its own here."_s;
    } else if (isDamageCode(code)) {
        error.what = u"The %1 %2 is damaged."_s.arg(m_what, m_path);
        error.hint = rebuildingOf(m_path);
    }
    if (isDamageCode(code))
        noteDamage(error);
    if (error.kind == ErrorKind::Permission && !m_writes)
        error.hint = u"Let this account read it: see its owner and its rights, and those of its folder."_s;
    if (code == SQLITE_READONLY_ROLLBACK)
        error.hint = u"A program ended while it wrote to it; the next one that writes to it repairs it."_s;
    if ((code & 0xff) == SQLITE_FULL)
        error.hint = u"The disk is full: free some space."_s;
    if ((code & 0xff) == SQLITE_INTERRUPT)
        error.hint = u"It took too long: ask for a shorter time, or see whose file this is."_s;
    return Failure(std::move(error));
}

Result<void> Database::run(const char* name, std::initializer_list<Value> values, const Sink& each)
{
    m_answerBy = Clock::now() + maxTime;
    const int code = m_handle.run(db::Statement::get(name), std::span(values.begin(), values.size()),
        [&each](const db::SqliteRow& row) { return !each || each(FileRow(row)); });
    return code == SQLITE_DONE ? Result<void>() : failed(code);
}

Result<QStringList> Database::faults()
{
    QStringList faults;
    // Of a large file it may take minutes: it is read from the first page to the last.
    sqlite3_progress_handler(m_handle.get(), 0, nullptr, nullptr);
    const auto checked = run("recording/recording/integrity", {}, [&faults](const Row& row) {
        if (const QString line = row.text(0); line != u"ok"_s)
            faults << line;
        return true;
    });
    if (!m_writes)
        sqlite3_progress_handler(m_handle.get(), stepsBetweenChecks, &Database::isTooLate, this);
    if (!checked && !isDamage(checked.error()))
        return Failure(checked.error());
    if (!checked)
        faults << checked.error().detail;
    return faults;
}

Result<void> Database::script(const QByteArray& sql)
{
    m_answerBy = Clock::now() + maxTime;
    const int code = m_handle.runScript(sql);
    return code == SQLITE_OK ? Result<void>() : failed(code);
}

bool Database::hasMoved() const
{
    int moved = 0;
    return sqlite3_file_control(m_handle.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK
        && moved != 0;
}

void prepareForManyServers()
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2); // an arena for each thread is mostly unused memory
#endif
    // Else each connection begins with twenty pages, and a server has three.
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

} // namespace lockscope::record
