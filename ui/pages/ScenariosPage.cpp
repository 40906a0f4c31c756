// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/ScenariosPage.h"

#include "ui/scenario/ComparisonPanel.h"
#include "ui/scenario/OrderForm.h"
#include "ui/scenario/ScenarioExport.h"
#include "ui/scenario/ScenarioList.h"
#include "ui/scenario/StepPanel.h"
#include "ui/scenario/TimelinePanel.h"
#include "ui/scenario/TimelineView.h"
#include "ui/scenario/VerdictBanner.h"
#include "ui/theme/Theme.h"
#include "ui/widgets/NoticeBar.h"
#include "ui/widgets/TableView.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using scenario::Progress;

namespace {

QLabel* wrapped(QWidget* parent, const char* name)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QStringList countsText(const scenario::Counts& counts)
{
    QStringList parts;
    const auto add = [&parts](const QString& words, qint64 count) {
        if (count > 0)
            parts << words.arg(count);
    };
    add(ScenariosPage::tr("%L1 denied"), counts.denied);
    add(ScenariosPage::tr("%L1 deadlock victims"), counts.victims);
    add(ScenariosPage::tr("%L1 refused writes"), counts.conflicts);
    add(ScenariosPage::tr("%L1 duplicate keys"), counts.duplicates);
    add(ScenariosPage::tr("%L1 locks that were somebody else's"), counts.lost);
    add(ScenariosPage::tr("%L1 mistakes"), counts.failures);
    add(ScenariosPage::tr("%L1 crashes"), counts.deaths);
    return parts;
}

const QString separator = QStringLiteral("  ·  ");

} // namespace

ScenariosPage::ScenariosPage(AppContext& appContext, QWidget* parent)
    : Page(QStringLiteral("scenarios"), tr("Scenarios"), appContext, parent)
    , m_runner(new ScenarioRunner(this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_list(new ScenarioList(this))
    , m_right(new QStackedWidget(this))
{
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->addWidget(makeLeft());
    m_splitter->addWidget(makeRight());
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({270, 830});
    m_splitter->restoreState(
        context().settings().value(QStringLiteral("pages/scenarios/splitter")).toByteArray());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_splitter);

    connect(m_list, &ScenarioList::chosen, this, &ScenariosPage::showChosen);
    connect(m_form, &OrderForm::changed, this, &ScenariosPage::updateActs);
    connect(&context(), &AppContext::serverChanged, this, &ScenariosPage::updateActs);
    connect(m_timeline, &TimelinePanel::locksRequested, this, &ScenariosPage::showLocks);
    connect(m_runner, &ScenarioRunner::progressed, this, &ScenariosPage::showProgress);
    connect(m_runner, &ScenarioRunner::looked, m_timeline, &TimelinePanel::show);
    connect(m_runner, &ScenarioRunner::ran, this, &ScenariosPage::showRun);
    connect(m_runner, &ScenarioRunner::ended, this, &ScenariosPage::showEnd);
    loadLibrary();
}

QWidget* ScenariosPage::makeLeft()
{
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_list, 1);
    auto* reload = new QPushButton(tr("&Reload files"), left);
    reload->setObjectName(QStringLiteral("reloadScenarios"));
    reload->setAutoDefault(false);
    const QString folder = QDir::toNativeSeparators(scenario::userFolder().absolutePath());
    reload->setToolTip(tr("Your own scenarios are in %1").arg(folder));
    connect(reload, &QPushButton::clicked, this, &ScenariosPage::loadLibrary);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(8, 6, 8, 6);
    foot->addWidget(reload);
    foot->addStretch(1);
    column->addLayout(foot);
    left->setMinimumWidth(190);
    return left;
}

