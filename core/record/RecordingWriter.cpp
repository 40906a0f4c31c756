// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingWriter.h"

#include "core/db/Statement.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/EngineKey.h"
#include "core/domain/SessionName.h"
#include "core/record/Database.h"
#include "core/record/LockIntervals.h"
#include "core/record/Numbers.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QSysInfo>

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int formatVersion = 1;
constexpr qint64 applicationId = 0x4c6b7363;
constexpr qint64 framesPerKey = 60;
constexpr microseconds shortestGap = std::chrono::seconds(10);
constexpr int gapOfPauses = 4; // a pause so many times the usual one is a gap
constexpr microseconds longestUsual = std::chrono::minutes(10); // pause that is no gap if it comes again
constexpr microseconds clockTolerance = std::chrono::milliseconds(100);
constexpr int leftoversEvery = 60; // prunings: what nothing names any more is looked for in whole tables

QString hostName()
{
    return QSysInfo::machineHostName();
}

/// Folders that are not there are made for this account only.
bool makeFolder(const QString& folder)
{
    if (QFileInfo(folder).isDir())
        return true;
    const QString above = QFileInfo(folder).path();
    return above != folder && makeFolder(above)
        && (QDir().mkdir(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner)
            || QFileInfo(folder).isDir());
}

/// BEGIN … COMMIT; taken back unless it was committed.
class Changes {
public:
    explicit Changes(Database& database)
        : m_database(database)
        , m_begun(database.script("BEGIN IMMEDIATE"))
    {
    }
    ~Changes()
    {
        if (m_begun && !m_done)
            static_cast<void>(m_database.script("ROLLBACK"));
    }
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;

    const Result<void>& begun() const { return m_begun; }
    Result<void> commit()
    {
        Result<void> result = m_database.script("COMMIT");
        m_done = result.has_value();
        return result;
    }

private:
    Database& m_database;
    Result<void> m_begun;
    bool m_done = false;
};

/// Runs one after another until one fails.
class Steps {
public:
    explicit Steps(Database& database)
        : m_database(database)
    {
    }
    Steps& run(const char* name, std::initializer_list<Value> values = {}, const Database::Sink& each = {})
    {
        if (m_result)
            m_result = m_database.run(name, values, each);
        return *this;
    }
    const Result<void>& result() const { return m_result; }

private:
    Database& m_database;
    Result<void> m_result;
};

} // namespace

class RecordingWriter::Impl {
public:
    Impl(QString path, Identity identity, std::unique_ptr<QLockFile> lock)
        : m_path(std::move(path))
        , m_identity(std::move(identity))
        , m_lock(std::move(lock))
    {
    }

    Result<void> reopen();
    /// There is a file to write to, and what is in memory is in it.
    Result<void> ready();
    Result<void> append(const SnapshotPtr& snapshot, ServerTime noted);
    Result<void> appendFailure(const Error& error, ServerTime noted);
    Result<void> inTransaction(const std::function<Result<void>()>& change);
    Result<void> add(const Event& event, ServerTime noted);
    Result<void> prune(const Retention& retention);
    Result<void> end(const QString& reason);
    Database& database() { return *m_database; }
    qint64 frames() const { return m_frames; }

private:
    Result<void> endSegment(const QString& reason);
    Result<void> makeOrCheck();
    Result<void> checkIdentity();
    Result<void> endLeftIntervals();
    Result<void> write(const Snapshot& snapshot, ServerTime noted);
    Result<void> beginSegment(const Snapshot& snapshot, ServerTime noted);
    bool isGap(const Snapshot& snapshot, ServerTime noted) const;
    bool isReplaced() const;
    Result<void> addIntervals(const std::vector<LockInterval>& intervals);
    Result<qint64> dropUntil(ServerTime before, ServerTime notedBefore);
    Result<qint64> usedBytes();

    QString m_path;
    Identity m_identity;
    std::unique_ptr<QLockFile> m_lock;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<Numbers> m_numbers;
    LockIntervals m_intervals;
    SnapshotPtr m_last; // of this segment
    ServerTime m_lastNoted;
    microseconds m_usualPause{0};
    microseconds m_lastPause{0}; // also if it was a gap
    int m_prunings = 0;
    qint64 m_segment = 0; // 0: none has begun
    qint64 m_lastFrame = 0;
    qint64 m_keyFrame = 0;
    qint64 m_lastInterval = 0;
    qint64 m_frames = 0;
    bool m_isSpoilt = true; // what is in memory is not what is in the file: it is to be opened anew
};

