// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingWriter.h"

#include "core/record/Changes.h"
#include "core/record/FrameWriter.h"
#include "core/record/Numbers.h"
#include "core/record/Pruning.h"
#include "core/record/RecordingFile.h"
#include "core/record/WriterLock.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>
#include <QUuid>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr microseconds shortestGap = std::chrono::seconds(10);
constexpr int gapOfPauses = 4; // a pause so many times the usual one is a gap
constexpr microseconds longestUsual = std::chrono::minutes(10); // pause that is no gap if it comes again
constexpr microseconds clockTolerance = std::chrono::milliseconds(100);
constexpr int leftoversEvery = 60; // prunings: what nothing names any more is looked for in whole tables

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

} // namespace

class RecordingWriter::Impl {
public:
    Impl(QString path, Identity identity, std::unique_ptr<WriterLock> lock)
        : m_path(std::move(path))
        , m_identity(std::move(identity))
        , m_lock(std::move(lock))
    {
    }

    Result<void> reopen();
    Result<void> append(const SnapshotPtr& snapshot, ServerTime noted);
    Result<void> appendFailure(const Error& error, ServerTime noted);
    Result<void> appendGap(const QString& reason, ServerTime noted);
    Result<void> unpin(qint64 number);
    Result<void> prune(const Retention& retention, ServerTime now);
    Result<void> compact();
    Result<void> end(const QString& reason);
    /// A change beside the frames.
    Result<void> change(const std::function<Result<void>(FrameWriter&)>& change);
    Result<std::optional<ServerTime>> firstMoment();
    qint64 frames() const { return m_count; }
    bool isRedacted() const { return m_identity.redacted; }

private:
    /// There is a file to write to, the right to write it, and what is in memory is in it.
    Result<void> ready();
    Result<void> makeOrCheck();
    /// In a transaction; if that fails, what is in memory is read anew at the next call.
    Result<void> inTransaction(const std::function<Result<void>()>& change);
    /// Why nobody looked between the last moment and this one; nothing: somebody did.
    std::optional<QString> gapBefore(const Snapshot& snapshot, ServerTime noted) const;
    Result<void> noteFailure(const QString& text, ServerTime noted);
    /// The server's clock when nobody can ask it: so long after the last moment as this machine's clock says.
    ServerTime serverTimeAt(ServerTime noted) const
    {
        return m_lastNoted.isValid() ? m_lastTaken + (noted - m_lastNoted) : noted;
    }

    QString m_path;
    Identity m_identity;
    std::unique_ptr<WriterLock> m_lock;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<FrameWriter> m_frames;
    ServerTime m_lastTaken; // of the last moment, by both clocks
    ServerTime m_lastNoted;
    microseconds m_usualPause{0};
    microseconds m_lastPause{0}; // also if it was a gap
    int m_prunings = 0;
    qint64 m_count = 0;
    bool m_isSpoilt = true; // what is in memory is not what is in the file: it is to be opened anew
    struct Failing { // since when nothing can be read
        QString text;
        qint64 event = 0;
        qint64 attempts = 0;
    };
    Failing m_failing;
};

Result<void> RecordingWriter::Impl::reopen()
{
    m_isSpoilt = true;
    m_failing = {};
    m_frames.reset();
    m_database.reset();
    auto database = Database::open(m_path, Database::Mode::Write);
    if (!database)
        return Failure(database.error());
    m_database = std::move(*database);
    if (auto ready = makeOrCheck(); !ready)
        return ready;
    m_frames = std::make_unique<FrameWriter>(*m_database, m_identity.engine, m_identity.redacted);
    auto loaded = m_frames->load();
    m_isSpoilt = !loaded;
    return loaded;
}

Result<void> RecordingWriter::Impl::ready()
{
    if (!m_lock || !m_lock->isHeld()) {
        m_isSpoilt = true;
        m_frames.reset();
        m_database.reset();
        m_lock.reset();
        auto lock = WriterLock::take(m_path);
        if (!lock)
            return Failure(lock.error());
        m_lock = std::move(*lock);
    }
    const bool hasMoved = m_database && m_database->hasMoved();
    // What SQLite has written beside the old file would count as the new one's: it goes where it belongs.
    if (hasMoved)
        static_cast<void>(m_database->script("PRAGMA wal_checkpoint(TRUNCATE)"));
    return m_isSpoilt || hasMoved ? reopen() : Result<void>();
}