QWidget* ScenariosPage::makeRight()
{
    auto* page = new QWidget(this);
    m_title = new QLabel(page);
    m_title->setFont(theme::scaled(1.35, QFont::DemiBold));
    m_story = wrapped(page, "story");
    m_lookAt = wrapped(page, "lookAt");
    m_lookAt->setForegroundRole(QPalette::PlaceholderText);
    m_notice = new NoticeBar(NoticeBar::Shape::Card, page);
    m_notice->setObjectName(QStringLiteral("scenarioNotice"));
    connect(
        m_notice, &NoticeBar::actionTriggered, this, [this] { Q_EMIT requestAct(InstallSchemaAction{}); });
    m_form = new OrderForm(page);
    m_verdict = new VerdictBanner(page);
    m_timeline = new TimelinePanel(page);
    m_tabs = new QTabWidget(page);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_timeline, tr("&Timeline"));
    m_comparison = new ComparisonPanel(context().settings(), page);
    m_tabs->addTab(m_comparison, tr("C&omparison"));
    connect(m_comparison, &ComparisonPanel::statusMessage, this, &Page::statusMessage);
    connect(m_comparison, &ComparisonPanel::exportRequested, this, &ScenariosPage::exportCsv);
    connect(m_comparison, &ComparisonPanel::chosen, this, [this](const QString& variant) {
        if (const ScenarioRunner::Ran* run = runOf(variant))
            showOne(*run);
    });
    m_steps = new StepPanel(
        [this](const QString& id) { return m_list->choose(id) ? m_list->scenario() : nullptr; }, page);
    m_tabs->addTab(m_steps, tr("Step &by step"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &ScenariosPage::showVerdict);
    connect(m_steps, &StepPanel::statusMessage, this, &Page::statusMessage);
    connect(m_steps, &StepPanel::runningChanged, this, [this] {
        updateActs();
        tellStopped();
    });
    auto* exporting = new QToolButton(m_tabs);
    exporting->setObjectName(QStringLiteral("exportScenario"));
    exporting->setText(tr("E&xport"));
    exporting->setPopupMode(QToolButton::InstantPopup);
    exporting->setAutoRaise(true);
    auto* menu = new QMenu(exporting);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillExportMenu(*menu); });
    exporting->setMenu(menu);
    m_tabs->setCornerWidget(exporting);

    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(14, 12, 14, 8);
    column->setSpacing(7);
    column->addWidget(m_title);
    column->addWidget(m_story);
    column->addWidget(m_lookAt);
    column->addWidget(m_notice);
    column->addWidget(m_form);
    column->addLayout(makeRunBar());
    column->addWidget(m_verdict);
    column->addWidget(m_tabs, 1);
    m_right->addWidget(page);

    auto* faults = new QScrollArea(this);
    faults->setFrameShape(QFrame::NoFrame);
    faults->setWidgetResizable(true);
    m_faultText = wrapped(faults, "faults");
    m_faultText->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_faultText->setMargin(16);
    m_faultText->setTextFormat(Qt::RichText);
    m_faultText->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    faults->setWidget(m_faultText);
    m_right->addWidget(faults);
    return m_right;
}

QLayout* ScenariosPage::makeRunBar()
{
    const auto button = [this](const QString& text, const char* name) {
        auto* made = new QPushButton(text, this);
        made->setObjectName(QLatin1String(name));
        made->setAutoDefault(false);
        return made;
    };
    m_run = button(tr("&Run"), "runScenario");
    m_compare = button(tr("&Compare variants"), "compareVariants");
    m_stop = button(tr("Sto&p"), "stopScenario");
    m_progress = new QProgressBar(this);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 8);
    m_progress->hide();
    m_live = new QLabel(this);
    m_live->setObjectName(QStringLiteral("scenarioLive"));
    m_live->setTextFormat(Qt::PlainText);
    m_live->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(m_run, &QPushButton::clicked, this, [this] { start({m_form->order()}); });
    connect(m_compare, &QPushButton::clicked, this, [this] { start(m_form->ordersOfAllVariants()); });
    connect(m_stop, &QPushButton::clicked, this, &ScenariosPage::stop);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_run);
    row->addWidget(m_compare);
    row->addWidget(m_stop);
    row->addSpacing(6);
    row->addWidget(m_progress);
    row->addWidget(m_live, 1);
    return row;
}

void ScenariosPage::loadLibrary()
{
    const scenario::Library library = scenario::loadLibrary();
    m_scenarioCount = library.scenarios.size();
    m_faultCount = library.faults.size();
    m_list->show(library);
    Q_EMIT countTextChanged();
}

