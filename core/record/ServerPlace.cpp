// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/ServerPlace.h"

#include "core/domain/EngineKey.h"

#include <QStringList>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int postgresPort = 5432;

} // namespace

QString serverPlace(const db::ServerUrl& url)
{
    if (url.sandbox)
        return u"sandbox:"_s;
    if (url.engine == Engine::Sqlite)
        return u"sqlite:"_s + url.database;
    QStringList hosts;
    for (const db::ServerUrl::Host& host : url.hosts()) {
        // Without a port SQL Server's driver may ask the host for that of a named instance.
        const int port = host.port == 0 && url.engine == Engine::Postgres ? postgresPort : host.port;
        const QString name = host.name.isEmpty() ? u"localhost"_s
            : host.name.startsWith(u'/')         ? host.name // the folder of a socket
                                                 : host.name.toLower();
        hosts << name + (port == 0 ? QString() : u":%1"_s.arg(port));
    }
    return u"%1://%2/%3"_s.arg(engineKey(url.engine), hosts.join(u','), url.database);
}

} // namespace lockscope::record
