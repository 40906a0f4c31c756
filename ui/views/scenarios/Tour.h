// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QString>

#include <vector>

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

} // namespace lockscope::ui