Result<void> RecordingWriter::Impl::reopen()
{
    m_isSpoilt = true;
    m_numbers.reset();
    m_database.reset();
    m_intervals = {};
    m_last.reset();
    m_segment = 0;
    auto database = Database::open(m_path, Database::Mode::Write);
    if (!database)
        return Failure(database.error());
    m_database = std::move(*database);
    m_numbers = std::make_unique<Numbers>(*m_database, m_identity.engine, m_identity.redacted);
    if (auto ready = makeOrCheck(); !ready)
        return ready;
    Steps steps(*m_database);
    steps.run("recording/recording/last_frame", {}, [this](const Database::Row& row) {
        m_lastFrame = row.number(0);
        return true;
    });
    steps.run("recording/recording/last_interval", {}, [this](const Database::Row& row) {
        m_lastInterval = row.number(0);
        return true;
    });
    if (!steps.result())
        return steps.result();
    if (auto loaded = m_numbers->load(m_lastFrame); !loaded)
        return loaded;
    auto ended = inTransaction([this] { return endLeftIntervals(); });
    m_isSpoilt = !ended;
    return ended;
}

Result<void> RecordingWriter::Impl::ready()
{
    return m_isSpoilt || isReplaced() ? reopen() : Result<void>();
}

/// A file that is empty becomes a recording.
Result<void> RecordingWriter::Impl::makeOrCheck()
{
    // First whose file it is: nothing is changed in another program's.
    qint64 tables = 0;
    Steps steps(*m_database);
    steps.run("recording/recording/tables", {}, [&tables](const Database::Row& row) {
        tables = row.number(0);
        return true;
    });
    if (!steps.result())
        return steps.result();
    if (tables > 0) {
        if (auto checked = checkIdentity(); !checked)
            return checked;
    }
    // Each commit is on disk when it returns (sqlite.org/pragma.html#pragma_synchronous).
    for (const char* setting : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
             "PRAGMA wal_autocheckpoint = 1000", "PRAGMA foreign_keys = OFF"}) {
        if (auto set = m_database->script(setting); !set)
            return set;
    }
    if (auto own = m_database->checkOwnFiles(); !own || tables > 0)
        return own;
    return inTransaction([this]() -> Result<void> {
        if (auto made = m_database->script(db::Statement::get("recording/install.sql").sql()); !made)
            return made;
        return m_database->run("recording/recording/identify",
            {m_identity.id, m_identity.server, engineKey(m_identity.engine), m_identity.began.us,
                qint64(m_identity.redacted), m_identity.program});
    });
}

Result<void> RecordingWriter::Impl::checkIdentity()
{
    qint64 application = 0;
    qint64 strange = 0;
    qint64 version = 0;
    QString server;
    QString engine;
    bool redacted = false;
    Steps steps(*m_database);
    steps.run("recording/recording/application", {}, [&application](const Database::Row& row) {
        application = row.number(0);
        return true;
    });
    steps.run("recording/recording/strange_tables", {}, [&strange](const Database::Row& row) {
        strange = row.number(0);
        return true;
    });
    if (steps.result() && (application != applicationId || strange != 0))
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(m_path),
            u"Choose another file."_s);
    steps.run("recording/recording/version", {}, [&version](const Database::Row& row) {
        version = row.number(0);
        return true;
    });
    if (steps.result() && version > formatVersion)
        return failure(ErrorKind::BadInput, u"The recording %1 was made by a newer program."_s.arg(m_path),
            u"Update this program."_s);
    steps.run("recording/recording/identity", {}, [&](const Database::Row& row) {
        server = row.text(1);
        engine = row.text(2);
        redacted = row.number(4) != 0;
        return true;
    });
    if (!steps.result())
        return steps.result();
    if (m_identity.redacted && !redacted)
        return failure(ErrorKind::BadInput,
            u"The recording %1 keeps the values that stand in statements."_s.arg(m_path),
            u"Choose another file: from now on they would be kept, too."_s);
    m_identity.redacted = redacted;
    m_numbers = std::make_unique<Numbers>(*m_database, m_identity.engine, m_identity.redacted);
    if (server != m_identity.server || engine != engineKey(m_identity.engine))
        return failure(ErrorKind::BadInput, u"The file %1 is a recording of %2."_s.arg(m_path, server),
            u"Choose another file."_s);
    return {};
}

/// Those that went on when the program was cut off end as they were seen last. Within a transaction.
Result<void> RecordingWriter::Impl::endLeftIntervals()
{
    Steps steps(*m_database);
    steps.run("recording/recording/end_open", {m_lastInterval});
    steps.run("recording/recording/forget_open");
    steps.run("recording/recording/last_interval", {}, [this](const Database::Row& row) {
        m_lastInterval = row.number(0);
        return true;
    });
    return steps.result();
}

