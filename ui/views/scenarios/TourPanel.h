// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QFrame>
#include <QString>

#include <vector>

class QLabel;
class QPushButton;

namespace lockscope::ui {

/// One stop of the guided tour: what it is about, a button that does it, and what to look at then.
struct TourStop {
    enum class Act { None, Run, Compare, Steps };
    QString title;
    QString text;
    QString textWhenDone; ///< shown in its place when the act is done
    QString button;
    Act act = Act::None;
    QString scenario; ///< its id; of Steps: as the steps say
    QString variant; ///< of Run
    double seconds = 2; ///< of each run
    QString steps; ///< of Steps: an order of steps as text, from the start
};

struct Tour {
    QString title;
    std::vector<TourStop> stops;
};

/// `json`: resources/tour/tour.json. An error says what is missing where.
Result<Tour> readTour(const QByteArray& json);
/// The one that comes with the program; a mistake in it is a defect: qFatal.
const Tour& theTour();

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
