// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/Tour.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace lockscope::ui {

/// Leads through the stops of a tour: shows a text, has a button that does it, then says what to watch.
/// Hidden while there is no tour.
class TourPanel : public QFrame {
    Q_OBJECT

public:
    explicit TourPanel(QWidget* parent = nullptr);

    void begin(); ///< at the first stop
    void end();
    bool isOn() const { return m_isOn; }
    const TourStop& stop() const { return theTour().stops[m_at]; }

    /// Why it can't be done now; empty = it can.
    void setReasonAgainst(const QString& reason);
    void setBusy(); ///< the button's action has begun
    /// It is over; if it failed, the stop stays as it was.
    void setDone(bool isFine);

Q_SIGNALS:
    void actRequested(const lockscope::ui::TourStop& stop);
    void stopChanged();
    void ended();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void go(std::size_t to);
    void update();
    void fitText();

    bool m_isOn = false;
    bool m_isBusy = false;
    bool m_isDone = false; ///< at this stop
    std::size_t m_at = 0;
    QString m_reasonAgainst;
    QLabel* m_where;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_act;
    QPushButton* m_back;
    QPushButton* m_next;
    QPushButton* m_end;
};

} // namespace lockscope::ui