/// A file that is empty becomes a recording.
Result<void> RecordingWriter::Impl::makeOrCheck()
{
    // First whose file it is: nothing is changed in another program's.
    qint64 tables = 0;
    if (Steps steps(*m_database); !steps.number("recording/recording/tables", tables).result())
        return steps.result();
    if (tables > 0) {
        if (auto checked = checkRecording(*m_database, m_path, m_identity); !checked)
            return checked;
    }
    // Each commit is on disk when it returns (sqlite.org/pragma.html#pragma_synchronous). A reader that was
    // slow leaves a long WAL behind: it is cut when it is begun anew.
    for (const char* setting :
        {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 1000",
            "PRAGMA journal_size_limit = 67108864", "PRAGMA foreign_keys = OFF"}) {
        if (auto set = m_database->script(setting); !set)
            return set;
    }
    if (auto own = m_database->checkOwnFiles(); !own)
        return own;
    if (tables > 0) {
        if (auto upgraded = upgradeRecording(*m_database); !upgraded)
            return upgraded;
        return bindRecording(*m_database, m_identity);
    }
    if (m_count > 0) // the one before is gone, and whoever knows it must not take this one for it
        m_identity.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    return makeRecording(*m_database, m_identity);
}

Result<void> RecordingWriter::Impl::inTransaction(const std::function<Result<void>()>& change)
{
    m_isSpoilt = true; // until it is on disk
    auto done = record::inTransaction(*m_database, change);
    m_isSpoilt = !done;
    return done;
}

std::optional<QString> RecordingWriter::Impl::gapBefore(const Snapshot& snapshot, ServerTime noted) const
{
    const SnapshotPtr& last = m_frames->last();
    if (!last)
        return u"gap"_s;
    const microseconds byServer = snapshot.takenAt - last->takenAt;
    const microseconds byUs = noted - m_lastNoted;
    if (byServer < -clockTolerance)
        return u"the server's clock was set back"_s;
    if (byUs < -clockTolerance)
        return u"this computer's clock was set back"_s;
    const microseconds pause = std::max(byServer, byUs); // one of them may have been set forward
    // Who looks rarely has no gap at each look: the same pause again is the usual one.
    const microseconds again = m_lastPause <= longestUsual ? m_lastPause * 2 : microseconds(0);
    if (pause > std::max({shortestGap, m_usualPause * gapOfPauses, again}))
        return u"gap"_s;
    return std::nullopt;
}

Result<void> RecordingWriter::Impl::append(const SnapshotPtr& snapshot, ServerTime noted)
{
    if (snapshot->server != m_identity.server || snapshot->engine != m_identity.engine)
        return failure(ErrorKind::BadInput,
            u"%1 is a recording of %2: what was read from %3 does not belong there."_s.arg(
                m_path, m_identity.server, snapshot->server));
    if (auto opened = ready(); !opened)
        return opened;
    const auto gap = gapBefore(*snapshot, noted);
    auto written = inTransaction([&]() -> Result<void> {
        if (gap) {
            if (auto ended = m_frames->endSegment(*gap); !ended)
                return ended;
            if (auto begun = m_frames->beginSegment(snapshot->takenAt, noted, QSysInfo::machineHostName(),
                    QCoreApplication::applicationPid());
                !begun)
                return begun;
        }
        return m_frames->write(snapshot, noted);
    });
    if (!written)
        return written;
    const microseconds pause = m_lastNoted.isValid() ? noted - m_lastNoted : microseconds(0);
    if (gap)
        m_usualPause = {};
    else
        m_usualPause = m_usualPause.count() == 0 ? pause : (m_usualPause * 7 + pause) / 8;
    m_lastPause = pause;
    m_lastTaken = snapshot->takenAt;
    m_lastNoted = noted;
    m_failing = {};
    ++m_count;
    return {};
}

Result<void> RecordingWriter::Impl::appendFailure(const Error& error, ServerTime noted)
{
    if (auto opened = ready(); !opened)
        return opened;
    return inTransaction([&]() -> Result<void> {
        if (auto ended = m_frames->endSegment(error.what); !ended)
            return ended;
        return noteFailure(error.toString(), noted);
    });
}

/// The same again is put down with the first one: since when, how often.
Result<void> RecordingWriter::Impl::noteFailure(const QString& text, ServerTime noted)
{
    if (m_failing.text != text) {
        if (auto added = m_frames->add({serverTimeAt(noted), Event::Kind::Failure, text}, noted); !added)
            return added;
        m_failing = {text, m_database->lastId(), 1};
        return {};
    }
    const QJsonObject detail{{u"attempts"_s, ++m_failing.attempts}, {u"noted_until"_s, noted.toIsoString()}};
    return m_database->run("recording/recording/go_on_failing",
        {m_failing.event, QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact))});
}

Result<void> RecordingWriter::Impl::appendGap(const QString& reason, ServerTime noted)
{
    if (auto opened = ready(); !opened)
        return opened;
    return inTransaction([&]() -> Result<void> {
        if (auto ended = m_frames->endSegment(reason); !ended)
            return ended;
        return m_frames->add({serverTimeAt(noted), Event::Kind::Gap, reason}, noted);
    });
}

Result<void> RecordingWriter::Impl::end(const QString& reason)
{
    if (auto opened = ready(); !opened)
        return opened;
    return inTransaction([&] { return m_frames->endSegment(reason); });
}

