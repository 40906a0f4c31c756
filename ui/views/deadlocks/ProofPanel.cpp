// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/ProofPanel.h"

#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/deadlock/Family.h"
#include "core/sandbox/Sandbox.h"
#include "core/watch/IncidentKeeper.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/Page.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void ProofRunner::start(const db::Server& server, const scenario::ScenarioPtr& scenario)
{
    const auto prove = [server, scenario, onProgress = reporter(this, &ProofRunner::progressed)](
                           const std::stop_token& stop) -> Outcome {
        // A sandbox stays up for as long as this lives.
        const auto resolved = server.resolved();
        if (!resolved)
            return Failure(resolved.error());
        return scenario::prove(*resolved, scenario, scenario::ExploreOrder().maximum, stop, onProgress);
    };
    begin(prove, Outcome(scenario::DeadlockProof{.wasStopped = true}),
        [this](const OutcomePtr& outcome) { Q_EMIT ended(outcome); });
}

namespace {

enum Place { Sandbox, OnView };

QLabel* makeWords(QWidget* parent, const char* name)
{
    return named(name, selectable(wrapped(new QLabel(parent))));
}

} // namespace

ProofPanel::ProofPanel(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_consent(new RunConsent(context, this))
    , m_where(named("proofWhere", u"Where all orders are executed"_s, new QComboBox(this)))
    , m_start(named("startProof", pushButton(this)))
    , m_save(named("proofScenario", pushButton(u"As a sce&nario"_s, this)))
    , m_cured(named("markCured", pushButton(u"Mark as cure&d"_s, this)))
    , m_says(makeWords(this, "proofSays"))
    , m_table(named("proofTable", u"What all orders show"_s, new QTableWidget(0, 3, this)))
    , m_leftOut(faint(makeWords(this, "proofLeftOut")))
{
    setObjectName(u"deadlockProof"_s);
    m_save->setToolTip(
        u"Keeps the scenario in a file, and shows it among the scenarios: to go through it step by step, edit it, and pass it on"_s);

    m_table->setHorizontalHeaderLabels({u"Change"_s, u"What all orders show"_s, u"So"_s});
    m_table->verticalHeader()->hide();
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(2, QHeaderView::ResizeToContents);

    QHBoxLayout* row = rowOf({m_start, m_where, m_save, m_cured, stretch(1)});
    auto* column = withMargins(new QVBoxLayout(this), {0, 8, 0, 0});
    addAll(*column, {row, m_says, {m_table, 1000}, m_leftOut});
    column->addStretch(1); // words stay at the top where there is no table
    setChapter(*this, u"deadlocks.md#make-it-happen"_s);

    connect(m_start, &QPushButton::clicked, this, [this] { m_runner.isRunning() ? stop() : start(); });
    connect(m_save, &QPushButton::clicked, this, &ProofPanel::scenarioRequested);
    connect(m_cured, &QPushButton::clicked, this, &ProofPanel::markCured);
    connect(m_table, &QTableWidget::currentCellChanged, this, &ProofPanel::updateActs);
    connect(m_where, &QComboBox::currentIndexChanged, this, &ProofPanel::updateActs);
    connect(&m_runner, &ProofRunner::progressed, this, [this](const scenario::ProofProgress& progress) {
        m_progress = progress.toString();
        if (m_runs == m_key)
            m_says->setText(m_progress);
    });
    connect(&m_runner, &ProofRunner::ended, this,
        [this](const ProofRunner::OutcomePtr& outcome) { finish(*outcome); });
    connect(&context, &AppContext::serverChanged, this, &ProofPanel::offerServers);
    connect(&context, &AppContext::pastTimeChanged, this, &ProofPanel::updateActs);
    offerServers();
    show(std::nullopt, {});
}

void ProofPanel::offerServers()
{
    const auto chosen = m_where->currentIndex();
    m_where->clear();
    m_where->addItem(u"in the sandbox"_s);
    // Not by server(): that one changes only after this signal.
    if (m_context.hasServer() && !m_context.profile().url.sandbox)
        m_where->addItem(u"on %1"_s.arg(inOneLine(m_context.profile().display())));
    m_where->setCurrentIndex(std::clamp(chosen, 0, m_where->count() - 1));
    updateActs();
}

db::Server ProofPanel::chosenServer() const
{
    if (m_where->currentIndex() == OnView && m_context.server())
        return *m_context.server();
    db::ServerProfile profile;
    profile.name = u"Sandbox"_s;
    profile.url.sandbox = true;
    return {profile, db::defaultPasswords(), sandbox::resolve};
}

/// Returns an empty text if all orders may be executed there.
QString ProofPanel::reasonAgainstServer() const
{
    if (m_where->currentIndex() != OnView)
        return {};
    if (const QString reason = m_context.reasonAgainstActing(); !reason.isEmpty())
        return reason;
    if (!m_context.server())
        return u"This server can't be asked."_s;
    const Engine engine = m_context.profile().url.engine;
    const bool runs = !m_made || m_made->scenario->engines.contains(engine);
    return runs
        ? QString()
        : u"The scenario has no statements for %1: execute it in the sandbox."_s.arg(engineName(engine));
}

void ProofPanel::show(const std::optional<deadlock::Deadlock>& deadlock, const QString& key)
{
    if (deadlock && key == m_key && m_deadlock)
        return;
    m_deadlock = deadlock;
    m_key = key;
    m_made.reset();
    m_reasonAgainst.clear();
    if (deadlock) {
        auto made = scenario::deadlockScenario(*deadlock);
        if (made)
            m_made = std::move(*made);
        else
            m_reasonAgainst = made.error().what;
    }
    showProof();
}

std::optional<deadlock::ProofSection> ProofPanel::section() const
{
    const auto kept = m_kept.constFind(m_key);
    if (!m_deadlock || kept == m_kept.cend() || !kept->proof || kept->proof->variants.empty())
        return {};
    return scenario::sectionOf(
        *m_deadlock, *kept->proof, scenario::whereProved(*kept->proof, kept->isSandbox));
}

void ProofPanel::focusStart()
{
    (m_start->isEnabled() ? static_cast<QWidget*>(m_start) : this)->setFocus();
}

void ProofPanel::start()
{
    if (!m_made || m_runner.isRunning() || !reasonAgainstServer().isEmpty())
        return;
    const db::Server server = chosenServer();
    const auto go = [this, server, key = m_key, scenario = m_made->scenario] { run(server, key, scenario); };
    if (server.profile.url.sandbox)
        return go(); // at any time: it has nothing to do with what is on view
    scenario::RunOrder order;
    order.scenario = m_made->scenario;
    QList<scenario::RunOrder> orders;
    for (const scenario::Variant& variant : m_made->scenario->variants) {
        order.variant = variant.id;
        order.sessions = m_made->scenario->sessions;
        orders << order;
    }
    m_consent->ask(server, questionOf(orders), go);
}

void ProofPanel::run(const db::Server& server, const QString& key, const scenario::ScenarioPtr& scenario)
{
    if (m_runner.isRunning())
        return;
    m_runs = key;
    m_running = {};
    m_running.isSandbox = server.profile.url.sandbox;
    m_running.where = m_running.isSandbox ? u"the sandbox"_s : server.profile.display();
    m_progress = u"Connecting to %1."_s.arg(m_running.where);
    m_runner.start(server, scenario);
    showProof();
    Q_EMIT runningChanged();
}

void ProofPanel::stop()
{
    m_runner.stop();
    showProof();
}

void ProofPanel::clear()
{
    m_kept.clear();
    showProof();
}

void ProofPanel::finish(const ProofRunner::Outcome& outcome)
{
    Kept kept = std::exchange(m_running, {});
    if (outcome)
        kept.proof = *outcome;
    else
        kept.error = outcome.error();
    m_kept.insert(std::exchange(m_runs, {}), kept);
    showProof();
    Q_EMIT runningChanged();
}

/// Returns the title of the change that cures the deadlock on view: the selected one, else the first; empty:
/// none is proven.
QString ProofPanel::provenCure() const
{
    const auto kept = m_kept.constFind(m_key);
    if (!m_deadlock || kept == m_kept.cend() || !kept->proof)
        return {};
    const auto changes = kept->proof->changes();
    const auto selected = size_t(std::max(0, m_table->currentRow()));
    if (selected < changes.size() && changes[selected].cures)
        return changes[selected].title;
    const auto found = std::ranges::find_if(changes, &scenario::ProvedChange::cures);
    return found == changes.end() ? QString() : found->title;
}

QString ProofPanel::reasonAgainstMarking() const
{
    if (provenCure().isEmpty())
        return u"No change is proven to cure it yet."_s;
    return m_context.hasServer() && !m_context.profile().url.sandbox
        ? QString()
        : u"Connect to the server on which it is cured."_s;
}

void ProofPanel::markCured()
{
    const db::ServerProfile& profile = m_context.profile();
    const watch::FamilyCure cure{provenCure(), watch::ownAccountText(), ownClock()};
    m_worker.ask(
        this,
        [server = watch::causeServer(m_context.place()), deadlock = *m_deadlock, cure](
            const std::stop_token&) {
            auto store = watch::IncidentStore::open();
            return store ? (*store)->markCured(server, deadlock::familyOf(deadlock), cure)
                         : Result<void>(Failure(store.error()));
        },
        [this, key = m_key, name = profile.display(), cure](const Result<void>& marked) {
            if (const auto kept = m_kept.find(key); kept != m_kept.end())
                kept->marked = marked ? u"Its family is marked as cured on %1: %2."_s.arg(name, cure.cure)
                                      : marked.error().toString();
            showProof();
        });
}

/// Shows what is known of the deadlock on view.
void ProofPanel::showProof()
{
    const auto kept = m_kept.constFind(m_key);
    const bool isKnown = m_deadlock && kept != m_kept.cend();
    m_table->setRowCount(0);
    if (isKnown && kept->proof) {
        for (const scenario::ProvedChange& each : kept->proof->changes()) {
            const int row = m_table->rowCount();
            m_table->insertRow(row);
            const QStringList cells{each.title, each.shown, each.so};
            for (int column = 0; column < int(cells.size()); ++column) {
                auto* item = new QTableWidgetItem(inOneLine(cells[column]));
                item->setToolTip(column == 0 ? inOneLine(each.meaning) : item->text());
                QFont font = item->font();
                font.setBold(each.cures);
                item->setFont(font);
                m_table->setItem(row, column, item);
            }
        }
    }
    QString says;
    if (!m_deadlock)
        says = u"Select a deadlock first."_s;
    else if (!m_reasonAgainst.isEmpty())
        says = u"No scenario can be made of it: %1"_s.arg(m_reasonAgainst);
    else if (m_runner.isRunning() && m_runs == m_key)
        says = m_runner.isStopping() ? u"Stopping, and removing what was made there."_s : m_progress;
    else if (isKnown && kept->error)
        says = kept->error->toString();
    else if (isKnown && kept->proof)
        says = (kept->proof->wasStopped ? u"Stopped. On %1 (%2): %3"_s : u"On %1 (%2): %3"_s)
                   .arg(kept->where, kept->proof->product,
                       kept->proof->variants.empty() ? u"nothing was executed."_s : kept->proof->summary());
    else
        says =
            u"A scenario is made of its sessions, rows and locks. All orders of their steps are executed for real: as reported, then with each change that may cure it."_s;
    if (isKnown && !kept->marked.isEmpty())
        says += u' ' + kept->marked;
    m_says->setText(inOneLine(says));
    m_table->setVisible(m_table->rowCount() > 0);
    m_leftOut->setText(m_made ? inOneLine(u"Not in it: %1"_s.arg(m_made->leftOut.join(u' '))) : QString());
    updateActs();
}

void ProofPanel::setSaving(bool isSaving)
{
    m_isSaving = isSaving;
    updateActs();
}

void ProofPanel::updateActs()
{
    const bool isRunning = m_runner.isRunning();
    const QString elsewhere =
        isRunning && m_runs != m_key ? u"Another deadlock is being executed."_s : QString();
    m_start->setText(isRunning && elsewhere.isEmpty() ? u"S&top"_s : u"Execute &all orders"_s);
    QString reason = elsewhere;
    if (reason.isEmpty() && !isRunning)
        reason = !m_deadlock ? u"Select a deadlock first."_s
            : !m_made        ? m_reasonAgainst
                             : reasonAgainstServer();
    m_start->setEnabled(reason.isEmpty() && !m_runner.isStopping());
    m_start->setToolTip(!reason.isEmpty() ? reason
            : isRunning
            ? u"What was made there is removed"_s
            : u"Runs each order of the steps, on tables of its own that are removed afterwards"_s);
    m_where->setEnabled(!isRunning && m_made);
    m_save->setEnabled(m_made.has_value() && !m_isSaving);
    setReason(m_cured, reasonAgainstMarking(),
        u"Notes that “%1” is in place on %2: a deadlock of this family from now on is an incident"_s.arg(
            inOneLine(provenCure()), inOneLine(m_context.profile().display())));
}

} // namespace lockscope::ui
