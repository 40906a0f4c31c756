// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetPage.h"

#include "core/base/ShownText.h"
#include "ui/kit/models/RowFilter.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/FilterBox.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/Presentation.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/fleet/FleetTiles.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using State = watch::ServerStanding::State;

FleetPage::FleetPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new FleetModel)
    , m_reason(named("reason", selectable(wrapped(new QLabel), Qt::TextSelectableByMouse)))
{
    setUp(m_model);
    m_reason->setFocusPolicy(Qt::NoFocus);
    m_reason->setMinimumHeight(2 * fontMetrics().lineSpacing()); // the rows above do not jump
    layout()->addWidget(m_reason);
    addCounts();
    m_open = addActButton(u"&Open"_s, u"Shows this server"_s);
    m_head = addActButton(
        u"&Head blocker"_s, u"Shows the head blocker there, and the sessions behind it (Enter)"_s);
    m_past =
        addActButton(u"&Past"_s, u"Shows the time in the last hour at which most sessions waited there"_s);
    m_elsewhere = addActButton(
        u"El&sewhere"_s, u"Shows the other server, on which the client of the head blocker seems to wait"_s);
    m_incident = addActButton(u"&Incidents"_s, u"Shows the incidents of this server"_s);
    auto* tiles =
        addActButton(u"&Tiles"_s, u"Shows the servers as tiles on the whole screen, for a wall (F11)"_s);
    connect(tiles, &QPushButton::clicked, this, &FleetPage::toggleTiles);
    addKey(
        *this, u"Fleet"_s, u"Show the servers as tiles on the whole screen; again: back"_s, {Qt::Key_F11},
        [this] { toggleTiles(); }, Qt::WindowShortcut);
    connect(m_open, &QPushButton::clicked, this, [this] { open(u"overview"_s); });
    connect(m_head, &QPushButton::clicked, this, [this] { open(u"blocking"_s); });
    connect(m_past, &QPushButton::clicked, this, [this] {
        if (const FleetRow* const row = chosen())
            Q_EMIT serverRequested(row->key, u"blocking"_s, row->worst);
    });
    connect(m_elsewhere, &QPushButton::clicked, this, [this] {
        if (const FleetRow* const row = chosen())
            Q_EMIT serverRequested(row->elsewhere, u"blocking"_s, std::nullopt);
    });
    connect(m_incident, &QPushButton::clicked, this, [this] { open(u"incidents"_s); });
    connect(&view(), &TableView::detailRequested, this, &FleetPage::openChain);
    view().installEventFilter(this);
    connect(&filter(), &QLineEdit::returnPressed, this, [this] {
        if (!chosen() && m_model->rowCount() > 0)
            view().selectRow(0);
        openChain();
    });
    showCounts();
    updateActs();
}

/// Leads to what the row says: to the chain where somebody waits, else to the server.
void FleetPage::openChain()
{
    if (const FleetRow* const row = chosen())
        open(row->standing.waiting.value_or(0) > 0 ? u"blocking"_s : u"overview"_s);
}

/// A letter typed in the rows begins a search.
bool FleetPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &view() && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<const QKeyEvent*>(event);
        const bool isPlain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
        if (isPlain && key->text().size() == 1 && key->text().front().isLetterOrNumber()) {
            filter().setText(key->text());
            filter().setFocus(Qt::ShortcutFocusReason);
            return true;
        }
    }
    return TablePage::eventFilter(watched, event);
}

/// In a line of their own: beside the buttons there is no space for all of them.
void FleetPage::addCounts()
{
    auto* line = new QHBoxLayout;
    static_cast<QBoxLayout*>(layout())->insertLayout(1, line);
    for (const State state :
        {State::Critical, State::NotReached, State::Warning, State::Unknown, State::Calm, State::NotOpen}) {
        auto* button = new QToolButton;
        button->setObjectName(u"state%1"_s.arg(int(state)));
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(
            u"Shows only those that are “%1”, or the others again; what else is filtered stays"_s.arg(
                stateName(state)));
        connect(button, &QToolButton::clicked, this, [this, state] {
            const QString now = filter().text();
            setFilter(RowFilter::has(now, u"state"_s, stateName(state))
                    ? RowFilter::without(now, u"state"_s, false)
                    : RowFilter::with(now, u"state"_s, stateName(state), false));
        });
        line->addWidget(button);
        m_counts[state] = button;
    }
    line->addStretch(1);
    m_groups = named("groups",
        flatButton(
            u"Groups"_s, u"Environments and tags, with how their servers are; shows only those of one"_s));
    m_groups->setFocusPolicy(Qt::TabFocus);
    m_groups->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_groups);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillGroups(*menu); });
    m_groups->setMenu(menu);
    addControl(m_groups);
}

