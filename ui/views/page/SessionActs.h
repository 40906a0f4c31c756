// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Session.h"

#include <QList>

class QMenu;
class QString;

namespace lockscope::ui {

class AppContext;
class Page;

/// Returns an empty text if `session` (null = no row is selected) may be acted on; else why not.
QString reasonAgainstSessionAct(const AppContext& context, const Session* session);
/// The same for cancelling its statement: not every engine can.
QString reasonAgainstCancel(const AppContext& context, const Session* session);
/// Requests the end of `session`; of none, or one that may not be acted on, the page says why not.
void askToEnd(Page& page, const Session* session);
/// Cancel and end, with the reason as tooltip where they are not possible. They are asked of `page`.
void addSessionActs(QMenu& menu, Page& page, const Session& session);
/// Returns those of several sessions whose statements can be cancelled, in one act.
QList<Session> cancellableAmong(const AppContext& context, const QList<Session>& sessions);
/// Cancels all of them, if there are several.
void addCancelAll(QMenu& menu, Page& page, const QList<Session>& selected);

} // namespace lockscope::ui
