// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingWriter.h"

#include "core/base/ServerTime.h"
#include "core/domain/SqlLexer.h"
#include "core/record/Coverage.h"
#include "core/record/Damage.h"
#include "core/record/Database.h"
#include "core/record/FrameWriter.h"
#include "core/record/Numbers.h"
#include "core/record/Pruning.h"
#include "core/record/Recording.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingNotes.h"
#include "core/record/Store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds takeUpNotesEvery{500};
constexpr int leftoversEvery = 60; // prunings: rows that nothing names any more are searched in whole tables
constexpr std::chrono::milliseconds pruningSlice{10};

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

Result<void> RecordingWriter::reopen()
{
    m_isSpoilt = true;
    m_failing = {};
    m_pruning.reset();
    m_frames.reset();
    m_database.reset();
    if (auto met = damageMarkOf(m_path))
        return Failure(std::move(*met));
    removeDamageMark(m_path); // of a file that was here before
    LOCKSCOPE_TRY_GET(m_database, Database::open(m_path, Database::Mode::Write));
    LOCKSCOPE_TRY(makeOrCheck());
    m_frames = std::make_unique<FrameWriter>(*m_database, m_identity.engine, m_identity.redacted);
    m_prunings = 0;
    auto loaded = m_frames->load();
    m_isSpoilt = !loaded;
    return loaded;
}

Result<void> RecordingWriter::ready()
{
    if (!m_lock || !m_lock->isHeld()) {
        m_isSpoilt = true;
        m_pruning.reset();
        m_frames.reset();
        m_database.reset();
        m_lock.reset();
        LOCKSCOPE_TRY_GET(m_lock, WriterLock::take(m_path));
    }
    if (auto met = damageMarkOf(m_path))
        return Failure(std::move(*met));
    const bool hasMoved = m_database && m_database->hasMoved();
    // What SQLite has written beside the old file would count as the new one's: it goes where it belongs.
    if (hasMoved)
        static_cast<void>(m_database->script("PRAGMA wal_checkpoint(TRUNCATE)"));
    return m_isSpoilt || hasMoved ? reopen() : Result<void>();
}

/// A file that is empty becomes a recording.
Result<void> RecordingWriter::makeOrCheck()
{
    // First whose file it is: nothing is changed in another program's.
    LOCKSCOPE_TRY_GET(const qint64 tables, m_database->number("recording/recording/tables"));
    if (tables > 0) {
        LOCKSCOPE_TRY(checkRecording(*m_database, m_path, m_identity));
    }
    // As long as there is nothing in the file yet: free pages are given back to the disk a few at a time.
    LOCKSCOPE_TRY(tables == 0 ? m_database->script("PRAGMA auto_vacuum = INCREMENTAL") : Result<void>());
    // Each commit is on disk when it returns (sqlite.org/pragma.html#pragma_synchronous). A reader that was
    // slow leaves a long WAL behind: it is cut when it is begun again.
    for (const char* setting : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
             "PRAGMA journal_size_limit = 67108864", "PRAGMA foreign_keys = OFF"}) {
        LOCKSCOPE_TRY(m_database->script(setting));
    }
    m_database->checkpointByHand();
    LOCKSCOPE_TRY(m_database->checkOwnFiles());
    if (tables > 0)
        return {};
    if (m_count == 0)
        return makeRecording(*m_database, m_identity);
    // The one before is gone, and a reader that knows it must not take this one for it.
    m_identity.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    LOCKSCOPE_TRY(makeRecording(*m_database, m_identity));
    const QString news =
        u"The recording %1 was deleted or moved while it was written; another one was begun."_s.arg(m_path);
    LOCKSCOPE_TRY(
        addEvent(*m_database, serverTimeAt(ownClock()), ownClock(), eventKindName(Event::Kind::Note), news));
    m_news = news;
    return {};
}

Result<void> RecordingWriter::inTransaction(const std::function<Result<void>()>& change)
{
    m_isSpoilt = true; // until it is on disk
    auto done = record::inTransaction(*m_database, change);
    m_isSpoilt = !done;
    return done;
}

