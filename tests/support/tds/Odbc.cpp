// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Odbc.h"

#include <atomic>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

QString nextName()
{
    static std::atomic<int> last = 0;
    return u"odbc %1"_s.arg(++last);
}

} // namespace

QString freeTdsString(const TdsServer& server, const OdbcLogin& login)
{
    return u"DRIVER={FreeTDS};SERVER=127.0.0.1;PORT=%1;TDS_Version=7.4;UID=%2;PWD=%3;APP=%4;DATABASE=%5;"
           "ClientCharset=UTF-8;"_s.arg(server.port())
               .arg(login.user, login.password, login.program, login.database);
}

OdbcSession::OdbcSession(const QString& connectionString)
    : m_name(nextName())
    , m_database(QSqlDatabase::addDatabase(u"QODBC"_s, m_name))
{
    m_database.setDatabaseName(connectionString);
    m_database.open();
}

OdbcSession::~OdbcSession()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_name);
}

} // namespace lockscope::test::tds
