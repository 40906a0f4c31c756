// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"

#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/base/Sentences.h"
#include "core/record/Coverage.h"
#include "core/record/Damage.h"
#include "core/record/Database.h"
#include "core/record/FrameWriter.h"
#include "core/record/RecordingFile.h"
#include "core/record/StoredEvents.h"

#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QString>
#include <QUuid>

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// A file of SQLite under a name of its own beside `out`, until it is complete. Is deleted with what SQLite
/// has made beside it, unless finish() gave it its name.
class NewFile {
public:
    explicit NewFile(const QString& out);
    ~NewFile();
    Q_DISABLE_COPY(NewFile)

    const QString& path() const { return m_path; }
    /// Writes it to the disk and names it `out`. BadInput: that name is taken by now, or the folder is
    /// closed.
    Result<void> finish();

private:
    QString m_out;
    QString m_path;
};

/// BadInput: `path` is there already, or its folder is not.
Result<void> checkNewFile(const QString& path)
{
    if (QFileInfo::exists(path))
        return failure(ErrorKind::BadInput, u"%1 is there already."_s.arg(path), u"Choose another file."_s);
    if (!QFileInfo(QFileInfo(path).absolutePath()).isDir())
        return failure(
            ErrorKind::BadInput, u"The folder of %1 is not there."_s.arg(path), u"Make it first."_s);
    if (std::optional<Error> reason = reasonAgainstWriting(path))
        return Failure(std::move(*reason));
    return {};
}

NewFile::NewFile(const QString& out)
    : m_out(out)
    , m_path(u"%1.%2.part"_s.arg(out, QUuid::createUuid().toString(QUuid::Id128).left(8)))
{
}

NewFile::~NewFile()
{
    for (const QString& end : {u""_s, u"-journal"_s, u"-wal"_s, u"-shm"_s})
        QFile::remove(m_path + end);
}

Result<void> NewFile::finish()
{
    const int file = ::open(QFile::encodeName(m_path).constData(), O_RDONLY | O_CLOEXEC);
    const bool isOnDisk = file >= 0 && ::fsync(file) == 0;
    if (file >= 0)
        ::close(file);
    if (!isOnDisk)
        return failure(ErrorKind::Server, u"%1 could not be written to the disk."_s.arg(m_out));
    if (!QFile::rename(m_path, m_out))
        return failure(ErrorKind::BadInput,
            u"%1 could not be written: it is there already, or its folder is closed."_s.arg(m_out));
    return {};
}

constexpr int framesPerTransaction = 200;

/// A part of a range of one recording.
struct CopiedPiece {
    size_t recording;
    Segment segment; // of the range
    Coverage::IntactPart part;
    ServerTime from;
    ServerTime to;
};

/// Returns the parts of `whole` that none of `taken` covers; both ends belong to a range.
std::vector<CopiedPiece> uncovered(const CopiedPiece& whole, const std::vector<CopiedPiece>& taken)
{
    std::vector<CopiedPiece> left{whole};
    for (const CopiedPiece& other : taken) {
        std::vector<CopiedPiece> next;
        for (const CopiedPiece& piece : left) {
            if (other.to < piece.from || other.from > piece.to) {
                next.push_back(piece);
                continue;
            }
            CopiedPiece before = piece;
            before.to = other.from - microseconds(1);
            CopiedPiece behind = piece;
            behind.from = other.to + microseconds(1);
            if (before.from <= before.to)
                next.push_back(before);
            if (behind.from <= behind.to)
                next.push_back(behind);
        }
        left = std::move(next);
    }
    return left;
}

class Copy {
public:
    Copy(const std::vector<RecordingReader*>& recordings, ServerTime from, ServerTime to, const Identity& as)
        : m_recordings(recordings)
        , m_from(from)
        , m_to(to)
        , m_as(as)
    {
    }

    Result<Copied> run(const QString& path);

private:
    Result<std::vector<CopiedPiece>> pieces();
    Result<void> copy(const CopiedPiece& piece);
    Result<void> copyFrame(const CopiedPiece& piece, const RecordingReader::Frame& frame);
    Result<void> copyEvents();
    Result<void> copyPins();
    Result<void> copySurroundings();
    Result<void> commit();

    const std::vector<RecordingReader*>& m_recordings;
    ServerTime m_from;
    ServerTime m_to;
    const Identity& m_as;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<FrameWriter> m_writer;
    int m_uncommitted = 0;
    bool m_isDamaged = false; // what came last could not be read
    Copied m_copied;
};

