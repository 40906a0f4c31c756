// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <QColor>
#include <QFrame>
#include <QPointer>
#include <QTabWidget>
#include <QWidget>

#include <optional>

class QLabel;
class QSettings;
class QVBoxLayout;

namespace lockscope::ui {

class ComparisonPanel;
class ExportButton;
class Presentation;
class StepPanel;
class TimelinePanel;

/// Shows the verdict, in letters that can be read from afar.
class VerdictBanner : public QFrame {
    Q_OBJECT

public:
    explicit VerdictBanner(QWidget* parent = nullptr);

    /// `figures`: below it, small.
    void show(const scenario::RunReport& report, const QString& figures);
    /// Shows the verdict on all of them together.
    void showComparison(const std::vector<RunReportPtr>& reports);
    void clear(); ///< and hides it
    /// Letters that much larger than usual, for a hall.
    void setMagnification(double factor);
    bool hasVerdict() const { return !text().trimmed().isEmpty(); }
    QString text() const; ///< headline, explanation and figures

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Appearance {
        QString sign;
        QColor ink;
        QColor fill;
    };
    Appearance appearance() const;
    void tell(VerdictKind kind, const QString& headline, const QString& words, const QString& figures);
    void applyColors();
    void applyFonts();

    VerdictKind m_kind = VerdictKind::Held;
    double m_factor = 1;
    QLabel* m_sign;
    QLabel* m_headline;
    QLabel* m_words;
    QLabel* m_figures;
};

/// Shows the results of runs: the verdict, and as tabs the timeline, the comparison and the steps. In its
/// place on the page, or on the whole screen for a hall: then without the parts that are only for the person
/// who works with it.
class ScenarioStage : public QWidget {
    Q_OBJECT

public:
    using FindScenario = std::function<scenario::ScenarioPtr(const QString& id)>;
    /// `findScenario` makes that one the page's and returns it; null if there is none.
    ScenarioStage(QSettings& settings, FindScenario findScenario, QWidget* parent = nullptr);
    ~ScenarioStage() override;
    Q_DISABLE_COPY_MOVE(ScenarioStage)

    StepPanel& steps() const { return *m_steps; }
    ExportButton& exporting() const { return *m_export; }
    bool hasRuns() const { return !m_runs.empty(); }
    TimelinePtr timeline() const; ///< that is shown; null = none

    /// Shows, before anything has run, the words where the timeline will be. `offersTour`: and a button.
    void clear(const QString& title, const QString& hint, bool offersTour);
    void showLive(const TimelinePtr& timeline); ///< of a run that goes on
    /// Adds one more of `requested` runs.
    void add(const ScenarioRunner::Ran& run, qsizetype requested);
    /// Takes the verdict on the order in which the last run takes its locks.
    void noteLockOrder(const QString& verdict);
    /// Notes that no more are to come.
    void showEnd();

    enum class Tab { Timeline, Comparison, Steps };
    Tab tab() const { return static_cast<Tab>(m_tabs->currentIndex()); }
    void showTab(Tab tab) { m_tabs->setCurrentIndex(static_cast<int>(tab)); }

    /// Sets the server of the runs, for the presentation; nothing: there is none. A presentation ends.
    void setServer(const std::optional<db::ServerProfile>& server);
    /// F11: the whole screen; again, or Escape: back.
    void togglePresentation();
    void endPresentation();
    bool isPresented() const { return !m_presentation.isNull(); }

    void saveLayout(QSettings& settings) const;

Q_SIGNALS:
    void tabChanged();
    void tourRequested();
    void statusMessage(const QString& text);
    void csvRequested();
    void locksRequested(const lockscope::ui::TimelinePtr& timeline, int number, const QString& subject);

private:
    void showOne(std::size_t index);
    void showTitle();
    void showVerdict();
    void setMagnification(double factor);
    std::vector<RunReportPtr> reports() const;

    QLabel* m_title; ///< the scenario and the variant that are shown: the form may be at another one
    VerdictBanner* m_verdict;
    QTabWidget* m_tabs;
    TimelinePanel* m_timeline;
    ComparisonPanel* m_comparison;
    StepPanel* m_steps;
    ExportButton* m_export;
    QWidget* m_corner; ///< of the tabs: buttons
    std::vector<ScenarioRunner::Ran> m_runs; ///< that are over
    std::size_t m_shown = 0; ///< of m_runs
    bool m_isComparison = false; ///< the verdict is about all of them
    std::optional<db::ServerProfile> m_server;
    QPointer<Presentation> m_presentation;
    QVBoxLayout* m_column;
    QWidget* m_content; ///< verdict and tabs: here, or in the presentation
};

} // namespace lockscope::ui