Result<void> RecordingWriter::Impl::inTransaction(const std::function<Result<void>()>& change)
{
    Changes changes(*m_database);
    if (!changes.begun())
        return changes.begun();
    Result<void> result = change();
    if (result)
        result = changes.commit();
    return result;
}

bool RecordingWriter::Impl::isReplaced() const
{
    return m_database->hasMoved();
}

bool RecordingWriter::Impl::isGap(const Snapshot& snapshot, ServerTime noted) const
{
    if (!m_last)
        return true;
    const microseconds byServer = snapshot.takenAt - m_last->takenAt;
    const microseconds byUs = noted - m_lastNoted;
    if (byServer < -clockTolerance || byUs < -clockTolerance)
        return true; // a clock was set back
    const microseconds pause = std::max(byServer, byUs); // one of them may have been set forward
    // Who looks rarely has no gap at each look: the same pause again is the usual one.
    const microseconds again = m_lastPause <= longestUsual ? m_lastPause * 2 : microseconds(0);
    return pause > std::max({shortestGap, m_usualPause * gapOfPauses, again});
}

Result<void> RecordingWriter::Impl::append(const SnapshotPtr& snapshot, ServerTime noted)
{
    if (auto opened = ready(); !opened)
        return opened;
    m_isSpoilt = true; // until it is on disk
    const auto written = inTransaction([&] { return write(*snapshot, noted); });
    if (!written)
        return written;
    m_isSpoilt = false;
    if (m_last) {
        const microseconds pause = noted - m_lastNoted;
        m_usualPause = m_usualPause.count() == 0 ? pause : (m_usualPause * 7 + pause) / 8;
    }
    m_lastPause = m_lastNoted.isValid() ? noted - m_lastNoted : microseconds(0);
    m_last = snapshot;
    m_lastNoted = noted;
    ++m_frames;
    return {};
}

Result<void> RecordingWriter::Impl::beginSegment(const Snapshot& snapshot, ServerTime noted)
{
    if (m_segment != 0) {
        if (auto ended = endSegment(u"gap"_s); !ended)
            return ended;
    }
    if (auto begun = m_database->run("recording/recording/begin_segment",
            {snapshot.takenAt.us, noted.us, hostName(), QCoreApplication::applicationPid()});
        !begun)
        return begun;
    m_segment = m_database->lastId();
    m_usualPause = {};
    return {};
}

Result<void> RecordingWriter::Impl::write(const Snapshot& snapshot, ServerTime noted)
{
    if (isGap(snapshot, noted)) {
        if (auto begun = beginSegment(snapshot, noted); !begun)
            return begun;
        m_last.reset();
    }
    const qint64 number = ++m_lastFrame;
    const bool isKey = !m_last || number - m_keyFrame >= framesPerKey;
    if (isKey) {
        m_keyFrame = number;
        m_numbers->setKeyFrame(number);
    }
    static const Snapshot nothing;
    RowOrigins origins;
    const QByteArray frame =
        encodeFrame(isKey ? nothing : *m_last, snapshot, *m_numbers, isKey && m_last ? nullptr : &origins);
    if (isKey && m_last)
        origins = originsOf(*m_last, snapshot);

    const LockIntervals::News news = m_intervals.advance(snapshot, origins, *m_numbers);
    const BlockingGraph& graph = snapshot.blocking();
    const auto waiting = std::count_if(snapshot.requests.begin(), snapshot.requests.end(),
        [](const LockRequest& request) { return request.isWaiting(); });
    Age longest;
    for (const LockRequest& request : snapshot.requests) {
        if (const auto age = request.isWaiting() ? snapshot.ageOf(request) : std::nullopt;
            age && age->value > longest.value)
            longest = *age;
    }
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        const auto age = std::chrono::floor<milliseconds>(snapshot.takenAt - waiter.registeredAt);
        if (!waiter.isBad() && age > longest.value)
            longest = {age, true};
    }
    const QString head =
        graph.heads().empty() ? QString() : sessionTitle(snapshot, graph.heads().front().session);
    const auto headText = static_cast<qint64>(m_numbers->numberOf(head.isEmpty() ? QString() : head));
    if (auto numbered = m_numbers->takeError(); !numbered)
        return numbered;
    Steps steps(*m_database);
    steps.run("recording/recording/add_frame",
        {number, m_segment, m_keyFrame, snapshot.takenAt.us, noted.us, qint64(snapshot.sessions.size()),
            qint64(snapshot.requests.size() + snapshot.entries.size()),
            qint64(waiting) + qint64(snapshot.entryWaiters.size()), qint64(longest.value.count()),
            qint64(longest.exact), qint64(graph.heads().size()), headText, packed(frame)});
    steps.run("recording/recording/go_on", {m_segment, snapshot.takenAt.us});
    for (const LockInterval& begun : news.begun) {
        steps.run("recording/recording/add_open",
            {begun.id, begun.resource, begun.from.us, begun.party, u""_s + begun.mode, qint64(begun.waited),
                qint64(begun.fromExact)});
    }
    for (const LockInterval& ended : news.ended)
        steps.run("recording/recording/drop_open", {ended.id});
    return steps.result() ? addIntervals(news.ended) : steps.result();
}

