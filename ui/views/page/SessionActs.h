// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Session.h"

class QMenu;
class QString;

namespace lockscope::ui {

class AppContext;
class Page;

/// Returns an empty text if `session` (null = no row is selected) may be acted on; else why not.
QString reasonAgainstSessionAct(const AppContext& context, const Session* session);
/// The same for cancelling its statement: not every engine can.
QString reasonAgainstCancel(const AppContext& context, const Session* session);
/// Cancel and end, with the reason as tooltip where they are not possible. They are asked of `page`.
void addSessionActs(QMenu& menu, Page& page, const Session& session);

} // namespace lockscope::ui
