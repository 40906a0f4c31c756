// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordedLock.h"
#include "ui/views/page/DetailSubject.h"

#include <functional>
#include <optional>

class QMenu;
class QWidget;

namespace lockscope {
struct Snapshot;
}

namespace lockscope::ui {

class Page;

/// The reason where a server has no recording.
QString reasonAgainstHistories();

/// Things of one selected row that have a history.
struct HistorySubjects {
    std::optional<record::RecordedLock> lock; ///< of a session: what it waits for
    std::optional<record::RecordedSession> session;
};
/// `snapshot` may be null: there is none.
HistorySubjects historiesOf(const DetailSubject& subject, const Snapshot* snapshot);

/// "History of this lock…" and "History of this session…" in the menu of a page's row; they ask by
/// Page::historyRequested. Grey with the reason where nothing is recorded.
void addHistories(QMenu& menu, Page& page, const HistorySubjects& subjects);
/// The keys for the same, of the rows' widget; what `subjects` returns is asked when a key is pressed.
void addHistoryKeys(QWidget& rows, Page& page, const std::function<HistorySubjects()>& subjects);

} // namespace lockscope::ui
