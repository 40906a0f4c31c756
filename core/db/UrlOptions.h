// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QStringView>

/// The query part of a server URL, and what libpq allows there instead of before it.
namespace lockscope::db::urls {

/// "name=value&name=value"; names in lower case. A password is refused, and so is a name that comes twice.
Result<QMap<QString, QString>> parseOptions(QStringView query);
/// 1 to 65535.
Result<int> parsePort(const QString& text);
/// The first becomes `host` and `port`, the others `moreHosts`; never empty.
void setHosts(ServerUrl& url, QList<ServerUrl::Host> hosts);
/// libpq's URLs may carry host, port, user and database as options; socket directories must.
Result<void> moveLibpqOptions(ServerUrl& url);

} // namespace lockscope::db::urls