/// The file has it from the first snapshot on that came with one.
Result<void> RecordingWriter::noteCluster(const QString& cluster)
{
    if (cluster.isEmpty() || cluster == m_identity.cluster)
        return {};
    if (isAnotherCluster(m_identity, cluster)) {
        Identity now = m_identity;
        now.cluster = cluster;
        return ofAnotherServer(m_path, m_identity, now);
    }
    LOCKSCOPE_TRY(m_database->run("recording/recording/set_cluster", {cluster}));
    m_identity.cluster = cluster;
    return {};
}

Result<void> RecordingWriter::write(
    const monitor::Surroundings& surroundings, ServerTime taken, ServerTime noted)
{
    LOCKSCOPE_TRY(m_frames->add(surroundings.measures, taken));
    for (const monitor::ChangedSetting& each : surroundings.changed) {
        const QString now = each.now.isNull() ? u"as the server has it by itself"_s : each.now;
        const QJsonObject detail{{u"setting"_s, each.name}, {u"before"_s, each.before}, {u"now"_s, each.now}};
        LOCKSCOPE_TRY(m_frames->add(
            Event{.at = taken,
                .kind = Event::Kind::Note,
                .what = u"The server's setting %1 was changed: it is %2."_s.arg(each.name, now),
                .detail = QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact))},
            noted));
    }
    return {};
}

Result<void> RecordingWriter::append(const SnapshotPtr& snapshot, ServerTime noted, const PollTiming& timing,
    const monitor::Surroundings& surroundings)
{
    if (snapshot->server != m_identity.server || snapshot->engine != m_identity.engine)
        return failure(ErrorKind::BadInput,
            u"%1 is a recording of %2: what was read from %3 does not belong there."_s.arg(
                m_path, m_identity.server, snapshot->server));
    LOCKSCOPE_TRY(ready());
    LOCKSCOPE_TRY(noteCluster(surroundings.cluster));
    const PollPauses::Times times{snapshot->takenAt, noted, timing};
    auto written = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(write(snapshot, times));
        return write(surroundings, snapshot->takenAt, noted);
    });
    if (!written) {
        m_unwritten = isDiskFull(written.error())
            ? gapReasonName(Coverage::Reason::Disk)
            : u"The disk could not be written: %1"_s.arg(written.error().what);
        return written;
    }
    m_unwritten.clear();
    m_pauses.note(times);
    m_lastTaken = snapshot->takenAt;
    m_lastNoted = noted;
    m_failing = {};
    ++m_count;
    return takeUpNotes();
}

Result<void> RecordingWriter::write(const SnapshotPtr& snapshot, const PollPauses::Times& times)
{
    const std::optional<QString> end = m_frames->last() ? m_pauses.segmentEnd(times) : u""_s;
    if (end) {
        LOCKSCOPE_TRY(m_frames->isInSegment() ? m_frames->endSegment(*end)
                : m_unwritten.isEmpty()       ? Result<void>()
                                              : m_frames->explainEnd(m_unwritten));
        LOCKSCOPE_TRY(m_frames->beginSegment(
            times.taken, times.noted, QSysInfo::machineHostName(), QCoreApplication::applicationPid()));
    }
    return m_frames->write(snapshot, times.noted, m_pauses.interval(times));
}

Result<void> RecordingWriter::appendFailure(const Error& error, ServerTime noted)
{
    LOCKSCOPE_TRY(ready());
    auto written = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(m_frames->endSegment(error.what));
        return noteFailure(error.toString(), noted);
    });
    return written ? takeUpNotes() : written;
}

/// The same again is put down with the first one: since when, how often.
Result<void> RecordingWriter::noteFailure(const QString& text, ServerTime noted)
{
    if (m_failing.text != text) {
        const ServerTime since = serverTimeAt(noted);
        LOCKSCOPE_TRY(m_frames->add({.at = since, .kind = Event::Kind::Failure, .what = text}, noted));
        m_failing = {.text = text, .since = since, .event = m_database->lastId(), .attempts = 1};
        return {};
    }
    const QJsonObject detail{{u"attempts"_s, ++m_failing.attempts}, {u"noted_until"_s, noted.toIsoString()}};
    const QString message = QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact));
    return m_database->run("recording/recording/go_on_failing",
        {m_failing.event, message,
            eventChecksum(m_failing.since, eventKindName(Event::Kind::Failure), text, message)});
}

