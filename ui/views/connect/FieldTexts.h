// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

#include <optional>

namespace lockscope::ui {

// Turns some fields of the connection dialog into one line of text each, and back.

/// "dbo.Locks(Name,SetTime) local stale 5m holder Owner until Ends held State=running; …"
QString attachedText(const QList<db::AttachedTable>& tables);
Result<QList<db::AttachedTable>> attachedFromText(const QString& text);

/// "db1:5432,db2:5433"; one host's port has a field of its own.
QString hostsText(const db::ServerUrl& url);
/// Takes the list in `url.host` apart; those without a port get `url.port`.
Result<void> takeHosts(db::ServerUrl& url);

/// "sslmode=verify-full&connect_timeout=5"
QString optionsText(const QMap<QString, QString>& options);
Result<QMap<QString, QString>> optionsFromText(const QString& text);

/// A server's URL that was pasted somewhere, with the password that it carried taken out.
struct PastedUrl {
    db::ServerUrl url;
    QString password;
};
/// None if `text` is not the URL of a server or file.
std::optional<PastedUrl> pastedUrl(const QString& text);

/// Examples for the fields of an engine.
struct Suggestions {
    QString name;
    QString host;
    QString port;
    QString database;
    QString user;
    QString attached;
};
Suggestions suggestionsFor(Engine engine);

/// A message that names options of a URL, in the words of the dialog's fields.
QString inFieldWords(const QString& message);

} // namespace lockscope::ui