Result<Copied> Copy::run(const QString& path)
{
    LOCKSCOPE_TRY_GET(const auto pieces, this->pieces());
    LOCKSCOPE_TRY_GET(m_database, Database::open(path, Database::Mode::Write));
    // It is on the disk when it is complete, not before: finish().
    for (const char* setting :
        {"PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = DELETE", "PRAGMA synchronous = OFF"}) {
        LOCKSCOPE_TRY(m_database->script(setting));
    }
    LOCKSCOPE_TRY(makeRecording(*m_database, m_as));
    m_writer = std::make_unique<FrameWriter>(*m_database, m_as.engine, m_as.redacted);
    LOCKSCOPE_TRY(m_writer->load());
    LOCKSCOPE_TRY(m_database->script("BEGIN IMMEDIATE"));
    for (const CopiedPiece& piece : pieces)
        LOCKSCOPE_TRY(copy(piece));
    LOCKSCOPE_TRY(copyEvents());
    LOCKSCOPE_TRY(copyPins());
    LOCKSCOPE_TRY(copySurroundings());
    LOCKSCOPE_TRY(m_database->script("COMMIT"));
    if (m_copied.snapshotCount == 0)
        return failure(ErrorKind::MissingObject, u"No readable snapshot lies in that time."_s);
    return m_copied;
}

/// Returns the ranges of all recordings, by time; for the same time the first one's.
Result<std::vector<CopiedPiece>> Copy::pieces()
{
    std::vector<CopiedPiece> taken;
    for (size_t i = 0; i < m_recordings.size(); ++i) {
        LOCKSCOPE_TRY_GET(const auto coverage, coverageOf(*m_recordings[i], m_from, m_to));
        LOCKSCOPE_TRY_GET(const auto segments, m_recordings[i]->segments(m_from, m_to));
        for (const Coverage::IntactPart& part : coverage.intactParts) {
            const auto segment = std::ranges::find(segments, part.segment, &Segment::number);
            const CopiedPiece whole{.recording = i,
                .segment = segment == segments.end() ? Segment() : *segment,
                .part = part,
                .from = part.from,
                .to = part.to};
            const std::vector<CopiedPiece> left = uncovered(whole, taken);
            if (left.size() != 1 || left.front().from != whole.from || left.front().to != whole.to)
                ++m_copied.twice;
            taken.insert(taken.end(), left.begin(), left.end());
        }
    }
    std::stable_sort(taken.begin(), taken.end(),
        [](const CopiedPiece& a, const CopiedPiece& b) { return a.from < b.from; });
    return taken;
}

Result<void> Copy::commit()
{
    m_uncommitted = 0;
    LOCKSCOPE_TRY(m_database->script("COMMIT"));
    return m_database->script("BEGIN IMMEDIATE");
}

Result<void> Copy::copy(const CopiedPiece& piece)
{
    m_isDamaged = false;
    LOCKSCOPE_TRY(m_recordings[piece.recording]->eachFrame(piece.part.segment, piece.from, piece.to,
        [&](const RecordingReader::Frame& frame) { return copyFrame(piece, frame); }));
    const Coverage::IntactPart& part = piece.part;
    if (piece.to != part.to)
        return m_writer->endSegment(anotherGoesOn.toString());
    const bool isCut = part.to == m_to && part.endReason.isEmpty();
    return m_writer->endSegment(isCut ? copyEnds.toString() : part.endReason);
}

Result<void> Copy::copyFrame(const CopiedPiece& piece, const RecordingReader::Frame& frame)
{
    if (!frame.snapshot) {
        ++m_copied.damaged;
        if (std::exchange(m_isDamaged, true))
            return {};
        LOCKSCOPE_TRY(m_writer->endSegment(u"damaged"_s));
        return m_writer->add({.at = frame.taken,
                                 .kind = Event::Kind::Gap,
                                 .what = u"Snapshots from here on could not be read: they are damaged."_s},
            frame.noted);
    }
    m_isDamaged = false;
    if (!m_writer->isInSegment()) {
        LOCKSCOPE_TRY(
            m_writer->beginSegment(frame.taken, frame.noted, piece.segment.host, piece.segment.process));
    }
    LOCKSCOPE_TRY(m_writer->write(*frame.snapshot, frame.noted, frame.interval));
    ++m_copied.snapshotCount;
    return ++m_uncommitted >= framesPerTransaction ? commit() : Result<void>();
}