/// Each group with the number of its servers and of those that need somebody.
void FleetPage::fillGroups(QMenu& menu)
{
    struct Group {
        QString filter = {}; ///< shows it
        int servers = 0;
        std::map<State, int> bad = {};
    };
    std::map<std::pair<QString, QString>, Group> groups; // by column and name
    const auto add = [&groups](const QString& column, const QString& name, const QString& filter,
                         const FleetRow& row) {
        Group& group = groups[{column, name}];
        group.filter = filter;
        ++group.servers;
        if (row.standing.state <= State::Unknown)
            ++group.bad[row.standing.state];
    };
    const auto tags = u"tags"_s;
    for (const FleetRow& row : m_model->rows()) {
        const QString environment = db::environmentName(row.profile.environment);
        if (!environment.isEmpty()) // the cell may say more than that
            add(u"environment"_s, environment, u"environment:"_s + environment, row);
        for (const QString& tag : row.profile.tags)
            add(tags, tag, RowFilter::with({}, tags, tag, false), row);
    }
    menu.clear();
    menu.addAction(u"All servers"_s, this, [this] { setFilter({}); });
    for (const auto& [place, group] : groups) {
        QStringList words{u"%1 in all"_s.arg(group.servers)};
        if (!group.bad.empty())
            words << countsText(group.bad);
        const QString text = u"%1: %2"_s.arg(place.second, words.join(u", "_s));
        menu.addAction(inMenu(text), this, [this, only = group.filter] { setFilter(only); });
    }
}

/// The health of the server on view is one of many here.
void FleetPage::showHealth(monitor::Health, const std::optional<Error>&, milliseconds) { }

void FleetPage::showServers(const std::vector<FleetRow>& rows)
{
    m_model->showServers(rows);
    const auto hideIfNone = [&](const QString& column, auto hasIt) {
        view().setColumnEmpty(column, std::none_of(rows.begin(), rows.end(), hasIt));
    };
    hideIfNone(u"environment"_s, [](const FleetRow& row) { return !serverMark(row.profile).isEmpty(); });
    hideIfNone(u"tags"_s, [](const FleetRow& row) { return !row.profile.tags.isEmpty(); });
    hideIfNone(u"incidents"_s,
        [](const FleetRow& row) { return row.standing.criticals + row.standing.warnings > 0; });
    hideIfNone(u"role"_s, [](const FleetRow& row) { return row.standing.isReplica.value_or(false); });
    m_groups->setVisible(std::ranges::any_of(rows, [](const FleetRow& row) {
        return row.profile.environment != db::Environment::Unmarked || !row.profile.tags.isEmpty();
    }));
    showCounts();
    updateEmptyState();
    updateActs();
    showTiles();
}

void FleetPage::toggleTiles()
{
    if (m_wall)
        return endTiles();
    m_wall = new Presentation(*this, std::nullopt);
    m_tiles = new FleetTiles;
    connect(m_wall, &Presentation::left, this, &FleetPage::endTiles);
    showTiles();
    m_wall->present(*m_tiles, *m_tiles);
}

void FleetPage::endTiles()
{
    if (!m_wall)
        return;
    m_wall->hide();
    m_wall->deleteLater();
    m_wall.clear();
    window()->activateWindow();
}

/// Those on view, the worst first, however the table is sorted.
void FleetPage::showTiles()
{
    if (!m_wall)
        return;
    std::vector<FleetRow> rows;
    for (int row = 0; row < m_model->rowCount(); ++row)
        rows.push_back(m_model->rowAt(row));
    std::ranges::stable_sort(
        rows, [](const FleetRow& a, const FleetRow& b) { return isWorse(a.standing, b.standing); });
    m_tiles->showServers(rows, filter().text());
}

void FleetPage::showCounts()
{
    std::map<State, int> counts = countStates(m_model->rows());
    for (const auto& [state, button] : m_counts) {
        button->setText(u"%1 %2"_s.arg(QString::number(counts[state]), stateName(state)));
        button->setVisible(counts[state] > 0);
    }
}

void FleetPage::open(const QString& page)
{
    if (const FleetRow* const row = chosen())
        Q_EMIT serverRequested(row->key, page, std::nullopt);
}

const FleetRow* FleetPage::chosen()
{
    const int row = view().chosenViewRow();
    return row < 0 ? nullptr : &m_model->rowAt(row);
}

void FleetPage::updateActs()
{
    const FleetRow* const chosen = this->chosen();
    const FleetRow* const shown = chosen || m_model->rowCount() == 0 ? chosen : &m_model->rowAt(0);
    m_reason->setText(
        shown ? inLines(u"%1: %2"_s.arg(shown->profile.display(), shown->standing.reason)) : QString());
    const QString none = chosen ? QString() : u"Select a server first."_s;
    setReason(m_open, none);
    setReason(m_head,
        !chosen || chosen->standing.waiting.value_or(0) > 0 ? none : u"Nobody is known to wait there."_s);
    setReason(m_past,
        !chosen || chosen->worst ? none : u"Nobody is known to have waited there in the last hour."_s);
    setReason(m_elsewhere,
        !chosen || !chosen->elsewhere.isEmpty() ? none
                                                : u"No client there is seen to wait on another server."_s);
    setReason(m_incident,
        !chosen || chosen->standing.criticals + chosen->standing.warnings > 0
            ? none
            : u"No incident fires there."_s);
}

void FleetPage::fillRowMenu(QMenu& menu)
{
    for (QPushButton* const button : {m_open, m_head, m_past, m_elsewhere, m_incident})
        addEntry(menu, *button);
}

TablePage::EmptyText FleetPage::emptyText() const
{
    return {u"No server yet"_s,
        u"All servers of the list stand here beside each other, the worst first, with the reason. Add one at the left."_s};
}

void FleetPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    Q_EMIT wasShown();
}

} // namespace lockscope::ui
