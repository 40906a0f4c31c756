// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioStage.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/ComparisonPanel.h"
#include "ui/views/scenarios/ScenarioExport.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/scenarios/TimelinePanel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

struct Parts {
    QString headline;
    QString words;
};

/// The verdict is one sentence and why; its first part is what the eye needs.
Parts partsOf(const QString& verdict, bool isBroken)
{
    const QString end = isBroken ? QStringLiteral(". ") : QStringLiteral(": ");
    const qsizetype at = verdict.indexOf(end);
    if (at < 0)
        return {verdict, {}};
    QString words = verdict.mid(at + 2);
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return {verdict.left(at), words};
}

QLabel* bannerLabel(QWidget* parent, double size, QFont::Weight weight)
{
    QLabel* label = selectable(wrapped(new QLabel(parent)));
    label->setFont(theme::scaled(size, weight));
    return label;
}

/// Twice as large on a screen of 1080 lines.
double hallLetters(const QScreen& screen)
{
    return std::clamp(screen.availableGeometry().height() / 540.0, 1.5, 3.0);
}

} // namespace

VerdictBanner::VerdictBanner(QWidget* parent)
    : QFrame(parent)
    , m_sign(new QLabel(this))
    , m_headline(named("verdictHeadline", bannerLabel(this, 1.9, QFont::Bold)))
    , m_words(named("verdictWords", bannerLabel(this, 1.05, QFont::Normal)))
    , m_figures(named("verdictFigures", faint(bannerLabel(this, 0.92, QFont::Normal))))
{
    setObjectName(QStringLiteral("verdict"));
    m_sign->setFont(theme::scaled(2.2, QFont::Bold));
    m_sign->setAlignment(Qt::AlignTop);
    QVBoxLayout* column = withSpacing(columnOf({m_headline, m_words, m_figures}), 2);
    addAll(*withMargins(new QHBoxLayout(this), {14, 8, 14, 9}, 12), {m_sign, {column, 1}});
    hide();
    theme::whenRecolored(*this, [this] { applyColors(); });
}

void VerdictBanner::show(const scenario::RunReport& report, const QString& figures)
{
    const Parts parts = partsOf(report.verdict, report.violations.isBroken());
    QString words = parts.words;
    if (!report.violations.sawAll)
        words +=
            QLatin1Char(' ') + u"The event log was full: the last events were counted, but not checked."_s;
    tell(verdictKind(report), parts.headline, words, figures);
}

void VerdictBanner::showComparison(const std::vector<RunReportPtr>& reports)
{
    const ComparisonText text = comparisonText(reports);
    tell(text.kind, text.headline, text.words, text.figures);
}

void VerdictBanner::tell(
    VerdictKind kind, const QString& headline, const QString& words, const QString& figures)
{
    m_kind = kind;
    m_headline->setText(headline);
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    m_figures->setText(figures);
    m_sign->setText(appearance().sign);
    setAccessibleName(text());
    applyColors();
    update();
}

void VerdictBanner::setMagnification(double factor)
{
    m_factor = factor;
    applyFonts();
}

void VerdictBanner::clear()
{
    m_headline->clear();
    m_words->clear();
    m_figures->clear();
    hide();
}

QString VerdictBanner::text() const
{
    return QStringList{m_headline->text(), m_words->text(), m_figures->text()}.join(QLatin1Char('\n'));
}

VerdictBanner::Appearance VerdictBanner::appearance() const
{
    const ThemeColors& colors = theme::colors(palette());
    const Appearance all[]{{u"✖"_s, colors.red, colors.redFill}, {u"?"_s, colors.amber, colors.amberFill},
        {u"✔"_s, colors.ok, colors.okFill}};
    return all[static_cast<std::size_t>(m_kind)];
}

void VerdictBanner::applyColors()
{
    theme::setInk(m_sign, appearance().ink);
    theme::setInk(m_headline, appearance().ink);
}

void VerdictBanner::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    applyFonts();
}

/// In a narrow window it leaves space for the parts below.
void VerdictBanner::applyFonts()
{
    constexpr int narrow = 720;
    const bool isNarrow = width() < narrow * m_factor;
    m_headline->setFont(theme::scaled((isNarrow ? 1.35 : 1.9) * m_factor, QFont::Bold));
    m_sign->setFont(theme::scaled((isNarrow ? 1.6 : 2.2) * m_factor, QFont::Bold));
    m_words->setFont(theme::scaled(1.05 * m_factor));
    m_figures->setFont(theme::scaled(0.92 * m_factor));
}

