// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Family.h"

#include <QJsonArray>

namespace lockscope::ctl {

/// Each deadlock with its ring drawn, what happened, statements and findings; then what else was read.
QString reportsText(const QList<deadlock::ReportPtr>& reports);
/// How often each kind came, from when to when.
QString familiesText(const QList<deadlock::Family>& families);
/// The same for scripts: [{family, title, count, first, last, places}].
QJsonArray familiesJson(const QList<deadlock::Family>& families);

} // namespace lockscope::ctl
