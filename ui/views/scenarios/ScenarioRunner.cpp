// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioRunner.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/scenario/run/RunSchema.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Interleaving;
using scenario::Progress;
using scenario::Standing;
using scenario::StepRun;

namespace {

constexpr milliseconds updateEvery{500};
constexpr milliseconds maxOrderCheck{2'000};

/// A failure here means nothing for the run.
QString lockOrderOf(const db::Server& server, const scenario::RunOrder& run, const std::stop_token& stop)
{
    scenario::StepOrder order;
    order.run.scenario = run.scenario;
    order.run.variant = run.variant;
    const auto report = scenario::lockOrders(server, order, stop, maxOrderCheck);
    return report ? report->verdict() : QString();
}

/// Then a step that is known to be held up by nothing is shown as running, and checked again.
constexpr milliseconds patience{2'000};
constexpr milliseconds searchAgainEvery{400};

bool isSame(const std::vector<scenario::SteppedView>& a, const std::vector<scenario::SteppedView>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.standing == other.standing && one.stepsDone == other.stepsDone && one.line == other.line
            && one.blockers == other.blockers && one.otherBlockers == other.otherBlockers
            && one.blockedOn == other.blockedOn;
    });
}

constexpr int questionWidth = 520;

} // namespace

void ScenarioRunner::start(const db::Server& server, const QList<scenario::RunOrder>& orders)
{
    begin([server, orders, to = QPointer(this)](
              const std::stop_token& stop) { return run(server, orders, to, stop); },
        std::optional<Error>(), [this](const auto& failure) { Q_EMIT ended(*failure); });
}

/// Runs on the worker's thread.
std::optional<Error> ScenarioRunner::run(const db::Server& server, const QList<scenario::RunOrder>& orders,
    const QPointer<ScenarioRunner>& to, const std::stop_token& stop)
{
    bool hasBegun = false; // there were rounds
    const int count = static_cast<int>(orders.size());
    for (int i = 0; i < count && !stop.stop_requested(); ++i) {
        auto lastUpdate = scenario::Steady::now();
        const auto onProgress = [&](const Progress& progress) {
            Progress latest = progress;
            latest.soFar = nullptr; // only for here
            postTo(to, [latest, i, count](ScenarioRunner& runner) {
                Q_EMIT runner.progressed(latest, i + 1, count);
            });
            hasBegun = hasBegun || progress.phase == Progress::Phase::Running;
            if (progress.phase != Progress::Phase::Running
                || scenario::Steady::now() - lastUpdate < updateEvery)
                return;
            const auto timeline = std::make_shared<const Timeline>(timelineOf(progress.soFar()));
            postTo(to, [timeline](ScenarioRunner& runner) { Q_EMIT runner.timelineUpdated(timeline); });
            lastUpdate = scenario::Steady::now();
        };
        auto report = scenario::runFreely(server, orders[i], stop, onProgress);
        // A run that was stopped before it had begun has no result.
        if (!report)
            return hasBegun || !stop.stop_requested() ? std::optional(report.error()) : std::nullopt;
        Ran ran{std::make_shared<const scenario::RunReport>(std::move(*report)), nullptr};
        ran.timeline = std::make_shared<const Timeline>(timelineOf(*ran.report));
        postTo(to, [ran](ScenarioRunner& runner) { Q_EMIT runner.ran(ran); });
        if (count > 1 || stop.stop_requested())
            continue;
        if (const QString verdict = lockOrderOf(server, orders[i], stop); !verdict.isEmpty())
            postTo(to, [verdict](ScenarioRunner& runner) { Q_EMIT runner.ordered(verdict); });
    }
    return std::nullopt;
}

/// The run that is open, and what was done in it. Of the thread that works.
class StepRunner::OpenRun {
public:
    std::unique_ptr<StepRun> run;
    std::optional<Error> failure; ///< why there is none

    Result<void> restart(const std::stop_token& stop)
    {
        m_divergences.clear();
        auto restarted = run->restart(stop);
        if (!restarted)
            run.reset(); // the old one is gone, and there is no new one
        return restarted;
    }

    Result<void> undo(const std::stop_token& stop)
    {
        const std::size_t steps = run->record().steps.size();
        if (steps == 0)
            return {};
        // As it was then: a wait that only a later step ended has no end yet.
        const Interleaving before = m_records[steps - 1];
        if (auto restarted = restart(stop); !restarted)
            return restarted;
        return replay(before, stop);
    }

    Result<void> replay(const Interleaving& recorded, const std::stop_token& stop)
    {
        m_divergences.clear();
        const auto replayed = scenario::replayIn(*run, recorded, stop);
        if (!replayed)
            return Failure(replayed.error());
        m_divergences = textOfEach(replayed->divergences, &scenario::Divergence::toString);
        return {};
    }