void ScenariosPage::showChosen()
{
    const scenario::FileFaults faults = m_list->faults();
    m_right->setCurrentIndex(faults.empty() ? 0 : 1);
    if (!faults.empty()) {
        showFaults(faults);
        return;
    }
    if (m_list->scenario() == m_scenario)
        return;
    m_scenario = m_list->scenario();
    clearResults();
    m_title->setText(m_scenario ? m_scenario->title : QString());
    m_story->setText(m_scenario ? m_scenario->story : QString());
    m_lookAt->setText(m_scenario && !m_scenario->lookAt.isEmpty()
            ? tr("What to look at: %1").arg(m_scenario->lookAt)
            : QString());
    m_lookAt->setVisible(!m_lookAt->text().isEmpty());
    m_form->setScenario(m_scenario);
    m_steps->setScenario(m_scenario);
    updateActs();
}

void ScenariosPage::showFaults(const scenario::FileFaults& faults)
{
    const QString file = faults.front().file;
    QString html = QStringLiteral("<h3>%1</h3><p>%2</p>")
                       .arg(tr("This file can't be run").toHtmlEscaped(),
                           QDir::toNativeSeparators(file).toHtmlEscaped());
    for (const scenario::FileFault& fault : faults) {
        const QString place =
            fault.line > 0 ? tr("Line %1, column %2: ").arg(fault.line).arg(fault.column) : QString();
        html += QStringLiteral("<p><b>%1</b>%2</p>").arg(place.toHtmlEscaped(), fault.what.toHtmlEscaped());
        if (!fault.expected.isEmpty())
            html += QStringLiteral("<p style='margin-left:24px'>%1</p>")
                        .arg(tr("Expected: %1.").arg(fault.expected).toHtmlEscaped());
    }
    html += QStringLiteral("<p>%1</p>")
                .arg(tr("Correct it and press “Reload files”. All other scenarios can be run meanwhile.")
                         .toHtmlEscaped());
    m_faultText->setText(html);
}

void ScenariosPage::setReach(std::optional<ServerReach> reach)
{
    if (isRunning())
        stop();
    m_reach = std::move(reach);
    clearResults();
    updateActs();
}

QString ScenariosPage::reasonAgainstRunning() const
{
    if (const QString reason = context().reasonAgainstActing(); !reason.isEmpty())
        return reason;
    if (!m_reach)
        return tr("Scenarios can't be run on this server.");
    const Engine engine = context().profile().url.engine;
    if (!m_scenario->engines.contains(engine))
        return tr("This scenario does not run on %1. Choose a server with %2%3, or another scenario.")
            .arg(engineName(engine), enginesText(m_scenario->engines),
                m_scenario->engines.contains(Engine::Postgres) ? tr(" – the sandbox is one") : QString());
    if (!m_form->isComplete())
        return tr("A name of letters, digits and _ is missing among the parameters.");
    return {};
}

void ScenariosPage::updateActs()
{
    const bool isRunning = this->isRunning();
    std::optional<Engine> engine;
    if (context().hasServer())
        engine = context().profile().url.engine;
    m_list->setEngine(engine);
    m_form->setEngine(engine);
    m_list->setEnabled(!isRunning);
    m_form->setEnabled(!isRunning);
    m_stop->setEnabled(m_runner->isRunning() && !m_runner->isStopping());
    m_stop->setVisible(m_runner->isRunning());
    const QString reason = m_scenario ? reasonAgainstRunning() : QString();
    const bool can = m_scenario && reason.isEmpty() && !isRunning;
    m_run->setEnabled(can);
    m_compare->setEnabled(can && m_form->ordersOfAllVariants().size() > 1);
    m_steps->setOrder(
        m_reach, m_form->order(), m_runner->isRunning() ? tr("The scenario is running") : reason);
    const QString where =
        tr("On “%1”, in a schema of its own that is removed afterwards").arg(context().profile().display());
    m_run->setToolTip(isRunning ? tr("It is running") : reason.isEmpty() ? where : reason);
    m_compare->setToolTip(isRunning ? tr("It is running")
            : reason.isEmpty()      ? tr("Run each variant with the same seed, one after the other")
                                    : reason);
    if (!isRunning && m_runs.empty() && !m_hasFailed) {
        if (reason.isEmpty())
            m_notice->clear();
        else
            m_notice->say({AgeLevel::Amber, reason, {}, {}, {}});
        m_notice->setAction({});
    }
}