Result<void> RecordingWriter::Impl::addIntervals(const std::vector<LockInterval>& intervals)
{
    for (const LockInterval& interval : intervals) {
        const auto added = m_database->run("recording/recording/add_interval",
            {interval.resource, interval.from.us, ++m_lastInterval, interval.party, u""_s + interval.mode,
                qint64(interval.waited), qint64(interval.fromExact), interval.to.us,
                interval.gone ? Value(interval.gone->us) : Value()});
        if (!added)
            return added;
    }
    return {};
}

/// Within a transaction.
Result<void> RecordingWriter::Impl::endSegment(const QString& reason)
{
    if (auto added = addIntervals(m_intervals.end()); !added)
        return added;
    Steps steps(*m_database);
    steps.run("recording/recording/forget_open");
    steps.run("recording/recording/end_segment", {m_segment, reason});
    m_segment = 0;
    m_last.reset();
    return steps.result();
}

Result<void> RecordingWriter::Impl::end(const QString& reason)
{
    if (auto opened = ready(); !opened)
        return opened;
    m_isSpoilt = true;
    auto ended = inTransaction([&] { return endSegment(reason); });
    m_isSpoilt = !ended;
    return ended;
}

Result<void> RecordingWriter::Impl::appendFailure(const Error& error, ServerTime noted)
{
    // By the server's clock it is not known when: so long after the last moment as this machine's clock says.
    const ServerTime at = m_last ? m_last->takenAt + (noted - m_lastNoted) : noted;
    const bool isNews = m_last != nullptr;
    if (auto opened = ready(); !opened)
        return opened;
    m_isSpoilt = true;
    const auto written = inTransaction([&]() -> Result<void> {
        if (!isNews)
            return {}; // the gap has begun
        if (auto ended = endSegment(error.what); !ended)
            return ended;
        return add({at, Event::Kind::Failure, error.toString()}, noted);
    });
    if (written)
        m_isSpoilt = false;
    return written;
}

Result<void> RecordingWriter::Impl::add(const Event& event, ServerTime noted)
{
    return m_database->run("recording/recording/add_event",
        {event.at.us, noted.us, eventKindName(event.kind), event.what, u""_s + event.detail,
            event.sourceKey.isEmpty() ? Value() : Value(event.sourceKey)});
}

Result<qint64> RecordingWriter::Impl::usedBytes()
{
    qint64 bytes = 0;
    const auto read =
        m_database->run("recording/recording/used_bytes", {}, [&bytes](const Database::Row& row) {
            bytes = row.number(0);
            return true;
        });
    if (!read)
        return Failure(read.error());
    return bytes;
}

Result<void> RecordingWriter::Impl::prune(const Retention& retention)
{
    if (!m_last || m_isSpoilt)
        return {};
    // By both clocks: one that is set forward must not make all old at once.
    if (auto dropped = dropUntil(m_last->takenAt - retention.age, m_lastNoted - retention.age); !dropped)
        return Failure(dropped.error());
    std::optional<ServerTime> first;
    const auto read = m_database->run("recording/recording/span", {}, [&first](const Database::Row& row) {
        first = ServerTime{row.number(0)};
        return true;
    });
    if (!read)
        return read;
    // Too much: a twentieth of the time after the other. What is pinned stays.
    constexpr int parts = 20;
    for (int part = 1; part < parts; ++part) {
        const auto used = usedBytes();
        if (!used)
            return Failure(used.error());
        if (*used <= retention.bytes)
            break;
        const auto dropped = dropUntil(
            *first + (m_last->takenAt - *first) * part / parts, {std::numeric_limits<qint64>::max()});
        if (!dropped)
            return Failure(dropped.error());
    }
    if (m_prunings++ % leftoversEvery != 0)
        return {};
    m_numbers->dropped(0); // what it remembers of resources and parties
    return inTransaction([this] {
        Steps steps(*m_database);
        steps.run("recording/recording/drop_resources");
        steps.run("recording/recording/drop_parties");
        return steps.result();
    });
}

