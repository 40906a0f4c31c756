// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"
#include "ui/views/page/RunThread.h"
#include "ui/views/scenarios/Timeline.h"

namespace lockscope::ui {

/// Runs orders one after the other. When stopped, it emits `ran` with the results so far, then `ended`;
/// orders that have not begun are left out.
class ScenarioRunner : public RunThread {
    Q_OBJECT

public:
    /// A run that is over, and its picture.
    struct Ran {
        std::shared_ptr<const scenario::RunReport> report;
        TimelinePtr timeline;
        QString lockOrder{}; ///< locks that are taken in opposite orders; empty: none, or not known yet
    };
    using RunThread::RunThread;

    /// To be called only while nothing runs.
    void start(const db::Server& server, const QList<scenario::RunOrder>& orders);

Q_SIGNALS:
    /// Several times a second; `number` of `count` orders, from 1.
    void progressed(const lockscope::scenario::Progress& progress, int number, int count);
    /// Emitted now and then, with what the sessions have lived through so far.
    void timelineUpdated(const lockscope::ui::TimelinePtr& timeline);
    void ran(const lockscope::ui::ScenarioRunner::Ran& run);
    /// Emitted for the last one that ran: locks that are taken in opposite orders. Not for one that was
    /// stopped, nor for several that are compared.
    void ordered(const QString& verdict);
    /// Emitted when everything is over and nothing is left. An error: of the order that was the last.
    void ended(const std::optional<lockscope::Error>& error);

private:
    static std::optional<Error> run(const db::Server& server, const QList<scenario::RunOrder>& orders,
        const QPointer<ScenarioRunner>& to, const std::stop_token& stop);
};

} // namespace lockscope::ui
