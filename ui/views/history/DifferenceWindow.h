// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/SnapshotComparison.h"
#include "ui/views/history/RecordingWindow.h"

class QLabel;

namespace lockscope::ui {

class ReportExport;
class ReportTable;

/// Two snapshots of a recording side by side: sessions, locks and waits that are new, gone, or there in
/// another way.
class DifferenceWindow : public RecordingWindow {
    Q_OBJECT

public:
    DifferenceWindow(
        const record::RecordingClient& shown, ServerTime first, ServerTime second, QWidget* parent);

private:
    struct Pair {
        SnapshotPtr before;
        SnapshotPtr after;
        std::vector<SnapshotDifference> differences;
    };
    static Result<Pair> read(record::RecordingReader& reader, ServerTime first, ServerTime second);
    void showPair(const Pair& pair);

    ServerTime m_before;
    ServerTime m_after;
    QLabel* m_title;
    ReportTable* m_view;
    ReportExport* m_export;
    QPushButton* m_showBefore;
    QPushButton* m_showAfter;
};

} // namespace lockscope::ui
