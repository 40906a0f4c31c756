// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenariosPage.h"

#include "core/base/Sentences.h"
#include "core/scenario/run/RunSchema.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/OrderForm.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/ScenarioExport.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/ScenarioStage.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/scenarios/TourPanel.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int comfortableHeight = 660; ///< of the page: for the story and the results below each other
const QString scenariosSplitterKey = u"pages/scenarios/splitter"_s;
const QString reloadText = u"Reload &files"_s;

} // namespace

ScenariosPage::ScenariosPage(AppContext& appContext, QWidget* parent)
    : Page(pageName, appContext, parent)
    , m_consent(new RunConsent(appContext, this))
    , m_runner(new ScenarioRunner(this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_list(new ScenarioList(this))
    , m_right(new QStackedWidget(this))
    , m_notice(named("scenarioNotice", new NoticeBar(NoticeBar::Shape::Strip, this)))
{
    m_notice->setDismissable(true);
    connect(
        m_notice, &NoticeBar::actionTriggered, this, [this] { Q_EMIT requestAct(InstallSchemaAction{}); });
    connect(m_notice, &NoticeBar::dismissed, this,
        [this] { m_dismissedReason = m_hasFailed ? m_dismissedReason : m_notice->text(); });
    m_splitter->setHandleWidth(1);
    divide(*m_splitter, {{makeLeft(), 0}, {makeRight(), 1}});
    m_splitter->setSizes({250, 850});
    m_splitter->restoreState(context().settings().value(scenariosSplitterKey).toByteArray());
    auto* column = withoutMargins(new QVBoxLayout(this), 0);
    column->addWidget(m_splitter, 1);
    column->addWidget(m_notice); // below: what appears there pushes nothing away
    connect(m_list, &ScenarioList::chosen, this, &ScenariosPage::showChosen);
    connect(m_form, &OrderForm::changed, this, &ScenariosPage::updateActs);
    connect(&context(), &AppContext::serverChanged, this, &ScenariosPage::updateActs);
    connect(m_stage, &ScenarioStage::locksRequested, this,
        [this](const TimelinePtr& timeline, int number, const QString& subject) {
            showLocks(timeline, isRunning(), number, subject);
        });
    addKey(
        *this, u"Scenarios"_s, u"Present verdict, timeline and steps to a hall; again: back"_s, {Qt::Key_F11},
        [this] { m_stage->togglePresentation(); }, Qt::WindowShortcut);
    connect(m_runner, &ScenarioRunner::progressed, this, &ScenariosPage::showProgress);
    connect(m_runner, &ScenarioRunner::timelineUpdated, m_stage, &ScenarioStage::showLive);
    connect(m_runner, &ScenarioRunner::ran, this, [this](const ScenarioRunner::Ran& run) {
        m_stage->add(run, m_orders.size());
        arrange();
        const scenario::RunReport& report = *run.report;
        if (report.leftBehind)
            m_notice->say({.level = AgeLevel::Red,
                .text = u"The run's schema %1 is still there."_s.arg(report.runId),
                .detail = u"%1 The next run tries again to remove it."_s.arg(report.leftBehind->toString())});
    });
    connect(m_runner, &ScenarioRunner::ordered, m_stage, &ScenarioStage::noteLockOrder);
    connect(m_runner, &ScenarioRunner::ended, this, &ScenariosPage::showEnd);
}

QWidget* ScenariosPage::makeLeft()
{
    auto* left = new QWidget(this);
    auto* column = withoutMargins(new QVBoxLayout(left), 0);
    column->addWidget(m_list, 1);
    const QString folder = QDir::toNativeSeparators(scenario::userFolder().absolutePath());
    const auto button = [left](const QString& text, const char* name, const QString& tip) {
        QPushButton* made = named(name, pushButton(text, left));
        made->setToolTip(tip);
        return made;
    };
    m_reload = button(reloadText, "reloadScenarios",
        u"Read your own scenarios again, which are in %1. Results stay."_s.arg(folder));
    m_copy = button(u"Copy as m&ine"_s, "copyScenario",
        u"Make an editable copy of this scenario in %1, and open it"_s.arg(folder));
    connect(m_reload, &QPushButton::clicked, this, [this] { readLibrary(); });
    connect(m_copy, &QPushButton::clicked, this, &ScenariosPage::copyAsMine);
    QHBoxLayout* foot = withMargins(rowOf({m_reload, m_copy, stretch(1)}), {8, 6, 8, 6});
    column->addLayout(foot);
    left->setMinimumWidth(std::max(190, foot->minimumSize().width()));
    return left;
}

QWidget* ScenariosPage::makeRight()
{
    auto* page = new QWidget(this);
    m_title = demiBold(1.35, plain(new QLabel(page)));
    m_story = sentenceLabel("story", page);
    m_lookAt = faint(sentenceLabel("lookAt", page));
    m_form = new OrderForm(page);
    m_runBar = new RunBar(page);
    connect(m_runBar, &RunBar::runRequested, this, [this] { askAndStart({m_form->order()}); });
    connect(
        m_runBar, &RunBar::comparisonRequested, this, [this] { askAndStart(m_form->ordersOfAllVariants()); });
    connect(m_runBar, &RunBar::stopRequested, this, &ScenariosPage::stop);
    m_stage = new ScenarioStage(
        context().settings(),
        [this](const QString& id) { return m_list->choose(id) ? m_list->scenario() : nullptr; }, page);
    m_stage->steps().setConsent([this](const scenario::RunOrder& order, const std::function<void()>& go) {
        m_consent->ask(*m_server, questionOf({order}), go);
    });
    connect(m_stage, &ScenarioStage::statusMessage, this, &Page::statusMessage);
    connect(m_stage, &ScenarioStage::csvRequested, this, &ScenariosPage::exportCsv);
    connect(m_stage, &ScenarioStage::tabChanged, this, &ScenariosPage::arrange);
    connect(m_stage, &ScenarioStage::tourRequested, this, &ScenariosPage::beginTour);
    connect(&m_stage->steps(), &StepPanel::runningChanged, this, [this] {
        if (m_stage->steps().isRunning() && std::exchange(m_hasFailed, false))
            m_notice->clear(); // it was about another run
        if (!m_stage->steps().isRunning())
            m_tour->setDone(false); // if it still waits for them: they ended before there was anything to see
        updateActs();
        arrange();
        showStopped();
    });
    m_tour = new TourPanel(page);
    connect(m_tour, &TourPanel::actRequested, this, &ScenariosPage::doTourStop);
    connect(m_tour, &TourPanel::stopChanged, this, &ScenariosPage::updateTour);
    connect(m_consent, &RunConsent::refused, m_tour, [this] { m_tour->setDone(false); });
    connect(m_tour, &TourPanel::ended, this, &ScenariosPage::arrange);
    connect(&m_stage->steps(), &StepPanel::stateShown, this, [this] { m_tour->setDone(true); });
    connect(&m_stage->steps(), &StepPanel::failed, this, [this] { m_tour->setDone(false); });

    addAll(*withMargins(new QVBoxLayout(page), {14, 12, 14, 8}, 7),
        {m_tour, m_title, m_story, m_lookAt, m_form, m_runBar, {m_stage, 1}});
    m_right->addWidget(page);

    m_faults = new FaultView(m_right);
    m_right->addWidget(m_faults);
    return m_right;
}

/// Reads all scenarios again on another thread, because the user's folder may be on a network.
void ScenariosPage::readLibrary(const std::function<void()>& then)
{
    if (m_readings++ == 0)
        m_reload->setMinimumWidth(m_reload->sizeHint().width()); // its neighbour stays where it is
    m_reload->setText(u"Reading…"_s);
    m_reload->setEnabled(false);
    m_files.ask(
        this, [](const std::stop_token&) { return scenario::loadLibrary(); },
        [this, then](const scenario::Library& library) {
            if (--m_readings == 0)
                m_reload->setText(reloadText);
            m_nextLibrary = library;
            showNextLibrary();
            if (then)
                then();
        });
}

/// Waits for the end of a run, whose scenario stays chosen and shown until then.
void ScenariosPage::showNextLibrary()
{
    if (isRunning())
        return;
    if (const auto library = std::exchange(m_nextLibrary, std::nullopt))
        showLibrary(*library);
}

void ScenariosPage::showLibrary(const scenario::Library& library)
{
    m_library = library;
    const int choices = m_choices;
    m_list->show(m_library);
    m_choices = choices; // nobody has chosen what it may show now
    updateActs(); // mutes what does not run on this server
    Q_EMIT countTextChanged();
}

bool ScenariosPage::canCopy() const
{
    return m_list->scenario() && !m_isCopying && !isRunning();
}

void ScenariosPage::copyAsMine()
{
    if (!canCopy())
        return;
    const scenario::ScenarioPtr chosen = m_list->scenario();
    const auto setCopying = [this](bool isCopying) {
        m_isCopying = isCopying;
        m_copy->setEnabled(canCopy());
    };
    setCopying(true);
    m_files.ask(
        this,
        [chosen, library = m_library](
            const std::stop_token&) { return scenario::writeOwnCopy(*chosen, library); },
        [this, setCopying](const Result<scenario::OwnCopy>& copy) {
            if (copy)
                return readLibrary([this, setCopying, made = *copy] {
                    setCopying(false);
                    openCopy(made);
                });
            setCopying(false);
            Q_EMIT statusMessage(copy.error().toString());
        });
}

void ScenariosPage::openCopy(const scenario::OwnCopy& copy)
{
    if (!isRunning())
        m_list->choose(copy.id);
    const QString path = QDir::toNativeSeparators(copy.path);
    const bool isOpen = QDesktopServices::openUrl(QUrl::fromLocalFile(copy.path));
    Q_EMIT statusMessage(isOpen
            ? u"Your copy %1 is open. Change it, save it, then press Reload files."_s.arg(path)
            : u"Your copy is %1. Change it in an editor, then press Reload files."_s.arg(path));
}

void ScenariosPage::showChosen()
{
    ++m_choices;
    const scenario::FileFaults faults = m_list->faults();
    m_right->setCurrentIndex(faults.empty() ? 0 : 1);
    m_copy->setEnabled(canCopy());
    if (!faults.empty()) {
        m_faults->show(faults);
        return;
    }
    const scenario::ScenarioPtr chosen = m_list->scenario();
    const bool isReloaded = chosen && m_scenario && chosen->id == m_scenario->id;
    if (chosen == m_scenario || (isReloaded && chosen->text == m_scenario->text))
        return;
    m_scenario = chosen;
    m_stage->steps().setScenario(m_scenario);
    if (!isReloaded || !m_stage->hasRuns())
        clearResults();
    else
        m_notice->say({.level = AgeLevel::Normal,
            .text = u"The file has changed since these results."_s,
            .detail = u"Run shows what has become of them."_s});
    m_title->setText(m_scenario ? m_scenario->title : QString());
    m_story->setText(m_scenario ? m_scenario->story : QString());
    m_lookAt->setText(m_scenario && !m_scenario->lookAt.isEmpty()
            ? u"What to look at: %1"_s.arg(m_scenario->lookAt)
            : QString());
    m_title->setToolTip(toolTipText(m_story->text()));
    arrange();
    m_form->setScenario(m_scenario);
    updateActs();
}

void ScenariosPage::setServer(std::optional<db::Server> server)
{
    m_isTourWaiting = false; // that was asked for on the server before
    if (isRunning())
        stop();
    m_server = std::move(server);
    m_stage->setServer(context().hasServer() ? std::optional(context().profile()) : std::nullopt);
    clearResults();
    updateActs();
}

QString ScenariosPage::reasonAgainstRunning(const scenario::ScenarioPtr& requested) const
{
    if (const QString reason = context().reasonAgainstActing(); !reason.isEmpty())
        return reason;
    if (!m_server)
        return u"Scenarios can't be run on this server."_s;
    return requested ? reasonAgainst(*requested, context().profile().url.engine) : QString();
}

void ScenariosPage::showSnapshot(const SnapshotPtr&)
{
    if (m_reasonAgainstActing != context().reasonAgainstActing())
        updateActs();
}

void ScenariosPage::updateActs()
{
    m_reasonAgainstActing = context().reasonAgainstActing();
    const bool isRunning = this->isRunning();
    std::optional<Engine> engine;
    if (context().hasServer())
        engine = context().profile().url.engine;
    m_list->setEngine(engine);
    m_form->setEngine(engine);
    m_list->setEnabled(!isRunning);
    m_form->setEnabled(!isRunning);
    m_reload->setEnabled(!isRunning && m_readings == 0);
    m_copy->setEnabled(canCopy());
    QString reason = m_scenario ? reasonAgainstRunning(m_scenario) : QString();
    if (m_scenario && reason.isEmpty() && !m_form->isComplete())
        reason = u"A name of letters, digits and _ is missing among the parameters."_s;
    const bool can = m_scenario && reason.isEmpty() && !isRunning;
    m_stage->steps().setOrder(
        m_server, m_form->order(), m_runner->isRunning() ? u"The scenario is running"_s : reason);
    const QString where =
        u"On “%1”, in a schema of its own that is removed afterwards"_s.arg(context().profile().display());
    const auto tip = [&](const QString& what) {
        return isRunning ? u"It is running"_s : reason.isEmpty() ? what : reason;
    };
    m_runBar->setState(!m_runner->isRunning() ? RunBar::State::Idle
            : m_runner->isStopping()          ? RunBar::State::Stopping
                                              : RunBar::State::Running,
        can, can && m_form->ordersOfAllVariants().size() > 1, tip(where),
        tip(u"Run each variant with the same seed, one after the other"_s));
    if (!isRunning && !m_stage->hasRuns() && !m_hasFailed) {
        // A reason that was dismissed stays so for the next scenario or server, too.
        const bool isNews = !reason.isEmpty() && reason != m_dismissedReason;
        m_notice->say(isNews ? BarNotice{.level = AgeLevel::Amber, .text = reason} : BarNotice{});
        m_notice->setAction({});
    }
    updateTour();
}

void ScenariosPage::clearResults()
{
    m_hasFailed = false;
    m_notice->clear();
    m_notice->setAction({});
    m_runBar->showEnd();
    m_stage->clear(u"Nothing has run yet"_s,
        u"Run shows here what each session did at each time: working, waiting, holding a lock – and in red where something was lost."_s,
        !m_tour->isOn());
    arrange();
}

void ScenariosPage::askAndStart(const QList<scenario::RunOrder>& orders)
{
    if (!orders.isEmpty() && m_server)
        m_consent->ask(*m_server, questionOf(orders), [this, orders] { start(orders); });
}

void ScenariosPage::start(const QList<scenario::RunOrder>& orders)
{
    if (orders.isEmpty() || !m_server || isRunning())
        return;
    clearResults();
    m_orders = orders;
    m_stage->showTab(ScenarioStage::Tab::Timeline);
    m_stage->clear(u"Preparing"_s, u"The sessions connect."_s, false);
    m_runBar->showPreparing();
    m_runner->start(*m_server, orders);
    updateActs();
    arrange();
    m_runBar->focusStop();
}

bool ScenariosPage::isRunning() const
{
    return m_runner->isRunning() || m_stage->steps().isRunning();
}

/// Hides what is not needed now, for the space of the rest.
void ScenariosPage::arrange()
{
    const bool isStepping = m_stage->tab() == ScenarioStage::Tab::Steps && m_stage->steps().isRunning();
    const bool isTour = m_tour->isOn();
    m_form->setVisible(!isStepping && !isTour); // nothing in it could be changed
    m_runBar->setVisible(isTour ? m_runner->isRunning() : !isStepping);
    // With little space, the story has been read when the first results are there.
    const bool hasSpace = !isTour && (height() >= comfortableHeight || (!m_stage->hasRuns() && !isRunning()));
    m_title->setVisible(!isTour);
    m_stage->steps().setGuided(isTour);
    m_story->setVisible(hasSpace);
    m_lookAt->setVisible(hasSpace && height() >= comfortableHeight && !m_lookAt->text().isEmpty());
}

void ScenariosPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

void ScenariosPage::showStopped()
{
    if (isRunning())
        return;
    showNextLibrary();
    Q_EMIT stopped();
    if (std::exchange(m_isTourWaiting, false) && m_tour->isOn())
        doTourStop(m_tour->stop());
}

void ScenariosPage::stop()
{
    if (m_stage->steps().isRunning())
        m_stage->steps().stop();
    if (!m_runner->isRunning())
        return showStopped();
    m_runner->stop();
    m_runBar->tell(u"Stopping, and removing what the run has made"_s);
    updateActs();
}

void ScenariosPage::showProgress(const scenario::Progress& progress, int number, int count)
{
    if (!m_runner->isStopping())
        m_runBar->showProgress(progress, m_orders[number - 1].sessions, number, count);
}

void ScenariosPage::showEnd(const std::optional<Error>& error)
{
    m_runBar->showEnd();
    m_stage->showEnd();
    if (error) {
        m_hasFailed = true;
        m_notice->say(BarNotice::of(*error, AgeLevel::Red, error->toString()));
        if (error->kind == ErrorKind::MissingObject)
            m_notice->setAction(u"Install schema…"_s, context().reasonAgainstActing());
    } else if (!m_stage->hasRuns()) {
        m_runBar->tell(u"Stopped before the first round; nothing is left on the server."_s);
    }
    if (!m_stage->hasRuns())
        m_stage->clear(error ? u"It could not be run"_s : u"Nothing has run yet"_s,
            error ? u"The notice below says why."_s : QString(), false);
    m_runBar->passFocusOn();
    m_tour->setDone(!error && m_stage->hasRuns());
    updateActs();
    arrange();
    showStopped();
}

/// `isLive`: the sessions of that timeline are still there.
void ScenariosPage::showLocks(const TimelinePtr& timeline, bool isLive, int number, const QString& subject)
{
    if (!isLive) {
        Q_EMIT statusMessage(
            u"The run is over and its locks are gone. Run it again, longer, and look while it runs."_s);
        return;
    }
    const scenario::Variant* const variant = timeline->scenario->find(timeline->variant);
    if (variant && scenario::usesLocks(*variant, locks::LockKind::Table) && !subject.isEmpty())
        Q_EMIT openPage(
            QStringLiteral("lock-table"), QStringLiteral("\"%1/%2\"").arg(timeline->runId, subject));
    else
        Q_EMIT openPage(
            QStringLiteral("locks"), QStringLiteral("program:\"%1/%2 \"").arg(timeline->runId).arg(number));
}

bool ScenariosPage::canExportCsv() const
{
    return m_stage->hasRuns();
}

void ScenariosPage::exportCsv()
{
    m_stage->exporting().ask(ExportButton::What::Csv);
}

/// The window need not wait for the files of a page that nobody looks at.
void ScenariosPage::ensureLibrary()
{
    if (std::exchange(m_isLoaded, true))
        return;
    showLibrary(scenario::loadLibrary(std::nullopt)); // the user's own come when they are read
    readLibrary();
}

bool ScenariosPage::event(QEvent* event)
{
    if (event->type() == QEvent::Polish) // before it is laid out and shown for the first time
        ensureLibrary();
    return Page::event(event);
}

void ScenariosPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    if (event->spontaneous())
        return;
    m_stage->endPresentation();
    if (isRunning())
        Q_EMIT statusMessage(u"The scenario goes on; its sessions are those of “lockscope workload”."_s);
}

void ScenariosPage::setFilter(const QString& filter)
{
    ensureLibrary();
    ++m_choices;
    if (filter == QStringLiteral("tour"))
        return beginTour();
    if (isRunning())
        return;
    const auto choose = [this, filter] {
        const bool isThere = m_list->choose(filter.section(QLatin1Char('/'), 0, 0));
        if (isThere && filter.contains(QLatin1Char('/')))
            m_form->chooseVariant(filter.section(QLatin1Char('/'), 1));
        return isThere;
    };
    if (!choose()) // it may have been written since; a newer choice counts more
        readLibrary([this, choose, choices = m_choices] {
            if (!isRunning() && choices == m_choices)
                choose();
        });
}

void ScenariosPage::focusFilter()
{
    m_list->setFocus(Qt::ShortcutFocusReason);
}

QString ScenariosPage::countText() const
{
    const QString all = counted(qint64(m_library.scenarios.size()), u"scenario");
    const auto faults = qint64(m_library.faults.size());
    return faults == 0 ? all : u"%1, %2 in files"_s.arg(all, counted(faults, u"fault"));
}

void ScenariosPage::saveLayout()
{
    context().settings().setValue(scenariosSplitterKey, m_splitter->saveState());
    m_stage->saveLayout(context().settings());
}

void ScenariosPage::beginTour()
{
    if (isRunning())
        return;
    m_tour->begin();
    m_stage->showTab(ScenarioStage::Tab::Timeline);
    clearResults();
    updateActs();
}

void ScenariosPage::updateTour()
{
    if (!m_tour->isOn())
        return;
    m_tour->setReasonAgainst(reasonAgainstRunning(m_library.find(m_tour->stop().scenario)));
}

void ScenariosPage::doTourStop(const TourStop& stop)
{
    m_tour->setBusy();
    if (stop.act == TourStop::Act::Steps) {
        m_stage->showTab(ScenarioStage::Tab::Steps);
        m_stage->steps().replayText(stop.steps);
        return;
    }
    if (m_stage->steps().isRunning()) {
        m_isTourWaiting = true;
        m_stage->steps().stop();
        return;
    }
    if (!m_list->choose(stop.scenario))
        return m_tour->setDone(false);
    m_form->chooseVariant(stop.variant);
    QList<scenario::RunOrder> orders = stop.act == TourStop::Act::Compare
        ? m_form->ordersOfAllVariants()
        : QList<scenario::RunOrder>{m_form->order()};
    for (scenario::RunOrder& order : orders)
        order.duration = milliseconds(qRound64(stop.seconds * 1'000));
    askAndStart(orders);
}

} // namespace lockscope::ui