void VerdictBanner::paintEvent(QPaintEvent*)
{
    theme::paintCard(*this, appearance().ink, appearance().fill);
}

ScenarioStage::ScenarioStage(QSettings& settings, FindScenario findScenario, QWidget* parent)
    : QWidget(parent)
    , m_column(new QVBoxLayout(this))
    , m_content(new QWidget(this))
{
    m_title = named("stageTitle", demiBold(1.1, wrapped(new QLabel(m_content))));
    m_title->hide();
    m_verdict = new VerdictBanner(m_content);
    m_tabs = new QTabWidget(m_content);
    m_tabs->setDocumentMode(true);
    m_timeline = new TimelinePanel(TimelinePanel::Shape::Page, m_tabs);
    m_tabs->addTab(m_timeline, u"&Timeline"_s);
    m_comparison = new ComparisonPanel(settings, m_tabs);
    m_tabs->addTab(m_comparison, u"C&omparison"_s);
    m_steps = new StepPanel(std::move(findScenario), m_tabs);
    m_tabs->addTab(m_steps, u"Step &by step"_s);
    m_corner = new QWidget(m_tabs);
    QToolButton* present = named("present",
        flatButton(u"Prese&nt"_s,
            u"Verdict, timeline and steps on the whole screen, in large letters (F11)"_s, m_corner));
    connect(present, &QToolButton::clicked, this, &ScenarioStage::togglePresentation);
    m_export = new ExportButton(*m_comparison, m_corner);
    addAll(*withoutMargins(new QHBoxLayout(m_corner), 2), {present, m_export});
    m_tabs->setCornerWidget(m_corner);
    addAll(*withoutMargins(new QVBoxLayout(m_content), 7), {m_title, m_verdict, {m_tabs, 1}});
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->addWidget(m_content);

    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        if (tab() == Tab::Timeline)
            m_isComparison = false;
        else if (tab() == Tab::Comparison)
            m_isComparison = m_runs.size() > 1;
        showVerdict();
        Q_EMIT tabChanged();
    });
    connect(m_comparison, &ComparisonPanel::chosen, this, [this](const QString& variant) {
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            if (m_runs[i].report->variant != variant)
                continue;
            m_isComparison = false;
            showOne(i);
        }
    });
    connect(&m_comparison->table(), &TableView::exportRequested, this, &ScenarioStage::csvRequested);
    connect(m_timeline, &TimelinePanel::emptyActionTriggered, this, &ScenarioStage::tourRequested);
    connect(&m_timeline->view(), &TimelineView::locksRequested, this,
        [this](int number, const QString& subject) { Q_EMIT locksRequested(timeline(), number, subject); });
    connect(m_steps, &StepPanel::locksRequested, this, &ScenarioStage::locksRequested);
    for (const auto signal : {&StepPanel::runningChanged, &StepPanel::stateShown})
        connect(m_steps, signal, this, &ScenarioStage::showTitle);
    connect(m_steps, &StepPanel::statusMessage, this, &ScenarioStage::statusMessage);
    connect(&m_comparison->table(), &TableView::statusMessage, this, &ScenarioStage::statusMessage);
    connect(m_export, &ExportButton::statusMessage, this, &ScenarioStage::statusMessage);
    theme::whenRecolored(*this, [this] { showTitle(); });
}

ScenarioStage::~ScenarioStage()
{
    endPresentation();
}

std::vector<RunReportPtr> ScenarioStage::reports() const
{
    std::vector<RunReportPtr> reports;
    for (const ScenarioRunner::Ran& each : m_runs)
        reports.push_back(each.report);
    return reports;
}

TimelinePtr ScenarioStage::timeline() const
{
    return m_timeline->view().timeline();
}

void ScenarioStage::clear(const QString& title, const QString& hint, bool offersTour)
{
    m_runs.clear();
    m_shown = 0;
    m_isComparison = false;
    m_verdict->clear();
    m_comparison->show({});
    m_export->show({}, 0);
    m_timeline->view().setEmptyText(title, hint);
    m_timeline->setEmptyAction(offersTour ? u"&Guided tour: three races in five minutes"_s : QString());
    m_timeline->show(nullptr);
    showVerdict();
}

