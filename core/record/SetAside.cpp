// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingWriter.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/record/Damage.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingReader.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtEndian>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString timeFormat = u"yyyyMMdd-HHmmss"_s;
const QStringList parts{u""_s, u"-wal"_s, u"-shm"_s}; // of a recording: the file, and what lies beside it

QString nameOfThoseOf(const QFileInfo& file, const QString& when)
{
    return u"%1-until-%2.%3"_s.arg(file.completeBaseName(), when, file.suffix());
}

bool hasPins(const QString& path)
{
    const auto reader = RecordingReader::open(path);
    const auto pins = reader ? (*reader)->pins() : Failure(reader.error());
    return pins && !pins->isEmpty();
}

/// Goes on with what was set aside for another server at this place, if it is of the cluster: behind the end
/// of a tunnel one server after the other has the same place.
void takeBack(const QString& path, const QString& cluster)
{
    const QFileInfo file(path);
    const QString before = file.completeBaseName() + u"-until-*."_s + file.suffix();
    const QStringList names = file.dir().entryList({before}, QDir::Files, QDir::Name | QDir::Reversed);
    for (const QString& name : cluster.isEmpty() ? QStringList() : names) {
        const QString aside = file.dir().filePath(name);
        const auto lock = WriterLock::take(aside);
        const auto reader = lock ? RecordingReader::open(aside) : Failure(lock.error());
        if (!reader || (*reader)->identity().cluster != cluster)
            continue;
        for (const QString& part : parts)
            QFile::rename(aside + part, path + part);
        return;
    }
}

constexpr qint64 bytesPerSlice = 64 * 1024 * 1024; // to free more at once takes some file systems long

/// A slice of a large file, from its end, or all that is left of it; false: it is written by another program.
bool dropSome(const QString& path)
{
    const auto lock = WriterLock::take(path);
    if (!lock)
        return false;
    for (const QString& part : {u"-wal"_s, u"-shm"_s, u""_s}) {
        QFile file(path + part);
        if (file.size() > bytesPerSlice)
            return file.resize(file.size() - bytesPerSlice);
        file.remove();
    }
    return true;
}

} // namespace

bool isRecordingFile(const QString& path)
{
    constexpr qsizetype place = 68; // sqlite.org/fileformat2.html#application_id
    const PlainFile file(path, PlainFile::Links::Refuse);
    if (file.reasonAgainst(PlainFile::Others::Anything))
        return false;
    const QByteArray head = file.read(place + qsizetype(sizeof(quint32))).value_or(QByteArray());
    return head.size() == place + qsizetype(sizeof(quint32)) && head.startsWith("SQLite format 3")
        && qFromBigEndian<quint32>(head.constData() + place) == recordingApplication;
}

qint64 recordingBytes(const QString& path)
{
    qint64 bytes = 0;
    for (const QString& part : parts)
        bytes += QFileInfo(path + part).size();
    return bytes;
}

Result<QString> setAside(const QString& path)
{
    if (!QFileInfo::exists(path))
        return QString();
    LOCKSCOPE_TRY_GET(const auto lock, WriterLock::take(path)); // until the parts have their new names
    const QFileInfo file(path);
    QDateTime when = QDateTime::currentDateTimeUtc();
    QString aside = file.dir().filePath(nameOfThoseOf(file, when.toString(timeFormat)));
    while (QFileInfo::exists(aside)) {
        when = when.addSecs(1);
        aside = file.dir().filePath(nameOfThoseOf(file, when.toString(timeFormat)));
    }
    for (const QString& part : parts) {
        if (QFileInfo::exists(path + part) && !QFile::rename(path + part, aside + part))
            return failure(ErrorKind::Permission, u"The recording %1 can't be renamed."_s.arg(path));
    }
    removeDamageMark(path);
    return aside;
}

QString setAsideText(const QString& aside)
{
    return u"The recording was damaged: it is %1 now, and another one was begun. %2"_s.arg(
        QFileInfo(aside).fileName(), rebuildingOf(aside));
}

/// Nothing but its damage is known of the file: --out may name any file by mistake.
static bool mayBeAnything(const QString& path, const Error& error)
{
    return isDamage(error) && !isRecordingFile(path) && !path.endsWith(u".lockscope"_s);
}

Result<BegunRecording> openOrSetAside(
    const QString& path, const Identity& whose, const std::optional<Error>& damage, bool isOwn)
{
    BegunRecording begun;
    auto opened = damage ? Failure(*damage) : RecordingWriter::open(path, whose);
    if (!opened && !damage && !isOwn && mayBeAnything(path, opened.error())) {
        removeDamageMark(path);
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path),
            u"Nothing was done to it. Move it away, or name another file."_s);
    }
    if (!opened && (isDamage(opened.error()) || (isOwn && isOfAnotherServer(opened.error())))) {
        const Error why = opened.error();
        LOCKSCOPE_TRY_GET(auto aside, setAside(path));
        begun.setAside = aside;
        begun.wasDamaged = isDamage(why);
        takeBack(path, expectedCluster(why));
        opened = RecordingWriter::open(path, whose);
        if (opened && begun.wasDamaged) {
            const QString what = sentences({setAsideText(aside), why.reason()});
            LOCKSCOPE_TRY(
                (*opened)->add({.at = ownClock(), .kind = Event::Kind::Note, .what = what}, ownClock()));
        }
    }
    if (!opened)
        return Failure(opened.error());
    begun.writer = std::move(*opened);
    return begun;
}

bool dropSetAside(const QString& path, const Retention& retention, const QDateTime& now)
{
    const QFileInfo file(path);
    const QString before = file.completeBaseName() + u"-until-"_s;
    qint64 bytes = recordingBytes(path);
    QStringList kept; // by when they were set aside
    for (const QString& name : file.dir().entryList({u"*-until-*"_s}, QDir::Files, QDir::Name)) {
        const QString when = name.mid(before.size(), timeFormat.size());
        QDateTime until = QDateTime::fromString(when, timeFormat);
        until.setTimeSpec(Qt::UTC);
        const QString each = file.dir().filePath(name);
        if (!until.isValid() || name != nameOfThoseOf(file, when) || !isRecordingFile(each))
            continue;
        const bool isOld = until.msecsTo(now) > retention.age.count();
        if (isOld && !hasPins(each) && dropSome(each))
            return true;
        kept << each;
        bytes += recordingBytes(each);
    }
    for (const QString& each : kept) {
        if (bytes <= retention.bytes)
            break;
        if (dropSome(each))
            return true;
    }
    return false;
}

} // namespace lockscope::record
