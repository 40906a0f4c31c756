// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/PlainSql.h"

#include <libpq-fe.h>
#include <sqlite3.h>

namespace lockscope::test {

namespace {

class PlainPostgres final : public PlainSql {
public:
    PlainPostgres(const db::ServerUrl& url, const QString& password)
    {
        const QByteArray host = url.host.toUtf8();
        const QByteArray port = QByteArray::number(url.port != 0 ? url.port : 5432);
        const QByteArray user = url.user.toUtf8();
        const QByteArray database = url.database.toUtf8();
        const QByteArray secret = password.toUtf8();
        const std::array names{"host", "port", "user", "dbname", "password", "application_name",
            "connect_timeout", static_cast<const char*>(nullptr)};
        const std::array values{host.constData(), port.constData(), user.constData(), database.constData(),
            secret.constData(), "plain", "5", static_cast<const char*>(nullptr)};
        m_pg.reset(PQconnectdbParams(names.data(), values.data(), 0));
        PQsetNoticeProcessor(
            m_pg.get(), [](void*, const char*) {}, nullptr);
    }

    std::optional<Rows> run(const char* sql, const QByteArrayList& values) override
    {
        std::vector<const char*> texts;
        for (const QByteArray& value : values)
            texts.push_back(value.constData());
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(
            PQexecParams(
                m_pg.get(), sql, static_cast<int>(texts.size()), nullptr, texts.data(), nullptr, nullptr, 0),
            &PQclear);
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            return std::nullopt;
        Rows rows;
        for (int row = 0; row < PQntuples(result.get()); ++row) {
            QByteArrayList fields;
            for (int column = 0; column < PQnfields(result.get()); ++column)
                fields << (PQgetisnull(result.get(), row, column)
                        ? QByteArray()
                        : QByteArray(PQgetvalue(result.get(), row, column)));
            rows.push_back(fields);
        }
        return rows;
    }

    bool isOpen() const override { return PQstatus(m_pg.get()) == CONNECTION_OK; }

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> m_pg{nullptr, &PQfinish};
};

class PlainSqlite final : public PlainSql {
public:
    explicit PlainSqlite(const db::ServerUrl& url)
    {
        sqlite3* opened = nullptr;
        m_isOpen = sqlite3_open_v2(url.database.toUtf8().constData(), &opened, SQLITE_OPEN_READWRITE, nullptr)
            == SQLITE_OK;
        m_sqlite.reset(opened);
        sqlite3_busy_timeout(opened, 5'000);
    }

    std::optional<Rows> run(const char* sql, const QByteArrayList& values) override
    {
        sqlite3_stmt* prepared = nullptr;
        if (sqlite3_prepare_v2(m_sqlite.get(), sql, -1, &prepared, nullptr) != SQLITE_OK)
            return std::nullopt;
        const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(
            prepared, &sqlite3_finalize);
        for (int i = 0; i < values.size(); ++i)
            sqlite3_bind_text(prepared, i + 1, values[i].constData(), -1, SQLITE_TRANSIENT);
        Rows rows;
        int step = SQLITE_ROW;
        while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
            QByteArrayList fields;
            for (int column = 0; column < sqlite3_column_count(prepared); ++column)
                fields << QByteArray(reinterpret_cast<const char*>(sqlite3_column_text(prepared, column)));
            rows.push_back(fields);
        }
        if (step != SQLITE_DONE)
            return std::nullopt;
        return rows;
    }

    bool isOpen() const override { return m_isOpen; }

private:
    std::unique_ptr<sqlite3, decltype(&sqlite3_close)> m_sqlite{nullptr, &sqlite3_close};
    bool m_isOpen = false;
};

} // namespace

std::unique_ptr<PlainSql> PlainSql::open(const db::ServerUrl& url, const QString& password)
{
    std::unique_ptr<PlainSql> opened;
    if (url.engine == Engine::Sqlite)
        opened = std::make_unique<PlainSqlite>(url);
    else
        opened = std::make_unique<PlainPostgres>(url, password);
    if (!opened->isOpen())
        return nullptr;
    return opened;
}

} // namespace lockscope::test