Result<void> RecordingWriter::appendGap(const QString& reason, ServerTime noted)
{
    LOCKSCOPE_TRY(ready());
    return inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(m_frames->endSegment(reason));
        return m_frames->add({.at = serverTimeAt(noted), .kind = Event::Kind::Gap, .what = reason}, noted);
    });
}

Result<void> RecordingWriter::end(const QString& reason)
{
    LOCKSCOPE_TRY(ready());
    return inTransaction([&] { return m_frames->endSegment(reason); });
}

Result<void> RecordingWriter::change(const std::function<Result<void>(FrameWriter&)>& change)
{
    LOCKSCOPE_TRY(ready());
    return record::inTransaction(*m_database, [&] { return change(*m_frames); });
}

Result<void> RecordingWriter::unpin(qint64 number)
{
    return change([&](FrameWriter&) -> Result<void> {
        LOCKSCOPE_TRY_GET(const qint64 before, m_database->number("recording/recording/pin_count"));
        LOCKSCOPE_TRY(m_database->run("recording/recording/drop_pin", {number}));
        LOCKSCOPE_TRY_GET(const qint64 after, m_database->number("recording/recording/pin_count"));
        if (before == after)
            return failure(ErrorKind::MissingObject, u"%1 has no pin %2."_s.arg(m_path).arg(number));
        return {};
    });
}

Result<void> RecordingWriter::prune(const Retention& retention, ServerTime now)
{
    const SnapshotPtr last = m_frames ? m_frames->last() : nullptr;
    if (!now.isValid() && (!last || m_isSpoilt))
        return {};
    LOCKSCOPE_TRY(ready());
    auto pruned = pruneAtOnce(retention, now);
    m_isSpoilt = m_isSpoilt || !pruned; // numbers may be of what was taken back
    return pruned;
}

Result<void> RecordingWriter::pruneAtOnce(const Retention& retention, ServerTime now)
{
    const SnapshotPtr last = m_frames->last();
    ServerTime taken = last ? last->takenAt : now;
    if (now.isValid() && !last) {
        LOCKSCOPE_TRY(m_database->run("recording/recording/latest", {}, [&](const Database::Row& row) {
            taken = ServerTime{row.number(0)} + (now - ServerTime{row.number(1)});
        }));
    }
    m_pruning.reset();
    Pruning pruning(*m_database, m_frames->numbers());
    pruning.begin(retention, taken, now.isValid() ? now : m_lastNoted,
        now.isValid() || m_prunings++ % leftoversEvery == 0);
    Result<void> pruned;
    while (pruned && !pruning.isDone())
        pruned = pruning.goOn();
    return pruned;
}

Result<void> RecordingWriter::measure(Span& span, qint64& bytes)
{
    LOCKSCOPE_TRY(m_database->run("recording/recording/span", {}, [&span](const Database::Row& row) {
        span = {{row.number(0)}, {row.number(1)}, row.number(2)};
    }));
    LOCKSCOPE_TRY_GET(bytes, m_database->number("recording/recording/used_bytes"));
    return {};
}

Result<bool> RecordingWriter::pruneSome(const Retention& retention)
{
    if (m_isSpoilt)
        return false;
    LOCKSCOPE_TRY(ready());
    // A slice of its own, also of a server that never answered: its failures are written.
    if (m_database->isCheckpointDue())
        return ifDone(m_database->checkpoint(), true);
    const SnapshotPtr last = m_frames->last();
    if (!last)
        return false;
    if (!m_pruning) {
        m_pruning = std::make_unique<Pruning>(*m_database, m_frames->numbers());
        m_pruning->begin(retention, last->takenAt, m_lastNoted, m_prunings++ % leftoversEvery == 0);
    }
    const auto began = std::chrono::steady_clock::now();
    Result<void> pruned;
    while (pruned && !m_pruning->isDone() && std::chrono::steady_clock::now() - began < pruningSlice)
        pruned = m_pruning->goOn();
    const bool hasMore = pruned && !m_pruning->isDone();
    if (!hasMore)
        m_pruning.reset();
    m_isSpoilt = m_isSpoilt || !pruned; // as above
    return ifDone(pruned, hasMore);
}