void ScenariosPage::clearResults()
{
    m_runs.clear();
    m_hasFailed = false;
    m_verdict->clear();
    m_comparison->show({});
    m_notice->clear();
    m_notice->setAction({});
    m_live->clear();
    m_timeline->view().setEmptyText(tr("Nothing has run yet"),
        tr("Run shows here what each session did at each moment: working, waiting, holding a lock – and "
           "where two of them were together in one critical section."));
    m_timeline->show(nullptr);
}

void ScenariosPage::start(const QList<scenario::RunOrder>& orders)
{
    if (orders.isEmpty() || !m_reach || isRunning())
        return;
    clearResults();
    m_orders = orders;
    m_tabs->setCurrentWidget(m_timeline);
    m_timeline->view().setEmptyText(tr("Preparing"), tr("The sessions connect."));
    m_timeline->show(nullptr);
    m_progress->setRange(0, 0);
    m_progress->show();
    m_live->setText(tr("Preparing"));
    m_runner->start(*m_reach, orders);
    updateActs();
    m_stop->setFocus();
}

bool ScenariosPage::isRunning() const
{
    return m_runner->isRunning() || m_steps->isRunning();
}

/// It is about the free run, not about the steps.
void ScenariosPage::showVerdict()
{
    m_verdict->setVisible(m_verdict->hasVerdict() && m_tabs->currentWidget() != m_steps);
}

void ScenariosPage::tellStopped()
{
    if (!isRunning())
        Q_EMIT stopped();
}

void ScenariosPage::stop()
{
    if (m_steps->isRunning())
        m_steps->stop();
    if (!m_runner->isRunning())
        return tellStopped();
    m_runner->stop();
    m_live->setText(tr("Stopping, and removing what the run has made"));
    updateActs();
}

void ScenariosPage::showProgress(const Progress& progress, int number, int count)
{
    if (m_runner->isStopping())
        return;
    const scenario::RunOrder& order = m_orders[number - 1];
    const QString which = count > 1 ? tr("Variant %1 of %2: ").arg(number).arg(count) : QString();
    switch (progress.phase) {
    case Progress::Phase::Preparing:
        m_progress->setRange(0, order.sessions);
        m_progress->setValue(progress.sessions);
        m_live->setText(
            which + tr("%1 of %2 sessions are connected").arg(progress.sessions).arg(order.sessions));
        return;
    case Progress::Phase::Ending:
        m_progress->setRange(0, 0);
        m_live->setText(which + tr("ending; %1 sessions are still there").arg(progress.sessions));
        return;
    case Progress::Phase::Running:
        break;
    }
    m_progress->setRange(0, static_cast<int>(progress.duration.count()));
    m_progress->setValue(static_cast<int>(progress.elapsed.count()));
    QStringList parts{tr("%L1 rounds").arg(progress.counts.rounds),
        tr("%1 of %2 sessions wait").arg(progress.waiting).arg(progress.sessions)};
    parts += countsText(progress.counts);
    m_live->setText(which + parts.join(separator));
}

void ScenariosPage::showRun(const ScenarioRunner::Ran& run)
{
    m_runs.push_back(run);
    std::vector<RunReportPtr> reports;
    for (const ScenarioRunner::Ran& each : m_runs)
        reports.push_back(each.report);
    m_comparison->show(reports);
    if (m_orders.size() > 1)
        m_tabs->setCurrentWidget(m_comparison);
    showOne(run);
    const scenario::RunReport& report = *run.report;
    if (report.leftBehind)
        m_notice->say({AgeLevel::Red, tr("The run's schema %1 is still there.").arg(report.runId),
            tr("%1 The next run tries again to remove it.").arg(report.leftBehind->toString()), {}, {}});
}

