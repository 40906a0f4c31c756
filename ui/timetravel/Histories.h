// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/BiographySubject.h"
#include "ui/DetailSubject.h"

#include <QObject>

#include <functional>
#include <optional>

class QMenu;
class QWidget;

namespace lockscope {
struct Snapshot;
}
namespace lockscope::record {
class RecordingClient;
}

namespace lockscope::ui {

class AppContext;
class Page;

/// Opens what recordings tell beyond single moments, in windows beside the main one. GUI thread.
class Histories : public QObject {
    Q_OBJECT

public:
    Histories(AppContext& context, QWidget& window);

    /// Of the recording of the server on view.
    void openHistory(const record::BiographySubject& subject, ServerTime around);
    void openRange(ServerTime from, ServerTime to, bool compares = false);
    void openSearch();
    /// Two snapshots side by side.
    void openDifferences(ServerTime first, ServerTime second);
    /// Asks how and where to save that range.
    void saveClip(ServerTime from, ServerTime to);

Q_SIGNALS:
    void momentRequested(lockscope::ServerTime at);
    void said(const QString& text); ///< why it is not possible, or that it is done

private:
    void openHistoryOf(
        const record::RecordingClient& client, const record::BiographySubject& subject, ServerTime around);
    template <class Window> void follow(Window* window);
    template <class Window> void followMoments(Window* window);

    AppContext& m_context;
    QWidget& m_window;
};

/// What of a selected thing has a history.
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