/// Drops the key frames with all that follows them, up to the one before `before`; gives how many.
Result<qint64> RecordingWriter::Impl::dropUntil(ServerTime before, ServerTime notedBefore)
{
    struct Group {
        qint64 first;
        ServerTime from;
        ServerTime noted;
    };
    std::vector<Group> groups;
    const auto read =
        m_database->run("recording/recording/key_frames", {}, [&groups](const Database::Row& row) {
            groups.push_back({row.number(0), {row.number(1)}, {row.number(2)}});
            return true;
        });
    if (!read)
        return Failure(read.error());
    qint64 dropped = 0;
    qint64 oldest = groups.empty() ? 0 : groups.back().first;
    ServerTime young = groups.empty() ? before : groups.back().from; // from then on all is kept
    const auto result = inTransaction([&]() -> Result<void> {
        for (size_t i = 0; i + 1 < groups.size(); ++i) {
            const ServerTime to = groups[i + 1].from;
            bool pinned = to > before || groups[i + 1].noted > notedBefore;
            if (pinned)
                young = std::min(young, groups[i].from);
            else {
                const auto asked = m_database->run("recording/recording/is_pinned",
                    {groups[i].from.us, to.us}, [&pinned](const Database::Row&) {
                        pinned = true;
                        return false;
                    });
                if (!asked)
                    return asked;
            }
            if (pinned) {
                oldest = std::min(oldest, groups[i].first);
                continue;
            }
            if (auto gone = m_database->run(
                    "recording/recording/drop_frames", {groups[i].first, groups[i + 1].first - 1});
                !gone)
                return gone;
            ++dropped;
        }
        if (dropped == 0)
            return {};
        Steps steps(*m_database);
        const qint64 until = std::min(before, young).us;
        steps.run("recording/recording/drop_intervals", {until});
        steps.run("recording/recording/drop_events", {until});
        steps.run("recording/recording/drop_texts", {oldest});
        steps.run("recording/recording/drop_segments", {until});
        return steps.result();
    });
    if (!result)
        return Failure(result.error());
    if (dropped > 0)
        m_numbers->dropped(oldest);
    return dropped;
}

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

RecordingWriter::~RecordingWriter() = default;

Result<std::unique_ptr<RecordingWriter>> RecordingWriter::open(const QString& path, const Identity& identity)
{
    if (!makeFolder(QFileInfo(path).absolutePath()))
        return failure(ErrorKind::Permission, u"The folder of %1 can't be made."_s.arg(path));
    auto lock = std::make_unique<QLockFile>(path + u".lock"_s);
    lock->setStaleLockTime(0); // only the end of its process frees it
    if (!lock->tryLock(0)) {
        qint64 process = 0;
        QString host;
        QString program;
        if (lock->getLockInfo(&process, &host, &program))
            return failure(ErrorKind::Permission,
                u"The recording %1 is written by %2 (process %3) already."_s.arg(path, program).arg(process),
                u"One program a recording is enough; any number may read it."_s);
        return failure(
            ErrorKind::Permission, u"The recording %1 can't be written: its folder is closed."_s.arg(path));
    }
    auto impl = std::make_unique<Impl>(path, identity, std::move(lock));
    if (const auto opened = impl->reopen(); !opened)
        return Failure(opened.error());
    return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(impl)));
}

Result<void> RecordingWriter::append(const SnapshotPtr& snapshot, ServerTime noted)
{
    return m_impl->append(snapshot, noted);
}

Result<void> RecordingWriter::appendFailure(const Error& error, ServerTime noted)
{
    return m_impl->appendFailure(error, noted);
}

Result<void> RecordingWriter::add(const Event& event, ServerTime noted)
{
    if (auto opened = m_impl->ready(); !opened)
        return opened;
    return m_impl->inTransaction([&] { return m_impl->add(event, noted); });
}

Result<void> RecordingWriter::pin(ServerTime from, ServerTime to, const QString& why)
{
    if (auto opened = m_impl->ready(); !opened)
        return opened;
    return m_impl->inTransaction([&] {
        return m_impl->database().run("recording/recording/add_pin", {from.us, to.us, why});
    });
}

Result<void> RecordingWriter::prune(const Retention& retention)
{
    return m_impl->prune(retention);
}

Result<void> RecordingWriter::end(const QString& reason)
{
    return m_impl->end(reason);
}

qint64 RecordingWriter::framesWritten() const
{
    return m_impl->frames();
}

} // namespace lockscope::record
