// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingFile.h"

#include "core/db/Statement.h"
#include "core/domain/EngineKey.h"
#include "core/record/Changes.h"
#include "core/record/RecordingWriter.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString anotherServer = u"another server"_s; // the native code of such an error

} // namespace

Result<void> makeRecording(Database& database, const Identity& identity)
{
    return inTransaction(database, [&]() -> Result<void> {
        for (const char* script : {"recording/install.sql", "recording/intervals.sql"}) {
            if (auto made = database.script(db::Statement::get(script).sql()); !made)
                return made;
        }
        return database.run("recording/recording/identify",
            {identity.id, identity.server, engineKey(identity.engine), identity.began.us,
                qint64(identity.redacted), identity.program, u""_s + identity.place});
    });
}

Result<std::optional<Identity>> identityOf(Store& store)
{
    std::optional<Identity> identity;
    qint64 hasPlace = 0;
    QString place;
    auto read = store.run("recording/recording/has_place", {}, [&](const Store::Row& row) {
        hasPlace = row.number(0);
        return true;
    });
    if (read && hasPlace != 0)
        read = store.run("recording/recording/place", {}, [&](const Store::Row& row) {
            place = row.text(0);
            return true;
        });
    if (read)
        read = store.run("recording/recording/identity", {}, [&](const Store::Row& row) {
            if (const auto engine = engineOfKey(row.text(2)))
                identity = {row.text(0), row.text(1), *engine, {row.number(3)}, row.number(4) != 0,
                    row.text(5), place, {}};
            return true;
        });
    if (!read)
        return Failure(read.error());
    return identity;
}

namespace {

Failure ofAnotherServer(const QString& path, const Identity& file, const Identity& wanted)
{
    const auto named = [](const Identity& one) {
        return one.place.isEmpty() ? engineKey(one.engine) : one.place;
    };
    Failure refused = failure(ErrorKind::BadInput,
        u"The file %1 is a recording of another server of that name, %2 and not %3."_s.arg(
            path, named(file), named(wanted)),
        u"Choose another file."_s);
    refused.value().nativeCode = anotherServer;
    return refused;
}

} // namespace

Result<void> checkRecording(Database& database, const QString& path, Identity& wanted)
{
    qint64 application = 0;
    qint64 strange = 0;
    qint64 version = 0;
    Steps steps(database);
    steps.number("recording/recording/application", application);
    steps.number("recording/recording/strange_tables", strange);
    if (steps.result() && (application != recordingApplication || strange != 0))
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path),
            u"Choose another file."_s);
    steps.number("recording/recording/version", version);
    if (steps.result() && version > formatVersion)
        return failure(ErrorKind::BadInput, u"The recording %1 was made by a newer program."_s.arg(path),
            u"Update this program."_s);
    if (!steps.result())
        return steps.result();
    const auto file = identityOf(database);
    if (!file)
        return Failure(file.error());
    if (!*file || (*file)->server != wanted.server)
        return failure(ErrorKind::BadInput,
            u"The file %1 is a recording of %2."_s.arg(path, *file ? (*file)->server : u"something else"_s),
            u"Choose another file."_s);
    const bool isElsewhere =
        !(*file)->place.isEmpty() && !wanted.place.isEmpty() && (*file)->place != wanted.place;
    if (isElsewhere || (*file)->engine != wanted.engine)
        return ofAnotherServer(path, **file, wanted);
    if (wanted.redacted && !(*file)->redacted)
        return failure(ErrorKind::BadInput,
            u"The recording %1 keeps the values that stand in statements."_s.arg(path),
            u"Choose another file: from now on they would be kept, too."_s);
    wanted.redacted = (*file)->redacted;
    return {};
}

Result<void> upgradeRecording(Database& database)
{
    const auto version = versionOf(database);
    if (!version || *version >= formatVersion)
        return version ? Result<void>() : Failure(version.error());
    return inTransaction(database, [&]() -> Result<void> {
        for (const char* script : {"recording/upgrade/rename", "recording/intervals.sql"}) {
            if (auto done = database.script(db::Statement::get(script).sql()); !done)
                return done;
        }
        return Steps(database)
            .run("recording/upgrade/add_modes")
            .run("recording/upgrade/add_blocks", {intervalsPerBlock, qint64(longInterval.count())})
            .run("recording/upgrade/pack", {intervalsPerBlock, qint64(longInterval.count())})
            .run("recording/upgrade/drop")
            .result();
    });
}

Result<qint64> versionOf(Database& database)
{
    qint64 version = 0;
    Steps steps(database);
    if (!steps.number("recording/recording/version", version).result())
        return Failure(steps.result().error());
    return version;
}

Result<void> prepareToRead(Database& database)
{
    const auto version = versionOf(database);
    if (!version)
        return Failure(version.error());
    return database.script(
        db::Statement::get(*version < 2 ? "recording/reading_1.sql" : "recording/reading.sql").sql());
}

Result<void> bindRecording(Database& database, const Identity& identity)
{
    const auto file = identityOf(database);
    if (!file)
        return Failure(file.error());
    if (!*file || identity.place.isEmpty() || !(*file)->place.isEmpty())
        return {};
    return inTransaction(database, [&] {
        qint64 hasPlace = 0;
        Steps steps(database);
        steps.number("recording/recording/has_place", hasPlace);
        if (hasPlace == 0)
            steps.run("recording/recording/add_place", {});
        return steps.run("recording/recording/set_place", {identity.place}).result();
    });
}

bool isOfAnotherServer(const Error& error)
{
    return error.nativeCode == anotherServer;
}

} // namespace lockscope::record