const ScenarioRunner::Ran* ScenariosPage::runOf(const QString& variant) const
{
    const auto found = std::find_if(m_runs.begin(), m_runs.end(),
        [&](const ScenarioRunner::Ran& each) { return each.report->variant == variant; });
    return found == m_runs.end() ? nullptr : &*found;
}

/// One of those that have run: verdict, figures, timeline.
void ScenariosPage::showOne(const ScenarioRunner::Ran& run)
{
    const scenario::RunReport& report = *run.report;
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        if (m_runs[i].report == run.report)
            m_shown = i;
    m_timeline->show(run.timeline);
    QStringList parts;
    if (m_runs.size() > 1)
        parts << report.scenario->find(report.variant)->title;
    parts << tr("%1 rounds/s").arg(rateText(report.roundsPerSecond()));
    if (report.counts.processed > 0)
        parts << tr("%1 items/s").arg(rateText(report.itemsPerSecond()));
    if (report.waits.count() > 0)
        parts << tr("waits: half below %1, 95 % below %2, longest %3")
                     .arg(shortDuration(report.waits.quantile(0.5).count()),
                         shortDuration(report.waits.quantile(0.95).count()),
                         shortDuration(report.waits.longest().count()));
    parts += countsText(report.counts);
    if (report.wasStopped)
        parts.prepend(
            tr("stopped after %1").arg(shortDuration(std::chrono::microseconds(report.duration).count())));
    m_verdict->show(report, parts.join(separator));
    showVerdict();
}

void ScenariosPage::showEnd(const std::optional<Error>& error)
{
    m_progress->hide();
    m_live->clear();
    if (error) {
        m_hasFailed = true;
        m_notice->say({AgeLevel::Red, error->what,
            QStringList{error->detail, error->hint}
                .filter(QRegularExpression(QStringLiteral(".")))
                .join(u' '),
            {}, error->toString()});
        if (error->kind == ErrorKind::MissingObject)
            m_notice->setAction(tr("Install schema…"), context().reasonAgainstActing());
    } else if (m_runs.empty()) {
        m_live->setText(tr("Stopped before the first round; nothing is left on the server."));
    }
    if (m_runs.empty()) {
        m_timeline->view().setEmptyText(error ? tr("It could not be run") : tr("Nothing has run yet"),
            error ? tr("See above why.") : QString());
        m_timeline->show(nullptr);
    }
    const bool hadFocus = m_stop->hasFocus();
    updateActs();
    if (hadFocus)
        m_run->setFocus();
    tellStopped();
}

void ScenariosPage::showLocks(int number, const QString& subject)
{
    if (!m_runner->isRunning()) {
        Q_EMIT statusMessage(
            tr("The run is over and its locks are gone. Run it again, longer, and look while it runs."));
        return;
    }
    const QString run = m_timeline->view().timeline()->runId;
    bool isEntry = false;
    const scenario::Variant* variant = m_scenario->find(m_timeline->view().timeline()->variant);
    for (const scenario::Role& role : variant->roles)
        for (const scenario::Step& step : role.program)
            if (const auto* acquire = std::get_if<scenario::AcquireStep>(&step.act))
                isEntry = isEntry || acquire->kind == locks::LockKind::Table;
    if (isEntry && !subject.isEmpty())
        Q_EMIT openPage(QStringLiteral("lock-table"), QStringLiteral("\"%1/%2\"").arg(run, subject));
    else
        Q_EMIT openPage(QStringLiteral("locks"), QStringLiteral("program:\"%1/%2 \"").arg(run).arg(number));
}