    /// Returns the present state, for the GUI. The verdict asks the server: only when nobody holds up the
    /// answer.
    StatePtr state()
    {
        auto state = std::make_shared<State>();
        state->sessions = run->sessions();
        for (const scenario::SteppedView& each : state->sessions)
            state->programs.push_back(run->program(each.number));
        state->record = run->record();
        state->isOver = run->isOver();
        state->isStuck = run->isStuck();
        state->divergences = m_divergences;
        if (state->isOver) { // stuck, too
            if (const auto judged = run->judge()) {
                const scenario::Scenario& of = *run->order().run.scenario;
                const scenario::Variant* variant = of.find(state->record.variant);
                state->isBroken = judged->isBroken();
                state->verdict = scenario::verdict(
                    of, variant ? *variant : *of.unsafe(), *judged, run->order().run.parameters);
            }
        }
        if (auto tables = run->tables())
            state->tables = std::move(*tables);
        if (!state->record.steps.empty())
            state->timeline = std::make_shared<const Timeline>(timelineOf(*run, state->verdict));
        const std::size_t steps = state->record.steps.size();
        m_records.resize(steps + 1);
        m_records[steps] = state->record;
        return state;
    }

    /// Returns null if those that wait stand as before.
    StatePtr stateIfChanged(const std::stop_token& stop)
    {
        const auto& sessions = run->sessions();
        const bool isWaiting = std::any_of(sessions.begin(), sessions.end(), [](const auto& each) {
            return each.standing == Standing::Running || each.standing == Standing::Blocked;
        });
        if (!isWaiting)
            return {};
        const auto before = sessions;
        return run->refresh(stop) && !isSame(before, run->sessions()) ? state() : StatePtr();
    }

private:
    std::vector<Interleaving> m_records; ///< by how many steps were done
    QStringList m_divergences;
};

struct StepRunner::Answer {
    StatePtr state; ///< null if there is no run
    std::optional<Error> error;
};

StepRunner::StepRunner(QObject* parent)
    : RunThread(parent)
{
    m_pollAgain.setInterval(searchAgainEvery);
    m_pollAgain.setSingleShot(true);
    connect(&m_pollAgain, &QTimer::timeout, this, &StepRunner::pollAgain);
}

StepRunner::~StepRunner() = default;

void StepRunner::begin(Command first)
{
    if (isRunning())
        return;
    m_open = std::make_shared<OpenRun>();
    const auto finish = [this, run = m_open] {
        m_pollAgain.stop();
        m_isOpen = false;
        m_isBusy = false;
        Q_EMIT ended(run->failure);
    };
    // Its schema goes before the end is reported.
    give(open(finish, [run = m_open] { run->run.reset(); }), std::move(first));
}

void StepRunner::give(Worker& worker, Command command)
{
    m_isBusy = true;
    worker.ask(
        this,
        [open = m_open, command = std::move(command)](const std::stop_token& stop) -> Answer {
            const auto done = command(*open, stop);
            const auto error = done ? std::optional<Error>() : done.error();
            if (open->run)
                return {open->state(), error};
            if (!stop.stop_requested())
                open->failure = error;
            return {};
        },
        [this](const Answer& answer) { tell(answer); });
}

void StepRunner::tell(const Answer& answer)
{
    m_isOpen = answer.state && !isStopping();
    m_isBusy = false;
    if (answer.state)
        Q_EMIT changed(answer.state);
    if (answer.error)
        Q_EMIT failed(*answer.error);
    if (m_isOpen)
        m_pollAgain.start();
    else
        stop();
}

void StepRunner::start(
    const db::Server& server, const scenario::StepOrder& order, const std::optional<Interleaving>& first)
{
    begin([server, order, first](OpenRun& open, const std::stop_token& stop) -> Result<void> {
        auto run = StepRun::start(server, order, stop);
        if (!run)
            return Failure(run.error());
        open.run = std::move(*run);
        return first ? open.replay(*first, stop) : Result<void>();
    });
}

void StepRunner::explore(const db::Server& server, const scenario::ExploreOrder& order)
{
    begin([server, order, to = QPointer(this), onProgress = reporter(this, &StepRunner::exploring)](
              OpenRun&, const std::stop_token& stop) -> Result<void> {
        auto report = scenario::explore(server, order, stop, onProgress);
        if (!report)
            return Failure(report.error());
        postTo(to,
            [shared = std::make_shared<const scenario::ExploreReport>(std::move(*report))](
                StepRunner& runner) { Q_EMIT runner.explored(shared); });
        return {};
    });
}

void StepRunner::ask(Command command)
{
    if (!m_isOpen || isStopping() || m_isBusy)
        return;
    m_pollAgain.stop();
    give(worker(), std::move(command));
}

/// Updates the waiting sessions: they may have gone on by themselves.
void StepRunner::pollAgain()
{
    if (!m_isOpen || isStopping() || m_isBusy)
        return;
    worker().ask(
        this, [open = m_open](const std::stop_token& stop) { return open->stateIfChanged(stop); },
        [this](const StatePtr& state) {
            if (state)
                Q_EMIT changed(state);
            if (m_isOpen && !m_isBusy)
                m_pollAgain.start();
        });
}

