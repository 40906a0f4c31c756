// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingNotes.h"

#include "core/base/Mutex.h"
#include "core/base/PlainFile.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockTable.h"
#include "core/record/RecordingReader.h"
#include "core/record/RecordingWriter.h"
#include "core/record/postgres/HistoryStore.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxNoteLength = 2'000; // characters
constexpr qint64 maxInboxFile = 64 * 1024;
constexpr qsizetype maxTakenUp = 100; // at once: the writer has snapshots to write
constexpr std::chrono::milliseconds askAgainAfter{50};
constexpr std::chrono::minutes noteAhead{1};

/// "shop.lockscope.note-…": no recording, and of this one only.
QString inboxName(const QString& path, const QString& id)
{
    return u"%1.note-%2"_s.arg(path, id);
}

/// Returns the server's time for `noted` of this machine's clock, by the last snapshot that was recorded.
Result<ServerTime> serverTimeOf(RecordingReader& reader, const Span& span, ServerTime noted)
{
    LOCKSCOPE_TRY_GET(const auto times, reader.latestTimes());
    return times.taken.isValid() ? times.taken + (noted - times.noted) : span.last;
}

/// Makes a file of the writer's account beside the recording; it has its name once it is complete.
Result<QString> putIntoInbox(const QString& path, const Event& event)
{
    const QString id = event.sourceKey.section(u':', 1);
    const QString place = inboxName(path, id);
    const QString unfinished = path + u".unfinished-note-"_s + id;
    const QByteArray content = QJsonDocument(
        QJsonObject{{u"at_us"_s, QString::number(event.at.us)}, {u"text"_s, event.what},
            {u"detail"_s, event.detail},
            {u"key"_s,
                event.sourceKey}}).toJson(QJsonDocument::Compact);
    QFile file(unfinished);
    bool isDone = file.open(QIODevice::NewOnly | QIODevice::WriteOnly, QFile::ReadOwner | QFile::WriteOwner)
        && file.write(content) == content.size() && file.flush();
    struct stat recording { };
    if (isDone && ::geteuid() == 0 && ::stat(QFile::encodeName(path).constData(), &recording) == 0)
        isDone = ::fchown(file.handle(), recording.st_uid, recording.st_gid) == 0;
    isDone = isDone && ::fsync(file.handle()) == 0;
    file.close();
    if (isDone && QFile::rename(unfinished, place))
        return place;
    const QString why = file.errorString();
    QFile::remove(unfinished);
    return failure(ErrorKind::Permission,
        u"The note can't be put beside the recording %1: %2"_s.arg(path, why),
        u"Make it as the account that records."_s);
}

/// All of a file that nobody but this account or root can have put there; nothing: it is another one.
std::optional<QByteArray> contentOf(const QString& place)
{
    const PlainFile file(place, PlainFile::Links::Refuse);
    const struct stat& seen = file.status();
    if (file.reasonAgainst(PlainFile::Others::Anything) || seen.st_nlink != 1 || !isOurs(seen)
        || seen.st_size > maxInboxFile)
        return std::nullopt;
    const auto content = file.read(maxInboxFile);
    return content ? std::optional(*content) : std::nullopt;
}

std::optional<Event> eventIn(const QByteArray& content)
{
    const QJsonObject object = QJsonDocument::fromJson(content).object();
    bool isNumber = false;
    const ServerTime at{object["at_us"_L1].toString().toLongLong(&isNumber)};
    const QString text = object["text"_L1].toString();
    const QString key = object["key"_L1].toString();
    if (!isNumber || text.isEmpty() || text.size() > maxNoteLength || !key.startsWith("note:"_L1))
        return std::nullopt;
    return Event{.at = at,
        .kind = Event::Kind::Mark,
        .what = text,
        .detail = object["detail"_L1].toString(),
        .sourceKey = key};
}

/// Writes it, if nobody else writes the recording. isWrittenByAnother: somebody does.
Result<void> writeNote(const QString& path, const Identity& identity, const Event& event)
{
    LOCKSCOPE_TRY_GET(const auto writer, RecordingWriter::open(path, identity));
    return writer->add(event, ownClock());
}

