// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/AppLockNames.h"

#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"

#include <map>

namespace lockscope::locks {

namespace {

/// A program with a name per customer must not grow for ever; registering one again does no harm.
constexpr qsizetype maxNamesKept = 100'000;

} // namespace

AppLockNames::AppLockNames(db::Connection& connection)
    : m_connection(connection)
    , m_known(knownAt(connection.url()))
{
}

std::shared_ptr<AppLockNames::Known> AppLockNames::knownAt(const db::ServerUrl& url)
{
    static Mutex mutex;
    static std::map<QString, std::shared_ptr<Known>> servers LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock lock(mutex);
    std::shared_ptr<Known>& known = servers[url.toString()];
    if (!known)
        known = std::make_shared<Known>();
    return known;
}

const db::Statement& AppLockNames::statement(const char* file) const
{
    return db::schemaStatement(m_connection.dialect(), file);
}

bool AppLockNames::isWritable()
{
    if (!m_isWritable) {
        bool writable = false;
        const auto asked = m_connection.execute(statement("app_locks/names_writable"), {},
            [&writable](const db::Row& row) { writable = row.boolean(0); });
        m_isWritable = asked && writable && db::usableSchema(m_connection, db::SchemaUse::Calling);
    }
    return *m_isWritable;
}

void AppLockNames::remember(const QString& name)
{
    {
        const MutexLock lock(m_known->mutex);
        if (m_known->names.contains(name))
            return;
    }
    if (m_connection.inTransaction() || !isWritable())
        return;
    if (!m_connection.execute(statement("app_locks/register_name"), {name}))
        return;
    const MutexLock lock(m_known->mutex);
    if (m_known->names.size() >= maxNamesKept)
        m_known->names.clear();
    m_known->names.insert(name);
}

} // namespace lockscope::locks