Result<void> Copy::copyEvents()
{
    QSet<QString> known;
    for (RecordingReader* recording : m_recordings) {
        LOCKSCOPE_TRY_GET(const auto events, recording->events(m_from, m_to));
        m_copied.missing << missingAmong(events);
        for (Event event : events) {
            if (event.isOfReader)
                continue;
            const qsizetype before = known.size();
            known.insert(QString::number(event.at.us) + u' ' + eventKindName(event.kind) + u' ' + event.what);
            if (known.size() == before)
                continue;
            if (m_as.redacted && !recording->identity().redacted)
                event.detail.clear(); // may repeat a statement
            LOCKSCOPE_TRY(m_writer->add(event, event.at));
            ++m_copied.events;
        }
        if (m_as.redacted && !recording->identity().redacted)
            continue;
        const auto reports = recording->reports(m_from, m_to);
        if (!reports && !isDamage(reports.error()))
            return Failure(reports.error());
        if (!reports)
            m_copied.missing << reports.error().what;
        for (const RecordedReport& report : reports.value_or(QList<RecordedReport>())) {
            LOCKSCOPE_TRY(m_writer->add(report, report.at));
        }
    }
    return {};
}

Result<void> Copy::copyPins()
{
    QSet<QString> known;
    for (RecordingReader* recording : m_recordings) {
        LOCKSCOPE_TRY_GET(const auto pins, recording->pins());
        for (const Pin& pin : pins) {
            const qsizetype before = known.size();
            known.insert(
                u"%1 %2 %3"_s.arg(QString::number(pin.from.us), QString::number(pin.to.us), pin.why));
            if (pin.to < m_from || pin.from > m_to || known.size() == before)
                continue;
            LOCKSCOPE_TRY(m_writer->add(pin));
        }
    }
    return {};
}

/// Copies, for a time that several have, those of the one that was named first.
Result<void> Copy::copySurroundings()
{
    QSet<qint64> known; // minutes
    constexpr qint64 minute = 60'000'000;
    bool isDamaged = false;
    for (RecordingReader* recording : m_recordings) {
        const auto measures = recording->surroundings(m_from, m_to);
        if (!measures && !isDamage(measures.error()))
            return Failure(measures.error());
        if (!measures && !std::exchange(isDamaged, true))
            m_copied.missing << u"The figures of what surrounds the locks are damaged and were left out."_s;
        QSet<qint64> own;
        for (const RecordedMeasure& each : measures.value_or(QList<RecordedMeasure>())) {
            own.insert(each.taken.us / minute);
            if (known.contains(each.taken.us / minute))
                continue;
            LOCKSCOPE_TRY(m_writer->add({each.measure}, each.taken));
        }
        known.unite(own);
    }
    return {};
}

QString placeText(const QString& place)
{
    return place.isEmpty() ? u"a place that it does not name"_s : place;
}

} // namespace

QStringList Copied::missingParts() const
{
    QStringList parts = missing;
    if (damaged > 0)
        parts.prepend(counted(
            damaged, u"snapshot is damaged and was left out.", u"snapshots are damaged and were left out."));
    return parts;
}

Result<Copied> copyRecordings(const std::vector<RecordingReader*>& recordings, ServerTime from, ServerTime to,
    const QString& out, const Identity& as)
{
    for (const RecordingReader* each : recordings) {
        const Identity& identity = each->identity();
        if (!isOfOneServer(identity, as) || identity.place != as.place)
            return failure(ErrorKind::BadInput,
                u"One is a recording of %1 at %2, another one of %3 at %4: only those of one server can become one."_s
                    .arg(as.server, placeText(as.place), identity.server, placeText(identity.place)));
    }
    for (const RecordingReader* each : recordings) {
        if (isAnotherCluster(each->identity(), as.cluster))
            return failure(ErrorKind::BadInput,
                u"One is a recording of %1 with the cluster %2, another one with %3: only those of one server can become one."_s
                    .arg(as.server, as.cluster, each->identity().cluster));
    }
    LOCKSCOPE_TRY(checkNewFile(out));
    NewFile file(out);
    LOCKSCOPE_TRY_GET(auto copied, Copy(recordings, from, to, as).run(file.path()));
    return ifDone(file.finish(), std::move(copied));
}

} // namespace lockscope::record
