// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/StepPanel.h"

#include "core/base/PlainFile.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/StepBoard.h"
#include "ui/views/scenarios/TimelinePanel.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxColumns = 9; ///< each has a key
const QString loadText = u"&Load…"_s;

/// Reads both kinds, whatever the file is called. Any thread; blocks on the disk.
Result<scenario::Interleaving> readSteps(const QString& path)
{
    return readTextFile(path).and_then(
        [&path](const QByteArray& text) { return scenario::readInterleaving(text, path); });
}

} // namespace

StepPanel::StepPanel(std::function<scenario::ScenarioPtr(const QString& id)> findScenario, QWidget* parent)
    : QWidget(parent)
    , m_findScenario(std::move(findScenario))
    , m_runner(new StepRunner(this))
    , m_sessions(named("stepSessions", u"Sessions"_s, new QSpinBox(this)))
    , m_most(named("mostOrders", u"How many orders to try at most"_s, new QSpinBox(this)))
    , m_notice(named("stepNotice", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_board(new StepBoard(this))
    , m_timeline(new TimelinePanel(TimelinePanel::Shape::Strip, this))
    , m_text(named("interleaving", u"Order of steps"_s, new QLineEdit(this)))
{
    setObjectName(QStringLiteral("steps"));
    setFocusPolicy(Qt::ClickFocus); // numbers run steps
    m_timeline->view().setObjectName(QStringLiteral("stepTimeline"));
    auto* column = withMargins(new QVBoxLayout(this), {0, 8, 0, 0}, 7);
    m_buttons = makeButtons();
    addAll(*column, {m_buttons, m_notice, {m_board, 1}, m_timeline});
    m_foot = makeFoot();
    column->addWidget(m_foot);

    connect(&m_timeline->view(), &TimelineView::chosen, this, [this](QString description) {
        Q_EMIT statusMessage(description.replace(QLatin1Char('\n'), QStringLiteral("  ·  ")));
    });
    connect(
        &m_timeline->view(), &TimelineView::locksRequested, this, [this](int number, const QString& subject) {
            if (m_state)
                Q_EMIT locksRequested(m_state->timeline, number, subject);
        });
    connect(m_board, &StepBoard::stepRequested, this, &StepPanel::step);
    connect(m_runner, &StepRunner::changed, this, &StepPanel::showState);
    connect(m_runner, &StepRunner::failed, this, [this](const Error& error) {
        m_notice->say(BarNotice::of(error, AgeLevel::Red, error.toString()));
        updateActs();
        Q_EMIT failed();
    });
    connect(m_runner, &StepRunner::exploring, this, [this](const scenario::ExploreProgress& progress) {
        m_notice->say({.level = AgeLevel::Normal,
            .text = u"%L1 orders were tried, of at most %L2; %L3 of them went wrong."_s.arg(progress.executed)
                        .arg(progress.atMost, 0, 'f', 0)
                        .arg(progress.broken)});
    });
    connect(m_runner, &StepRunner::explored, this,
        [this](const std::shared_ptr<const scenario::ExploreReport>& report) {
            m_notice->say(
                {.level = report->broken > 0 ? AgeLevel::Red : AgeLevel::Normal, .text = report->verdict});
            if (report->witness && !m_runner->isStopping()) {
                m_next = report->witness; // shown as soon as exploring has tidied up
                m_found = report->verdict;
            }
        });
    connect(m_runner, &StepRunner::ended, this, &StepPanel::showEnd);
    for (int number = 1; number <= maxColumns; ++number) {
        addKey(
            *this, u"Step by step"_s, u"The next step of session %1"_s.arg(number),
            {static_cast<Qt::Key>(Qt::Key_0 + number)},
            [this, number] {
                if (m_state)
                    step(number);
            },
            Qt::WidgetWithChildrenShortcut);
    }
    setAccessibleName(u"Step by step"_s);
    setChapter(*this, QStringLiteral("scenarios.md#step-by-step"));
    updateActs();
}

QWidget* StepPanel::makeButtons()
{
    auto* place = new QWidget(this);
    const auto button = [this](const QString& text, const char* name, const QString& tip) {
        QPushButton* made = named(name, pushButton(text, this));
        made->setToolTip(tip);
        return made;
    };
    // The form beside them and the tabs have most letters already.
    m_start = button(u"Start"_s, "startSteps", u"Connect the sessions and wait for you"_s);
    m_undo = button(u"&Undo step"_s, "undoStep", u"From the start again, up to the step before"_s);
    m_restart = button(u"Restart"_s, "restartSteps", u"Everything as at the start"_s);
    m_end = button(u"End"_s, "endSteps", u"Disconnect the sessions and remove their tables"_s);
    m_explore = button(u"E&xplore"_s, "exploreSteps",
        u"Try every order of steps for real, and show the shortest one that goes wrong"_s);
    m_sessions->setRange(2, maxColumns);
    m_sessions->setSuffix(u" sessions"_s);
    m_most->setRange(1, 100'000);
    m_most->setValue(2'000);
    m_most->setPrefix(u"at most "_s);
    m_most->setSuffix(u" orders"_s);
    m_most->setGroupSeparatorShown(true);
    auto* row = withoutMargins(new QHBoxLayout(place), 6);
    for (QWidget* each :
        std::initializer_list<QWidget*>{m_sessions, m_start, m_undo, m_restart, m_end, m_explore, m_most})
        row->addWidget(each);
    row->insertSpacing(5, 10); // between the two things that can be done
    row->addStretch(1);
    connect(m_start, &QPushButton::clicked, this, [this] { whenAllowed(&StepPanel::start); });
    connect(m_undo, &QPushButton::clicked, this, [this] {
        m_runner->undo();
        updateActs();
    });
    connect(m_restart, &QPushButton::clicked, this, [this] {
        m_notice->clear();
        m_runner->restart();
        updateActs();
    });
    connect(m_end, &QPushButton::clicked, this, &StepPanel::stop);
    connect(m_explore, &QPushButton::clicked, this, [this] { whenAllowed(&StepPanel::explore); });
    return place;
}

QWidget* StepPanel::makeFoot()
{
    auto* place = new QWidget(this);
    const auto button = [this](const QString& text, const char* name, const QString& tip) {
        auto* made = named(name, new QToolButton(this));
        made->setText(text);
        made->setToolTip(tip);
        made->setFocusPolicy(Qt::TabFocus);
        return made;
    };
    m_text->setFont(theme::monospace());
    m_text->setPlaceholderText(u"Order of steps, e.g. lost-update/unsafe: A1 B1 A2 B2 – Enter replays it"_s);
    m_text->setToolTip(u"The order of steps as text: to hand on, or to paste and replay"_s);
    m_replay = button(u"Repla&y"_s, "replaySteps", u"Do the steps in that order again, from the start"_s);
    auto* copy = button(u"Copy"_s, "copySteps", u"Copy the order of steps as text"_s);
    m_save = button(u"Save…"_s, "saveSteps", u"Keep this order of steps in a file"_s);
    m_load = button(loadText, "loadSteps", u"Replay an order of steps from a file"_s);
    auto* row = withoutMargins(new QHBoxLayout(place), 4);
    row->addWidget(m_text, 1);
    for (QToolButton* each : {m_replay, copy, m_save, m_load})
        row->addWidget(each);
    connect(m_replay, &QToolButton::clicked, this, [this] { replayText(m_text->text()); });
    connect(m_text, &QLineEdit::returnPressed, this, [this] { replayText(m_text->text()); });
    connect(copy, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_text->text());
        Q_EMIT statusMessage(u"The order of steps was copied."_s);
    });
    connect(m_save, &QToolButton::clicked, this, [this] {
        if (m_state)
            askWhereToSave(*this, u"Save the order of steps"_s, u"Steps (*.json *.txt)"_s,
                m_state->record.scenario + QStringLiteral(".json"),
                [this](const QString& path) { saveTo(path); });
    });
    connect(m_load, &QToolButton::clicked, this, [this] {
        auto* dialog =
            deletedOnClose(new QFileDialog(this, u"Load an order of steps"_s, {}, u"Steps (*.json *.txt)"_s));
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &StepPanel::loadFrom);
        dialog->open();
    });
    return place;
}

void StepPanel::setScenario(const scenario::ScenarioPtr& scenario)
{
    if (scenario == m_scenario)
        return;
    m_scenario = scenario;
    dropReading();
    if (!m_next) {
        m_state.reset();
        m_timeline->show(nullptr);
        m_text->clear();
        m_notice->clear();
        m_board->showHint();
    }
    const int least = scenario ? scenario->leastSessions : 2;
    m_sessions->setRange(std::min(least, maxColumns), std::max(least, maxColumns));
    m_sessions->setValue(std::max({2, least, scenario ? scenario->explore.sessions : 0}));
    updateActs();
}

void StepPanel::setOrder(
    const std::optional<db::Server>& server, const scenario::RunOrder& order, const QString& reasonAgainst)
{
    const auto profileOf = [](const std::optional<db::Server>& each) {
        return each ? std::optional(each->profile) : std::nullopt;
    };
    if (profileOf(m_server) != profileOf(server) || m_reasonAgainst != reasonAgainst)
        dropReading();
    m_server = server;
    m_order = order;
    m_reasonAgainst = reasonAgainst;
    updateActs();
}

bool StepPanel::canStart() const
{
    return !m_runner->isRunning() && !m_next && m_server && m_reasonAgainst.isEmpty() && m_scenario;
}

bool StepPanel::isIdle() const
{
    return m_runner->isRunning() && !m_isExploring && !m_runner->isBusy() && !m_runner->isStopping();
}

bool StepPanel::canReplay() const
{
    return canStart() || (isIdle() && m_server);
}

/// The file was chosen for what was on view then.
void StepPanel::dropReading()
{
    if (!std::exchange(m_isReading, false))
        return;
    ++m_generation;
    m_files.cancel();
    m_load->setText(loadText);
    Q_EMIT statusMessage(u"The order of steps is not loaded: what is on view has changed meanwhile."_s);
}

void StepPanel::updateActs()
{
    const bool isIdle = this->isIdle();
    // The next button to press, and nothing else.
    const bool isAtRest = !m_runner->isRunning() && !m_next;
    for (QWidget* each : std::initializer_list<QWidget*>{m_sessions, m_start, m_explore, m_most}) {
        each->setEnabled(canStart() && !m_isReading);
        each->setVisible(isAtRest);
    }
    for (QWidget* each : {m_undo, m_restart})
        each->setVisible(!isAtRest && !m_isExploring);
    m_end->setVisible(!isAtRest);
    m_board->setHint(m_isExploring
            ? u"Every order of steps is done for real, one after the other. The simplest one that goes wrong is opened here, to be gone through."_s
            : u"You are the scheduler. Start connects the sessions; then you say whose statement is next: by its button, a click on it, or the session’s number on the keyboard. One that has to wait shows for whom and for what, while the others can go on."_s);
    m_undo->setEnabled(isIdle && m_state && !m_state->record.steps.empty());
    m_restart->setEnabled(isIdle);
    m_end->setEnabled(m_runner->isRunning() && !m_runner->isStopping());
    m_end->setText(m_isExploring ? u"Stop"_s : u"End"_s);
    m_save->setEnabled(m_state && !m_state->record.steps.empty());
    for (QWidget* each : {m_load, m_replay})
        each->setEnabled(canReplay() && !m_isReading);
    if (m_state)
        m_board->showSessions(*m_state, isIdle);
}

/// Clears everything that was shown before.
void StepPanel::begin(const QString& variant, const QString& words)
{
    dropReading();
    m_runs = variant;
    m_found.clear();
    m_state.reset();
    m_board->showHint();
    m_timeline->show(nullptr);
    m_notice->say({.level = AgeLevel::Normal, .text = words});
}

void StepPanel::whenAllowed(void (StepPanel::*act)())
{
    if (!m_consent)
        return (this->*act)();
    m_consent(m_order, [this, act] {
        if (m_server && !isRunning())
            (this->*act)();
    });
}

void StepPanel::start()
{
    scenario::StepOrder order;
    order.run = m_order;
    order.run.sessions = m_sessions->value();
    begin(m_order.variant, u"The sessions connect."_s);
    m_runner->start(*m_server, order);
    updateActs();
    setFocus();
    Q_EMIT runningChanged();
}

void StepPanel::explore()
{
    scenario::ExploreOrder order;
    order.steps.run = m_order;
    order.steps.run.sessions = m_sessions->value();
    // Parameters that nobody has changed are as the scenario needs them for its race.
    for (const scenario::Parameter& each : m_order.scenario->parameters)
        if (m_order.scenario->changed({{each.name, m_order.parameters.value(each.name)}}).isEmpty())
            order.steps.run.parameters.remove(each.name);
    order.maximum = m_most->value();
    m_isExploring = true;
    begin(m_order.variant, u"Trying the first order."_s);
    m_text->clear();
    m_runner->explore(*m_server, order);
    updateActs();
    Q_EMIT runningChanged();
}

void StepPanel::replay(const scenario::Interleaving& recorded, bool isAgreed)
{
    const auto scenario =
        m_scenario && m_scenario->id == recorded.scenario ? m_scenario : m_findScenario(recorded.scenario);
    if (!scenario) {
        m_notice->say(
            {.level = AgeLevel::Amber, .text = u"There is no scenario “%1” here."_s.arg(recorded.scenario)});
        return;
    }
    if (m_runner->isRunning()) {
        m_found.clear();
        m_next = recorded;
        m_runner->stop();
        updateActs();
        return;
    }
    const auto go = [this, recorded, scenario] {
        if (!m_server || m_runner->isRunning())
            return;
        begin(recorded.variant, u"Replaying %1 steps."_s.arg(recorded.steps.size()));
        m_runner->start(*m_server, scenario::orderOf(recorded, scenario), recorded);
        updateActs();
        Q_EMIT runningChanged();
    };
    if (m_consent && m_server && !isAgreed)
        m_consent(scenario::orderOf(recorded, scenario).run, go);
    else
        go();
}

void StepPanel::replayText(const QString& text)
{
    const auto recorded = scenario::interleavingFromText(text);
    if (recorded)
        replay(*recorded);
    else
        m_notice->say(BarNotice::of(recorded.error(), AgeLevel::Amber));
}

void StepPanel::setGuided(bool isGuided)
{
    m_isGuided = isGuided;
    showTools();
}

void StepPanel::showTools()
{
    m_buttons->setVisible(!m_isPresented && !m_isGuided);
    m_foot->setVisible(!m_isPresented && !m_isGuided);
}

void StepPanel::setPresenting(double magnification)
{
    m_isPresented = magnification > 1;
    showTools();
    m_board->setMagnification(magnification);
    m_notice->setFont(theme::scaled(magnification));
    m_timeline->setMagnification(magnification);
}

void StepPanel::step(int number)
{
    if (!m_state || m_runner->isBusy() || number > std::ssize(m_state->sessions))
        return;
    const scenario::SteppedView& session = m_state->sessions[static_cast<std::size_t>(number - 1)];
    if (session.standing != scenario::Standing::Ready) {
        Q_EMIT statusMessage(u"Session %1 can’t go on now."_s.arg(session.letter));
        return;
    }
    m_runner->step(number);
    updateActs();
}

void StepPanel::showState(const StepRunner::StatePtr& state)
{
    m_state = state;
    m_timeline->show(state->timeline);
    m_text->setText(scenario::toText(state->record));
    // In the tour the outcome counts: which of two becomes a deadlock's victim is the server's choice.
    if (!state->divergences.isEmpty() && !(m_isGuided && !state->verdict.isEmpty()))
        m_notice->say({.level = AgeLevel::Amber,
            .text = u"It went otherwise than recorded."_s,
            .detail = state->divergences.join(QLatin1Char(' ')),
            .tip = state->divergences.join(QLatin1Char('\n'))});
    else if (!state->verdict.isEmpty())
        m_notice->say({.level = state->isBroken ? AgeLevel::Red : AgeLevel::Normal,
            .text = state->verdict,
            .detail =
                state->isStuck && !state->isOver ? u"Nobody can go on: each waits for another."_s : m_found});
    else if (!m_found.isEmpty())
        m_notice->say({.level = AgeLevel::Red, .text = m_found});
    else
        m_notice->clear();
    updateActs();
    if (!m_next)
        Q_EMIT stateShown();
}

void StepPanel::showEnd(const std::optional<Error>& error)
{
    const bool wasExploring = std::exchange(m_isExploring, false);
    if (error) {
        m_notice->say(BarNotice::of(*error, AgeLevel::Red, error->toString()));
        Q_EMIT failed();
    }
    if (const auto next = std::exchange(m_next, std::nullopt); next && !error && m_server) {
        const QString found = m_found;
        replay(*next, true);
        m_found = found;
        return;
    }
    if (!wasExploring && !error)
        Q_EMIT statusMessage(u"The sessions have ended; nothing is left on the server."_s);
    updateActs();
    Q_EMIT runningChanged();
}

void StepPanel::stop()
{
    m_next.reset();
    m_runner->stop();
    updateActs();
    if (!m_runner->isRunning())
        Q_EMIT runningChanged();
}

void StepPanel::saveTo(const QString& path)
{
    if (!m_state)
        return;
    const QByteArray content = path.endsWith(u".txt"_s)
        ? scenario::toText(m_state->record).toUtf8() + '\n'
        : QJsonDocument(scenario::toJson(m_state->record)).toJson();
    writeLater(*this, path, content, u"Written to %1."_s.arg(path),
        [this](const QString& text) { Q_EMIT statusMessage(text); });
}

void StepPanel::loadFrom(const QString& path)
{
    m_isReading = true;
    m_load->setText(u"Reading…"_s);
    updateActs();
    m_files.ask(
        this, [path](const std::stop_token&) { return readSteps(path); },
        [this, generation = ++m_generation](const Result<scenario::Interleaving>& recorded) {
            if (generation != m_generation)
                return;
            m_isReading = false;
            m_load->setText(loadText);
            if (!recorded)
                m_notice->say(BarNotice::of(recorded.error(), AgeLevel::Amber));
            else if (!canReplay())
                m_notice->say({.level = AgeLevel::Amber,
                    .text = u"The order of steps can’t be replayed now."_s,
                    .detail = isRunning() ? u"The sessions have not finished."_s : m_reasonAgainst});
            else
                replay(*recorded);
            updateActs();
        });
}

} // namespace lockscope::ui
