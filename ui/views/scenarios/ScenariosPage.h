// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/scenario/format/ScenarioFile.h"
#include "ui/views/page/Page.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <functional>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace lockscope::ui {

class FaultView;
class NoticeBar;
class OrderForm;
class RunBar;
class ScenarioList;
class ScenarioStage;
class TourPanel;
struct TourStop;

/// "scenarios": makes a race between sessions happen on the server on view, and shows who was where, when.
/// The run goes on while other pages show its sessions; it ends with the window, or when another server is
/// shown.
class ScenariosPage : public Page {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("scenarios"), QStringLiteral("Scenarios")};

    explicit ScenariosPage(AppContext& context, QWidget* parent = nullptr);

    /// Null = nothing can be run there. A run on the former server is stopped.
    void setServer(std::optional<db::Server> server);
    bool isRunning() const override;
    void stop() override;

    /// Runs on the server; only whether it may depends on the time on view.
    void showSnapshot(const SnapshotPtr& snapshot) override;
    void showHealth(monitor::Health, const std::optional<Error>&, milliseconds) override { }
    bool hasDetail() const override { return false; }
    /// Chooses the scenario of that id; "id/variant" its variant, too; "tour" begins the guided tour.
    void setFilter(const QString& filter) override;
    void focusFilter() override;
    QString countText() const override;
    void saveLayout() override;
    bool canExportCsv() const override;
    void exportCsv() override;

protected:
    bool event(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeLeft();
    QWidget* makeRight();
    void ensureLibrary();
    void readLibrary(const std::function<void()>& then = {});
    void showLibrary(const scenario::Library& library);
    void showNextLibrary();
    bool canCopy() const;
    void copyAsMine();
    void openCopy(const scenario::OwnCopy& copy);
    void showChosen();
    void updateActs();
    /// Returns why that scenario can't be run now; empty if it can.
    QString reasonAgainstRunning(const scenario::ScenarioPtr& requested) const;
    void askAndStart(const QList<scenario::RunOrder>& orders);
    void start(const QList<scenario::RunOrder>& orders);
    void clearResults();
    void showProgress(const scenario::Progress& progress, int number, int count);
    void showEnd(const std::optional<Error>& error);
    void arrange();
    void showStopped();
    void beginTour();
    void doTourStop(const TourStop& stop);
    void updateTour();
    void showLocks(const TimelinePtr& timeline, bool isLive, int number, const QString& subject);

    std::optional<db::Server> m_server;
    RunConsent* m_consent;
    ScenarioRunner* m_runner;
    scenario::ScenarioPtr m_scenario;
    scenario::Library m_library;
    bool m_isLoaded = false; ///< the library
    std::optional<scenario::Library> m_nextLibrary; ///< was read during a run, and is shown after it
    int m_readings = 0; ///< of the library, that are not answered yet
    int m_choices = 0; ///< in the list, and by setFilter()
    bool m_isCopying = false;
    Worker m_files; ///< reads and writes the user's own
    QList<scenario::RunOrder> m_orders; ///< that run
    QString m_reasonAgainstActing; ///< as shown
    bool m_isTourWaiting = false; ///< its stop is done as soon as the stepped run has ended
    bool m_hasFailed = false; ///< the notice says why
    QString m_dismissedReason; ///< against running, that the user has read

    QSplitter* m_splitter;
    ScenarioList* m_list;
    QPushButton* m_reload = nullptr;
    QPushButton* m_copy = nullptr;
    QStackedWidget* m_right;
    NoticeBar* m_notice;
    QLabel* m_title = nullptr;
    QLabel* m_story = nullptr;
    QLabel* m_lookAt = nullptr;
    OrderForm* m_form = nullptr;
    RunBar* m_runBar = nullptr;
    ScenarioStage* m_stage = nullptr;
    TourPanel* m_tour = nullptr;
    FaultView* m_faults = nullptr;
};

} // namespace lockscope::ui
