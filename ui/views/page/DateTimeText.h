// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "core/record/Recording.h"
#include "core/record/SnapshotSearch.h"

#include <QDateTime>
#include <QString>

#include <utility>
#include <vector>

namespace lockscope::ui {

/// "12:04:31 UTC", with the date if it is not of today: "22 Nov 12:04:31 UTC". By the server's clock.
QString shortDateTimeText(ServerTime time, const QDateTime& now = QDateTime::currentDateTimeUtc());
/// "12:00 to 13:04 UTC", "22 Nov 12:00 to 23 Nov 13:04 UTC".
QString spanText(const record::Span& span, const QDateTime& now = QDateTime::currentDateTimeUtc());

/// "the beginning of a wait, deadlocks, alerts".
QString landmarksText(record::Landmarks kinds);
/// Each landmark, with what the menu calls it.
const std::vector<std::pair<record::Landmark, QString>>& landmarkNames();

} // namespace lockscope::ui