void ScenarioStage::showLive(const TimelinePtr& timeline)
{
    m_timeline->show(timeline);
    showTitle();
}

void ScenarioStage::add(const ScenarioRunner::Ran& run, qsizetype requested)
{
    m_runs.push_back(run);
    m_comparison->show(reports());
    if (requested > 1)
        m_tabs->setCurrentWidget(m_comparison);
    m_isComparison = m_runs.size() > 1;
    showOne(m_runs.size() - 1);
}

void ScenarioStage::noteLockOrder(const QString& verdict)
{
    if (m_runs.empty())
        return;
    m_runs.back().lockOrder = verdict;
    showVerdict();
}

void ScenarioStage::showEnd()
{
    if (m_runs.size() < 2)
        return;
    m_isComparison = true;
    showVerdict();
}

/// One of those that have run: verdict, figures, timeline.
void ScenarioStage::showOne(std::size_t index)
{
    m_shown = index;
    const bool isOther = timeline() != m_runs[index].timeline;
    m_timeline->show(m_runs[index].timeline);
    if (isOther)
        m_timeline->view().openAtFirstLoss();
    m_export->show(m_runs, m_shown);
    showVerdict();
}

void ScenarioStage::showVerdict()
{
    if (!m_runs.empty()) {
        if (m_isComparison) {
            m_verdict->showComparison(reports());
        } else {
            const scenario::RunReport& report = *m_runs[m_shown].report;
            QStringList figures{figuresText(report, m_runs.size() > 1), m_runs[m_shown].lockOrder};
            figures.removeAll(QString());
            m_verdict->show(report, figures.join(u'\n'));
        }
    }
    m_verdict->setVisible(m_verdict->hasVerdict() && tab() != Tab::Steps); // it is about the free run
    showTitle();
}

/// Names the run on view: "Lost update  ·  UNSAFE – Read, then write".
void ScenarioStage::showTitle()
{
    const bool isSteps = tab() == Tab::Steps;
    const bool isComparison = m_isComparison && !isSteps;
    const TimelinePtr timeline = this->timeline();
    const scenario::Variant* const variant = isSteps ? m_steps->variant()
        : timeline                                   ? timeline->scenario->find(timeline->variant)
                                                     : nullptr;
    m_title->setVisible(variant);
    if (!variant)
        return;
    m_title->setText(
        QStringLiteral("%1  ·  %2")
            .arg((isSteps ? m_steps->scenario() : timeline->scenario)->title.section(u": "_s, 0, 0),
                isComparison ? u"%1 variants"_s.arg(m_runs.size()) : variantLabel(*variant)));
    const bool isWarning = variant->isUnsafe && !isComparison;
    theme::setInk(m_title, isWarning ? theme::colors().amber : palette().color(QPalette::WindowText));
}

void ScenarioStage::setServer(const std::optional<db::ServerProfile>& server)
{
    if (m_server == server)
        return;
    endPresentation(); // it is another one's
    m_server = server;
}

void ScenarioStage::togglePresentation()
{
    if (isPresented())
        return endPresentation();
    if (tab() == Tab::Comparison)
        showTab(Tab::Timeline);
    m_presentation = new Presentation(*this, m_server);
    connect(m_presentation, &Presentation::left, this, &ScenarioStage::endPresentation);
    setMagnification(hallLetters(*screen()));
    QWidget* const focus = tab() == Tab::Steps ? static_cast<QWidget*>(m_steps) : &m_timeline->view();
    m_presentation->present(*m_content, *focus);
}

void ScenarioStage::endPresentation()
{
    if (!isPresented())
        return;
    const std::unique_ptr<Presentation> ending(std::exchange(m_presentation, nullptr).data());
    m_column->addWidget(m_content);
    m_content->show();
    window()->activateWindow();
    setMagnification(1);
    ending->hide();
}

void ScenarioStage::setMagnification(double factor)
{
    m_tabs->tabBar()->setVisible(factor <= 1);
    m_corner->setVisible(factor <= 1);
    m_title->setFont(theme::scaled(1.1 * factor, QFont::DemiBold));
    m_verdict->setMagnification(factor);
    m_timeline->setMagnification(factor);
    m_steps->setPresenting(factor);
}

void ScenarioStage::saveLayout(QSettings& settings) const
{
    m_comparison->saveLayout(settings);
}

} // namespace lockscope::ui
