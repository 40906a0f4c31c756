// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class TimeTravel;

/// Across the window while a past time is on view: which one, and the way back.
class TravelMark : public QFrame {
    Q_OBJECT

public:
    explicit TravelMark(QWidget* parent = nullptr);

    /// `ago`: how long that was before now; empty if it is not known.
    void show(const TimeTravel& travel, const QString& ago);
    QString text() const; ///< all that it says; empty while hidden

Q_SIGNALS:
    void liveRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_time;
    QLabel* m_more;
    QPushButton* m_live;
};

} // namespace lockscope::ui
