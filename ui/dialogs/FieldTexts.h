// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

namespace lockscope::ui {

// What some fields of the connection dialog hold, as one line of text each, and back.

/// "dbo.Locks(Name,SetTime) local stale 5m; …"
QString attachedText(const QList<db::AttachedTable>& tables);
Result<QList<db::AttachedTable>> attachedFromText(const QString& text);

/// "db1:5432,db2:5433"; one host's port has a field of its own.
QString hostsText(const db::ServerUrl& url);
/// Takes the list in `url.host` apart; those without a port get `url.port`.
Result<void> takeHosts(db::ServerUrl& url);

/// "sslmode=verify-full&connect_timeout=5"
QString optionsText(const QMap<QString, QString>& options);
QMap<QString, QString> optionsFromText(const QString& text);

} // namespace lockscope::ui
