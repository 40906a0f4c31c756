// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "ui/kit/models/ColumnInfo.h"

#include <QVariant>

namespace lockscope::ui {

// The cells for the framework that a lock belongs to.

ColumnInfo frameworkColumn(); ///< its name, as a badge
ColumnInfo frameworkLockColumn(); ///< the framework's name for the lock

/// "Prisma", "Prisma?" if that is not certain; empty if it is nobody's.
QString frameworkText(const FrameworkMatchPtr& match);
QString frameworkLockText(const FrameworkMatchPtr& match);
/// Returns the evidence, for a tooltip and for users who can't see the frame: "Prisma, the framework of this
/// lock; …".
QString frameworkTip(const FrameworkMatch& match);
/// BadgeRole, tooltip and accessible text of a cell that shows frameworkText; invalid for other roles.
QVariant frameworkCell(const FrameworkMatchPtr& match, int role);

} // namespace lockscope::ui