/// Returns whether the writer has taken the note up within `patience`; writes it if the writer ends
/// meanwhile.
Result<bool> waitForWriter(
    const QString& path, const Identity& identity, const Event& event, milliseconds patience)
{
    LOCKSCOPE_TRY_GET(const auto place, putIntoInbox(path, event));
    const auto until = std::chrono::steady_clock::now() + patience;
    while (QFileInfo::exists(place)) {
        if (std::chrono::steady_clock::now() >= until)
            return false;
        sleepFor(askAgainAfter, {});
        const auto written = writeNote(path, identity, event);
        if (written)
            QFile::remove(place); // once, by its key, if somebody has taken it up meanwhile
        else if (!isWrittenByAnother(written.error()))
            return Failure(written.error());
    }
    return true;
}

} // namespace

Result<Event> noteEvent(const NewNote& note, ServerTime at)
{
    const QString text = note.text.trimmed();
    if (text.isEmpty())
        return failure(ErrorKind::BadInput, u"The note has no text."_s);
    if (text.size() > maxNoteLength)
        return failure(ErrorKind::BadInput,
            u"The note has %1 characters: a note has at most %2."_s.arg(text.size()).arg(maxNoteLength));
    const LockOwnerInfo author = LockOwnerInfo::ofThisProcess();
    const QJsonObject detail{{u"author"_s, author.owner}, {u"host"_s, author.host}};
    return Event{.at = at,
        .kind = Event::Kind::Mark,
        .what = text,
        .detail = QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact)),
        .sourceKey = u"note:"_s + QUuid::createUuid().toString(QUuid::WithoutBraces)};
}

Result<AddedNote> addNote(const QString& path, const NewNote& note, milliseconds patience)
{
    if (HistoryPlace::isOne(path))
        return failure(ErrorKind::BadInput, u"A team's history takes no notes."_s,
            u"Note it in the recording of the program that records into the history: it brings the note there."_s);
    LOCKSCOPE_TRY_GET(auto reader, RecordingReader::open(path));
    const auto span = reader->span();
    LOCKSCOPE_TRY_GET(
        const auto now, span ? serverTimeOf(*reader, *span, ownClock()) : Failure(span.error()));
    const ServerTime at = note.at.value_or(now);
    if (at > now + noteAhead)
        return failure(ErrorKind::BadInput, u"%1 is in the future."_s.arg(at.toIsoString()));
    if (at < span->first)
        return failure(ErrorKind::BadInput, u"The recording begins at %1."_s.arg(span->first.toIsoString()));
    LOCKSCOPE_TRY_GET(auto event, noteEvent(note, at));
    const Identity identity = reader->identity();
    reader.reset(); // who closes the file last leaves no others beside it, if it may write
    const auto written = writeNote(path, identity, event);
    if (!written && !isWrittenByAnother(written.error()))
        return Failure(written.error());
    LOCKSCOPE_TRY_GET(
        const auto isRecorded, written ? Result<bool>(true) : waitForWriter(path, identity, event, patience));
    return AddedNote{event, isRecorded};
}

Result<void> takeUpNotes(const QString& path, const std::function<Result<void>(const Event&)>& add)
{
    const QFileInfo recording(path);
    const QDir folder = recording.dir();
    const QString prefix = inboxName(recording.fileName(), {});
    qsizetype count = 0;
    for (const QString& name : folder.entryList(QDir::Files | QDir::System, QDir::Name)) {
        if (!name.startsWith(prefix))
            continue;
        if (++count > maxTakenUp)
            break; // the others are taken up next time
        const QString place = folder.filePath(name);
        const auto content = contentOf(place);
        const auto event = content ? eventIn(*content) : std::nullopt;
        if (!event)
            continue; // somebody else's: it stays as it is
        LOCKSCOPE_TRY(add(*event));
        QFile::remove(place);
    }
    return {};
}

QList<Event> notesAmong(const QList<Event>& events)
{
    QList<Event> notes;
    std::ranges::copy_if(events, std::back_inserter(notes),
        [](const Event& event) { return event.kind == Event::Kind::Mark; });
    return notes;
}

QString authorOf(const Event& note)
{
    const QJsonObject detail = QJsonDocument::fromJson(note.detail.toUtf8()).object();
    const QString author = detail["author"_L1].toString();
    const QString host = detail["host"_L1].toString();
    return author.isEmpty() || host.isEmpty() ? author : u"%1 on %2"_s.arg(author, host);
}

} // namespace lockscope::record