void StepRunner::step(int session)
{
    ask([session](
            OpenRun& open, const std::stop_token& stop) { return open.run->step(session, stop, patience); });
}

void StepRunner::undo()
{
    ask([](OpenRun& open, const std::stop_token& stop) { return open.undo(stop); });
}

void StepRunner::restart()
{
    ask([](OpenRun& open, const std::stop_token& stop) { return open.restart(stop); });
}

RunQuestion::RunQuestion(const QString& server, const RunConsent::Question& question, QWidget* parent)
    : QDialog(parent)
    , m_answer(named("runAnswer", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_again(new QCheckBox(u"&Don't ask again about this server while this window is open"_s, this))
{
    setWindowTitle(u"Run a scenario on %1"_s.arg(inOneLine(server)));
    setMinimumWidth(questionWidth);
    explain(*this, QStringLiteral("scenarios.md#on-which-server"));
    const QString asked = inOneLine(u"Run “%1” on “%2”?"_s.arg(question.title, server));
    QLabel* title = demiBold(1.3, wrapped(new QLabel(asked, this)));
    const QString sessions = question.sessions > 0
        ? u"%1 sessions that work as fast as they can, and wait for each other"_s.arg(question.sessions)
        : u"sessions that work as fast as they can, and wait for each other"_s;
    QLabel* text = wrapped(new QLabel(
        u"This server is not the sandbox. The run makes a schema of its own there, opens %1, and removes everything afterwards. Tables of others are not touched, but the server feels the load."_s
            .arg(sessions),
        this));
    m_answer->say({.level = AgeLevel::Normal, .text = u"Asking the server what you may do there…"_s});
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_run = named("runThere", buttons->addButton(u"&Run there"_s, QDialogButtonBox::ActionRole));
    m_run->setAutoDefault(true); // with the focus, Enter presses it, and not Cancel
    m_run->setEnabled(false);
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setFocus();
    connect(m_run, &QPushButton::clicked, this, &QDialog::accept);

    addAll(*dialogColumn(*this, 12), {title, text, m_answer, m_again, stretch(1), buttons});
}

void RunQuestion::showRights(const Result<scenario::RunRights>& rights)
{
    m_run->setEnabled(rights && rights->missing.isEmpty());
    if (!rights)
        m_answer->say(BarNotice::of(rights.error()));
    else if (rights->missing.isEmpty())
        m_answer->say({.level = AgeLevel::Normal,
            .text = rights->database.isEmpty()
                ? u"Your rights there are enough."_s
                : u"Your rights there are enough. It runs in the database %1."_s.arg(rights->database)});
    else
        m_answer->say({.level = AgeLevel::Amber,
            .text = u"It can't run there."_s,
            .detail = rights->missing,
            .copyable = rights->remedy});
}

bool RunQuestion::isNotToBeAskedAgain() const
{
    return m_again->isChecked();
}

RunConsent::RunConsent(AppContext& context, QWidget* window)
    : QObject(window)
    , m_context(context)
    , m_window(window)
{
}

void RunConsent::ask(const db::Server& server, const Question& question, const std::function<void()>& run)
{
    // What was asked for before may come to its turn only now.
    if (m_context.pastTime())
        return Q_EMIT refused();
    const db::ServerUrl url = server.profile.url;
    if (url.sandbox || m_allowed.contains(url.toString()))
        return run();
    auto* dialog = deletedOnClose(new RunQuestion(server.profile.display(), question, m_window));
    addServerStrip(*dialog, server.profile);
    closeWithPresent(*dialog, m_context);
    connect(dialog, &QDialog::rejected, this, &RunConsent::refused);
    connect(dialog, &QDialog::accepted, this, [this, dialog, url, run] {
        if (dialog->isNotToBeAskedAgain())
            allow(url);
        run();
    });
    dialog->open();
    m_asking.cancel(); // an earlier question that nobody waits for any more
    m_asking.ask(
        dialog,
        [server, needs = question.needs](
            const std::stop_token&) { return scenario::rightsToRun(server, needs); },
        [dialog](const Result<scenario::RunRights>& rights) { dialog->showRights(rights); });
}

RunConsent::Question questionOf(const QList<scenario::RunOrder>& orders)
{
    RunConsent::Question question;
    for (const scenario::RunOrder& order : orders) {
        if (!order.scenario)
            continue;
        question.title = order.scenario->title;
        question.sessions = std::max(question.sessions, order.sessions);
        const scenario::Variant* const variant = order.scenario->find(order.variant);
        question.needs.names |= variant && scenario::usesLocks(*variant, locks::LockKind::Table);
        question.needs.procedures |= scenario::makesProcedures(order.scenario->setup)
            || (variant && scenario::makesProcedures(variant->setup));
    }
    return question;
}

} // namespace lockscope::ui
