// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/RawConnection.h"

#include <cstdio>
#include <cstdlib>
#include <poll.h>

namespace lockscope::bench {

RawConnection::RawConnection(const db::ServerUrl& url, const QString& password, const char* program)
{
    const QByteArray host = url.host.toUtf8();
    const QByteArray port = QByteArray::number(url.port != 0 ? url.port : 5432);
    const QByteArray user = url.user.toUtf8();
    const QByteArray database = url.database.toUtf8();
    const QByteArray secret = password.toUtf8();
    const std::array names{
        "host", "port", "user", "dbname", "password", "application_name", static_cast<const char*>(nullptr)};
    const std::array values{host.constData(), port.constData(), user.constData(), database.constData(),
        secret.constData(), program, static_cast<const char*>(nullptr)};
    m_pg.reset(PQconnectdbParams(names.data(), values.data(), 0));
    if (PQstatus(m_pg.get()) != CONNECTION_OK) {
        std::fprintf(stderr, "lockscope-bench: %s", PQerrorMessage(m_pg.get()));
        std::exit(1);
    }
}

RawConnection::Rows RawConnection::checked(PGresult* result)
{
    Rows rows(result);
    const auto status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        std::fprintf(stderr, "lockscope-bench: %s", PQerrorMessage(m_pg.get()));
        std::exit(1);
    }
    return rows;
}

RawConnection::Rows RawConnection::run(const QByteArray& sql)
{
    return checked(PQexec(m_pg.get(), sql.constData()));
}

void RawConnection::prepare(const char* name, const QByteArray& sql)
{
    (void)checked(PQprepare(m_pg.get(), name, sql.constData(), 0, nullptr));
}

RawConnection::Rows RawConnection::runPrepared(const char* name, std::initializer_list<const char*> values)
{
    return checked(PQexecPrepared(
        m_pg.get(), name, static_cast<int>(values.size()), values.begin(), nullptr, nullptr, 0));
}

void RawConnection::send(const QByteArray& sql)
{
    if (PQsendQuery(m_pg.get(), sql.constData()) != 1) {
        std::fprintf(stderr, "lockscope-bench: %s", PQerrorMessage(m_pg.get()));
        std::exit(1);
    }
}

void RawConnection::waitForNotification()
{
    while (true) {
        PQconsumeInput(m_pg.get());
        if (PGnotify* notification = PQnotifies(m_pg.get()))
            return PQfreemem(notification);
        pollfd socket{PQsocket(m_pg.get()), POLLIN, 0};
        poll(&socket, 1, -1);
    }
}

} // namespace lockscope::bench
