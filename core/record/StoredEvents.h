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
Result<QList<Event>> latestEventsIn(Store& store, Event::Kind kind, qint64 maxCount);
/// Returns what Event::isOfReader says in them, as sentences: that some are damaged, or beyond what is read
/// at once. Empty: none is missing.
QStringList missingAmong(const QList<Event>& events);
Result<QList<RecordedReport>> reportsIn(Store& store, ServerTime from, ServerTime to);
Result<QList<Event>> eventsLike(Store& store, const QString& pattern, qint64 maxCount);

} // namespace lockscope::record