Result<Pruned> RecordingWriter::tryPrune(const Retention& retention, ServerTime now)
{
    LOCKSCOPE_TRY(ready());
    m_isSpoilt = true; // afterwards
    const Changes takenBack(*m_database);
    LOCKSCOPE_TRY(takenBack.begun());
    Pruned pruned;
    LOCKSCOPE_TRY(measure(pruned.before, pruned.bytesBefore));
    LOCKSCOPE_TRY(pruneAtOnce(retention, now));
    LOCKSCOPE_TRY(measure(pruned.after, pruned.bytesAfter));
    return pruned;
}

Result<void> RecordingWriter::compact()
{
    LOCKSCOPE_TRY(ready());
    LOCKSCOPE_TRY(m_database->script("VACUUM"));
    return m_database->script("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<RecordingWriter::RecordedTime> RecordingWriter::recordedTime()
{
    LOCKSCOPE_TRY(ready());
    return m_database->last<RecordedTime>(
        "recording/recording/recorded_time", {}, [](const Database::Row& row) {
            return RecordedTime{ServerTime{row.number(0)}, microseconds(row.number(1))};
        });
}

Result<void> RecordingWriter::takeUpNotes()
{
    const auto now = std::chrono::steady_clock::now();
    if (now - m_tookUpNotes < takeUpNotesEvery)
        return {};
    m_tookUpNotes = now;
    return record::takeUpNotes(m_path, [this](const Event& note) {
        return change([&](FrameWriter& writer) { return writer.add(note, ownClock()); });
    });
}

RecordingWriter::RecordingWriter(QString path, Identity identity, std::unique_ptr<WriterLock> lock)
    : m_path(std::move(path))
    , m_identity(std::move(identity))
    , m_lock(std::move(lock))
{
}

RecordingWriter::~RecordingWriter() = default;

Result<std::unique_ptr<RecordingWriter>> RecordingWriter::open(const QString& path, const Identity& identity)
{
    if (!makeFolder(QFileInfo(path).absolutePath()))
        return failure(ErrorKind::Permission, u"The folder of %1 can't be made."_s.arg(path));
    LOCKSCOPE_TRY_GET(auto lock, WriterLock::take(path));
    std::unique_ptr<RecordingWriter> writer(new RecordingWriter(path, identity, std::move(lock)));
    const auto opened = writer->reopen();
    return ifDone(opened, std::move(writer));
}

Result<void> RecordingWriter::add(const Event& event, ServerTime noted)
{
    return change([&](FrameWriter& writer) { return writer.add(event, noted); });
}

Result<void> RecordingWriter::add(const alert::EventFinder::Found& found, ServerTime noted)
{
    if (found.events.isEmpty() && found.pins.isEmpty() && found.reports.isEmpty())
        return {};
    return change([&](FrameWriter& writer) -> Result<void> {
        for (const Event& event : found.events)
            LOCKSCOPE_TRY(writer.add(event, noted));
        for (const RecordedReport& report : found.reports) {
            // Its text repeats statements as they were sent.
            if (!isRedacted() && !revealsSecrets(report.raw))
                LOCKSCOPE_TRY(writer.add(report, noted));
        }
        for (const Pin& pin : found.pins)
            LOCKSCOPE_TRY(writer.add(pin));
        return {};
    });
}

Result<void> RecordingWriter::pin(ServerTime from, ServerTime to, const QString& why)
{
    return change([&](FrameWriter& writer) { return writer.add(Pin{.from = from, .to = to, .why = why}); });
}

bool isDiskFull(const Error& error)
{
    constexpr int sqliteFull = 13; // SQLITE_FULL
    return (error.nativeCode.toInt() & 0xff) == sqliteFull;
}

bool isWrittenByAnother(const Error& error)
{
    return error.nativeCode == writtenByAnother;
}

} // namespace lockscope::record