Result<void> RecordingWriter::Impl::change(const std::function<Result<void>(FrameWriter&)>& change)
{
    if (auto opened = ready(); !opened)
        return opened;
    return record::inTransaction(*m_database, [&] { return change(*m_frames); });
}

Result<void> RecordingWriter::Impl::unpin(qint64 number)
{
    return change([&](FrameWriter&) -> Result<void> {
        qint64 before = 0;
        qint64 after = 0;
        Steps steps(*m_database);
        steps.number("recording/recording/pin_count", before);
        steps.run("recording/recording/drop_pin", {number});
        steps.number("recording/recording/pin_count", after);
        if (steps.result() && before == after)
            return failure(ErrorKind::MissingObject, u"%1 has no pin %2."_s.arg(m_path).arg(number));
        return steps.result();
    });
}

Result<void> RecordingWriter::Impl::prune(const Retention& retention, ServerTime now)
{
    const SnapshotPtr last = m_frames ? m_frames->last() : nullptr;
    if (!now.isValid() && (!last || m_isSpoilt))
        return {};
    if (auto opened = ready(); !opened)
        return opened;
    ServerTime taken = last ? last->takenAt : now;
    if (now.isValid() && !last) {
        const auto read = m_database->run("recording/recording/latest", {}, [&](const Database::Row& row) {
            taken = ServerTime{row.number(0)} + (now - ServerTime{row.number(1)});
            return true;
        });
        if (!read)
            return read;
    }
    const bool leftovers = now.isValid() || m_prunings++ % leftoversEvery == 0;
    Pruning pruning(*m_database, m_frames->numbers());
    auto pruned = pruning.run(retention, taken, now.isValid() ? now : m_lastNoted, leftovers);
    m_isSpoilt = m_isSpoilt || !pruned; // numbers may be of what was taken back
    return pruned;
}

Result<void> RecordingWriter::Impl::compact()
{
    if (auto opened = ready(); !opened)
        return opened;
    for (const char* step : {"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"}) {
        if (auto done = m_database->script(step); !done)
            return done;
    }
    return {};
}

Result<std::optional<ServerTime>> RecordingWriter::Impl::firstMoment()
{
    if (auto opened = ready(); !opened)
        return Failure(opened.error());
    std::optional<ServerTime> first;
    const auto read =
        m_database->run("recording/recording/first_moment", {}, [&first](const Database::Row& row) {
            first = ServerTime{row.number(0)};
            return false;
        });
    if (!read)
        return Failure(read.error());
    return first;
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
    auto lock = WriterLock::take(path);
    if (!lock)
        return Failure(lock.error());
    auto impl = std::make_unique<Impl>(path, identity, std::move(*lock));
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

Result<void> RecordingWriter::appendGap(const QString& reason, ServerTime noted)
{
    return m_impl->appendGap(reason, noted);
}

Result<void> RecordingWriter::add(const Event& event, ServerTime noted)
{
    return m_impl->change([&](FrameWriter& writer) { return writer.add(event, noted); });
}

Result<void> RecordingWriter::add(const Incidents::News& news, ServerTime noted)
{
    if (news.events.isEmpty() && news.pins.isEmpty() && news.reports.isEmpty())
        return {};
    return m_impl->change([&](FrameWriter& writer) -> Result<void> {
        Result<void> added;
        for (qsizetype i = 0; i < news.events.size() && added; ++i)
            added = writer.add(news.events[i], noted);
        for (qsizetype i = 0; i < news.reports.size() && added; ++i) {
            // Its text repeats statements as they were sent.
            if (!isRedacted() && !tellsSecrets(news.reports[i].raw))
                added = writer.add(news.reports[i], noted);
        }
        for (qsizetype i = 0; i < news.pins.size() && added; ++i)
            added = writer.add(news.pins[i]);
        return added;
    });
}

Result<void> RecordingWriter::pin(ServerTime from, ServerTime to, const QString& why)
{
    return m_impl->change([&](FrameWriter& writer) { return writer.add(Pin{from, to, why}); });
}

Result<void> RecordingWriter::unpin(qint64 number)
{
    return m_impl->unpin(number);
}

Result<void> RecordingWriter::prune(const Retention& retention, ServerTime now)
{
    return m_impl->prune(retention, now);
}

Result<void> RecordingWriter::compact()
{
    return m_impl->compact();
}

Result<void> RecordingWriter::end(const QString& reason)
{
    return m_impl->end(reason);
}

qint64 RecordingWriter::framesWritten() const
{
    return m_impl->frames();
}

bool RecordingWriter::isRedacted() const
{
    return m_impl->isRedacted();
}

Result<std::optional<ServerTime>> RecordingWriter::firstMoment()
{
    return m_impl->firstMoment();
}

bool isWrittenByAnother(const Error& error)
{
    return error.nativeCode == writtenByAnother;
}

} // namespace lockscope::record
