// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/EngineRunSchemas.h"

#include "core/base/Folders.h"
#include "core/db/SchemaInstaller.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

db::Server fileOf(const QString& id)
{
    return db::Server::at(db::ServerUrl::ofFile(SqliteRunSchema::folder().filePath(id + u".db"_s)));
}

QString lockFileOf(const QString& id)
{
    return SqliteRunSchema::folder().filePath(id + u".lock"_s);
}

void removeFiles(const QString& id)
{
    for (const char* ending : {".db", ".db-wal", ".db-shm", ".db-journal"})
        QFile::remove(SqliteRunSchema::folder().filePath(id + QString::fromLatin1(ending)));
}

} // namespace

QDir SqliteRunSchema::folder()
{
    return QDir(cacheFolder() + u"/runs"_s);
}

SqliteRunSchema::SqliteRunSchema(const QString& id)
    : RunSchema(id, fileOf(id), QString())
    , m_alive((folder().mkpath(u"."_s), lockFileOf(id)))
{
    m_alive.setStaleLockTime(0); // only the death of its process makes it stale
    m_alive.tryLock(0);
}

SqliteRunSchema::~SqliteRunSchema()
{
    std::ignore = remove();
}

Result<void> SqliteRunSchema::begin(const Variant&)
{
    if (!m_alive.isLocked())
        return failure(ErrorKind::Server, u"Can't make a file for the run in %1."_s.arg(folder().path()),
            u"Check that the folder can be written to."_s);
    const auto installed = db::installSchema(*m_connection);
    if (!installed)
        return Failure(installed.error());
    return {};
}

Result<void> SqliteRunSchema::remove()
{
    if (!m_alive.isLocked())
        return {};
    m_connection.reset();
    removeFiles(m_id);
    m_alive.unlock();
    return {};
}

int SqliteRunSchema::removeRemains()
{
    int removed = 0;
    for (const QString& name : folder().entryList({u"run_*.db"_s}, QDir::Files)) {
        const QString id = name.chopped(3);
        QLockFile alive(lockFileOf(id));
        alive.setStaleLockTime(0);
        if (!alive.tryLock(0))
            continue;
        removeFiles(id);
        ++removed;
    }
    return removed;
}

} // namespace lockscope::scenario
