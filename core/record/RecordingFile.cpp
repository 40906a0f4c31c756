// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingFile.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/record/Damage.h"
#include "core/record/Database.h"

#include <QFile>
#include <QFileInfo>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString anotherServer = u"another server/"_s; // the native code of such an error, before the cluster

} // namespace

QString exposureOf(const QString& path)
{
    const auto rights = QFileInfo(path).permissions();
    if (!rights.testAnyFlags(QFile::ReadGroup | QFile::ReadOther))
        return {};
    return u"Others may read %1, with all statements in it. Close it to them: chmod go= %2"_s.arg(
        QFileInfo(path).fileName(), shellWord(path));
}

Result<void> makeRecording(Database& database, const Identity& identity)
{
    return inTransaction(database, [&]() -> Result<void> {
        for (const char* script : {"recording/install.sql", "recording/intervals.sql"}) {
            LOCKSCOPE_TRY(database.script(db::Statement::get(script).sql()));
        }
        return database.run("recording/recording/identify",
            {identity.id, identity.server, engineKey(identity.engine), identity.began.us,
                qint64(identity.redacted), identity.program, u""_s + identity.place,
                u""_s + identity.cluster});
    });
}

Result<std::optional<Identity>> identityOf(Store& store)
{
    std::optional<Identity> identity;
    const auto read = store.run("recording/recording/identity", {}, [&](const Store::Row& row) {
        if (const auto engine = engineOfKey(row.text(2)))
            identity = {.id = row.text(0),
                .server = row.text(1),
                .engine = *engine,
                .began = {row.number(3)},
                .redacted = row.number(4) != 0,
                .program = row.text(5),
                .place = row.text(6),
                .cluster = row.text(7)};
    });
    return ifDone(read, std::move(identity));
}

Failure ofAnotherServer(const QString& path, const Identity& file, const Identity& expected)
{
    const auto named = [](const Identity& one) {
        return (one.place.isEmpty() ? u"%1 (%2)"_s.arg(one.server, engineKey(one.engine)) : one.place)
            + (one.cluster.isEmpty() ? QString() : u" (cluster %1)"_s.arg(one.cluster));
    };
    Failure refused = failure(ErrorKind::BadInput,
        u"The file %1 is a recording of another server, %2 and not %3."_s.arg(
            path, named(file), named(expected)),
        u"Choose another file."_s);
    refused.value().nativeCode = anotherServer + expected.cluster;
    return refused;
}

bool isOfOneServer(const Identity& one, const Identity& another)
{
    const bool havePlaces = !one.place.isEmpty() && !another.place.isEmpty();
    return one.engine == another.engine
        && (havePlaces ? one.place == another.place : one.server == another.server);
}

bool isAnotherCluster(const Identity& one, const QString& cluster)
{
    return !one.cluster.isEmpty() && !cluster.isEmpty() && one.cluster != cluster;
}

Result<void> checkForm(Database& database, const QString& path)
{
    LOCKSCOPE_TRY_GET(const qint64 application, database.number("recording/recording/application"));
    LOCKSCOPE_TRY_GET(const qint64 version, database.number("recording/recording/version"));
    LOCKSCOPE_TRY_GET(const qint64 strange, database.number("recording/recording/strange_tables"));
    if (application != recordingApplication)
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path),
            u"Recordings are files that Lockscope or lockctl record has written: choose another file."_s);
    if (version != formatVersion)
        return failure(ErrorKind::BadInput,
            u"The recording %1 has version %2; this program knows version %3."_s.arg(
                path, QString::number(version), QString::number(formatVersion)),
            version > formatVersion ? u"Update this program."_s
                                    : u"Use the program that wrote it, or record into another file."_s);
    if (strange != 0)
        return failure(ErrorKind::BadInput, u"%1 has tables that no recording has."_s.arg(path),
            u"Choose another file."_s);
    return {};
}

Result<void> checkRecording(Database& database, const QString& path, Identity& expected)
{
    LOCKSCOPE_TRY(checkForm(database, path));
    LOCKSCOPE_TRY_GET(const auto file, identityOf(database));
    if (!file)
        return failure(ErrorKind::BadInput, u"The file %1 is a recording of something else."_s.arg(path),
            u"Choose another file."_s);
    if (!isOfOneServer(*file, expected) || isAnotherCluster(*file, expected.cluster))
        return ofAnotherServer(path, *file, expected);
    if (expected.redacted && !file->redacted)
        return failure(ErrorKind::BadInput,
            u"The recording %1 keeps the values that stand in statements."_s.arg(path),
            u"Choose another file: from now on they would be kept, too."_s);
    expected.redacted = file->redacted;
    if (expected.cluster.isEmpty())
        expected.cluster = file->cluster;
    return {};
}

Result<void> prepareToRead(Database& database)
{
    return database.script(db::Statement::get("recording/reading.sql").sql());
}

Result<void> addEvent(Database& database, ServerTime at, ServerTime noted, const QString& kind,
    const QString& what, const QString& detail, const QString& key)
{
    return database.run("recording/recording/add_event",
        {at.us, noted.us, kind, u""_s + what, u""_s + detail, key.isEmpty() ? Value() : Value(key),
            eventChecksum(at, kind, what, detail)});
}

qint64 eventChecksum(ServerTime at, const QString& kind, const QString& what, const QString& detail)
{
    return checksumOf(at.us, {kind, what, detail});
}

bool isOfAnotherServer(const Error& error)
{
    return error.nativeCode.startsWith(anotherServer);
}

QString expectedCluster(const Error& error)
{
    return isOfAnotherServer(error) ? error.nativeCode.mid(anotherServer.size()) : QString();
}

Result<QStringList> faultsBesideFrames(Database& file)
{
    auto faults = file.faults();
    if (!faults)
        return faults;
    const auto add = [&faults](const Result<void>& read) {
        if (!read)
            faults->append(read.error().what);
    };
    QStringList damagedTexts;
    add(file.run("recording/recording/texts", {-1}, [&](const Database::Row& row) {
        if (row.number(3) != checksumOf(row.number(0), {row.text(1)}))
            damagedTexts << QString::number(row.number(0));
    }));
    if (!damagedTexts.isEmpty())
        faults->append(u"%1 texts are damaged, the first has the number %2."_s.arg(
            QString::number(damagedTexts.size()), damagedTexts.last()));
    qint64 damagedEvents = 0;
    add(file.run("recording/upload/events_after", {0, -1}, [&](const Database::Row& row) {
        if (row.number(7) != eventChecksum({row.number(1)}, row.text(3), row.text(4), row.text(5)))
            ++damagedEvents;
    }));
    if (damagedEvents > 0)
        faults->append(counted(damagedEvents, u"event is damaged.", u"events are damaged."));
    qint64 strays = 0;
    add(file.run(
        "recording/recording/strays", {}, [&strays](const Database::Row& row) { strays = row.number(0); }));
    if (strays > 0)
        faults->append(u"%1 intervals of locks are damaged."_s.arg(strays));
    return faults;
}

} // namespace lockscope::record
