// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"
#include "core/record/Store.h"

#include <QList>
#include <QStringList>

/// The events that RecordingReader reads, asked of a store. Blocks; the store's thread.
namespace lockscope::record {

Result<QList<Event>> eventsIn(Store& store, ServerTime from, ServerTime to);
/// Returns a sentence for each kind of events that eventsIn() could not give: damaged ones, and those beyond
/// what is read at once. Empty: none is missing.
QStringList missingAmong(const QList<Event>& events);
Result<QList<RecordedReport>> reportsIn(Store& store, ServerTime from, ServerTime to);
Result<QList<Event>> eventsLike(Store& store, const QString& pattern, qint64 maxCount);

} // namespace lockscope::record
