// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "core/record/RecordedLock.h"

#include <QObject>

class QWidget;

namespace lockscope::record {
class RecordingClient;
}

namespace lockscope::ui {

class AppContext;
class RecordingWindow;

/// Opens views of recordings beyond single snapshots, in windows beside the main one. GUI thread.
class Histories : public QObject {
    Q_OBJECT

public:
    Histories(AppContext& context, QWidget& window);

    /// Opens one in the recording of the server on view.
    void openHistory(const record::BiographySubject& subject, ServerTime around);
    void openRange(ServerTime from, ServerTime to, bool compares = false);
    void openSearch();
    /// Two snapshots side by side.
    void openDifferences(ServerTime first, ServerTime second);
    /// Asks how and where to save that range.
    void saveClip(ServerTime from, ServerTime to);

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    void said(const QString& text); ///< why it is not possible, or that it is done

private:
    /// Returns the recording on view; null: there is none, which is said.
    const record::RecordingClient* recording();
    void follow(RecordingWindow* window);

    AppContext& m_context;
    QWidget& m_window;
};

} // namespace lockscope::ui
