// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"

namespace lockscope::admin {

namespace {

db::ConnectOptions connectOptions()
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Admin;
    return options;
}

} // namespace

ServerAdminClient::ServerAdminClient(db::Server server)
    : m_connection(std::make_shared<db::LiveConnection>(std::move(server), connectOptions()))
    , m_worker([connection = m_connection] { connection->close(); })
{
}

} // namespace lockscope::admin
