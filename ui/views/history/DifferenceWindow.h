// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/SnapshotComparison.h"
#include "core/record/RecordingClient.h"

#include <QDialog>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class ReportExport;
class ReportModel;
class TableView;

/// Two snapshots of a recording side by side: sessions, locks and waits that are new, gone, or there in
/// another way. A window beside the others; deletes itself when it is closed.
class DifferenceWindow : public QDialog {
    Q_OBJECT

public:
    /// Reads the recording by a connection of its own: it may outlive `shown`.
    DifferenceWindow(
        const record::RecordingClient& shown, ServerTime first, ServerTime second, QWidget* parent);

    const record::RecordingClient& client() const { return m_client; }

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);

private:
    struct Pair {
        SnapshotPtr before;
        SnapshotPtr after;
        std::vector<SnapshotDifference> differences;
    };
    static Result<Pair> read(record::RecordingReader& reader, ServerTime first, ServerTime second);
    void showPair(const Pair& pair);

    record::RecordingClient m_client;
    ServerTime m_before;
    ServerTime m_after;
    QLabel* m_title;
    ReportModel* m_model = nullptr;
    TableView* m_view = nullptr;
    ReportExport* m_export;
    QPushButton* m_showBefore;
    QPushButton* m_showAfter;
};

} // namespace lockscope::ui