void ScenariosPage::fillExportMenu(QMenu& menu)
{
    menu.clear();
    const auto add = [&](const QString& text, Export what, const QString& filter, const QString& ending) {
        QAction* act = menu.addAction(text);
        act->setEnabled(!m_runs.empty());
        connect(act, &QAction::triggered, this, [=, this] { askWhereTo(what, filter, ending); });
    };
    const QString svg = tr("Drawing (*.svg)");
    const QString png = tr("Picture (*.png)");
    add(tr("&Report as a page (HTML)…"), Export::Html, tr("Page (*.html)"), QStringLiteral("html"));
    add(tr("Report for programs (&JSON)…"), Export::Json, tr("JSON (*.json)"), QStringLiteral("json"));
    menu.addSeparator();
    add(tr("Timeline as &SVG…"), Export::TimelineSvg, svg, QStringLiteral("svg"));
    add(tr("Timeline as &PNG…"), Export::TimelinePng, png, QStringLiteral("png"));
    menu.addSeparator();
    add(tr("Charts as SV&G…"), Export::ChartsSvg, svg, QStringLiteral("svg"));
    add(tr("Charts as P&NG…"), Export::ChartsPng, png, QStringLiteral("png"));
    add(tr("Table as &CSV…"), Export::Csv, tr("Table (*.csv)"), QStringLiteral("csv"));
}

void ScenariosPage::exportCsv()
{
    askWhereTo(Export::Csv, tr("Table (*.csv)"), QStringLiteral("csv"));
}

void ScenariosPage::askWhereTo(Export what, const QString& filter, const QString& ending)
{
    if (m_runs.empty())
        return;
    auto* dialog = new QFileDialog(this, tr("Export"), {}, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    dialog->selectFile(QStringLiteral("%1.%2").arg(m_scenario->id, ending));
    connect(dialog, &QFileDialog::fileSelected, this,
        [this, what](const QString& path) { exportTo(what, path); });
    dialog->open();
}

QByteArray ScenariosPage::exported(Export what) const
{
    const ScenarioRunner::Ran& run = m_runs[m_shown];
    constexpr int width = 1'400;
    const auto charts = [this](QPainter& painter) {
        painter.fillRect(QRect({}, m_comparison->chartsSize()), palette().color(QPalette::Base));
        m_comparison->paintCharts(painter, QRectF({}, m_comparison->chartsSize()));
    };
    switch (what) {
    case Export::TimelineSvg:
        return timelineSvg(*run.timeline, palette(), width);
    case Export::TimelinePng:
        return timelinePng(*run.timeline, palette(), width);
    case Export::ChartsSvg:
        return drawingSvg(m_comparison->chartsSize(), m_scenario->title, charts);
    case Export::ChartsPng:
        return drawingPng(m_comparison->chartsSize(), palette().color(QPalette::Base), charts);
    case Export::Html:
        return htmlReport(m_runs);
    case Export::Json:
        return jsonReport(m_runs);
    case Export::Csv:
        break;
    }
    return m_comparison->table().toCsv().toUtf8();
}

void ScenariosPage::exportTo(Export what, const QString& path)
{
    if (m_runs.empty())
        return;
    const auto written = writeFile(path, exported(what));
    Q_EMIT statusMessage(
        written ? tr("Written to %1.").arg(QDir::toNativeSeparators(path)) : written.error().toString());
}

void ScenariosPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    if (!event->spontaneous() && isRunning())
        Q_EMIT statusMessage(tr("The scenario goes on; its sessions are those of “lockscope workload”."));
}

void ScenariosPage::showSnapshot(const SnapshotPtr&) { }

void ScenariosPage::showHealth(monitor::Health, const std::optional<Error>&, milliseconds) { }

void ScenariosPage::setFilter(const QString& filter)
{
    if (isRunning() || !m_list->choose(filter.section(QLatin1Char('/'), 0, 0)))
        return;
    if (filter.contains(QLatin1Char('/')))
        m_form->chooseVariant(filter.section(QLatin1Char('/'), 1));
}

void ScenariosPage::focusFilter()
{
    m_list->setFocus(Qt::ShortcutFocusReason);
}

QString ScenariosPage::countText() const
{
    const QString all = tr("%1 scenarios").arg(m_scenarioCount);
    return m_faultCount == 0 ? all : tr("%1, %2 faults in files").arg(all).arg(m_faultCount);
}

void ScenariosPage::saveLayout()
{
    context().settings().setValue(QStringLiteral("pages/scenarios/splitter"), m_splitter->saveState());
    m_comparison->saveLayout(context().settings());
}

} // namespace lockscope::ui
