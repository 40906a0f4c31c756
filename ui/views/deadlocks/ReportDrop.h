// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QWidget;

namespace lockscope::ui {

/// Takes reports of deadlocks and logs that are dropped on a window, several files at once or a text, or
/// pasted into it as text. Recordings are somebody else's.
class ReportDrop : public QObject {
    Q_OBJECT

public:
    explicit ReportDrop(QWidget& window);

    /// A file that says by its name that deadlocks may stand in it: .xdl, .xml, .log, .csv, .json, .txt, or
    /// an older one, "postgresql.log.1"; SQL Server's ERRORLOG.
    static bool isReportName(const QString& path);
    /// Returns the filter for a dialog that opens them, and its patterns, "*.xdl *.xml …".
    static QString nameFilter();
    static QString namePatterns();

Q_SIGNALS:
    void dropped(const QStringList& paths);
    /// A text was pasted or dropped where no field takes it.
    void pasted(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockscope::ui
