// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"
#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QHash>
#include <QList>

namespace lockscope::admin {

// Acts as statements for psql, sqlcmd or the sqlite3 shell, for people who can't or may not act from here.
// They compare as our own do and touch nothing but what was shown; values are quoted so that neither the
// server nor the shell finds anything else in them. They record nothing. Empty where no statement does it:
// for sessions of the server itself and prepared transactions, where the start is not known, and for tables
// whose names can't be written safely. Nobody judges there whose code the row's table leads to: don't offer
// them where ServerAdmin::codeFiredBy finds strangers, or could not be asked.

QString endByHand(Engine engine, const Session& shown);
QString cancelByHand(Engine engine, const Session& shown);
QString releaseByHand(const db::ServerProfile& profile, const LockTableEntry& shown);
/// Returns one statement a row; each checks again whether it is stale, but for rows whose end is compared.
QString purgeByHand(const db::ServerProfile& profile, const QList<LockTableEntry>& shown);

/// `text` as a literal of the engine. Control characters are written as escapes or codes: what is pasted into
/// a terminal can't steer it, and no line of it begins a command of the shell.
QString textLiteral(Engine engine, const QString& text);

using StatementParts = QHash<QString, QString>;
/// A statement of schema/ as it is written for persons, with its end; in one pass: what is filled in may
/// itself contain braces.
QString statementByHand(Engine engine, const char* name, const StatementParts& parts);

} // namespace lockscope::admin
