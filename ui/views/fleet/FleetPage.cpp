// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetPage.h"

#include "core/base/ShownText.h"
#include "ui/kit/models/RowFilter.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/ServerStrip.h"

#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using State = watch::ServerStanding::State;

namespace {

const QString openTip = u"Shows this server (Enter)"_s;
const QString headTip = u"Shows who is at the head there, and who waits behind"_s;
const QString elsewhereTip =
    u"Shows the other server, on which the client of the head blocker seems to wait"_s;
const QString incidentTip = u"Shows the incidents of this server"_s;

} // namespace

FleetPage::FleetPage(AppContext& context, QWidget* parent)
    : TablePage(u"fleet"_s, u"Fleet"_s, context, parent)
    , m_model(new FleetModel)
    , m_reason(new QLabel)
{
    setUp(m_model);
    m_reason->setObjectName(u"reason"_s);
    m_reason->setWordWrap(true);
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_reason->setFocusPolicy(Qt::NoFocus);
    m_reason->setMinimumHeight(2 * fontMetrics().lineSpacing()); // the rows above do not jump
    layout()->addWidget(m_reason);
    for (const State state :
        {State::Critical, State::NotReached, State::Warning, State::Unknown, State::Calm, State::NotOpen}) {
        auto* button = new QToolButton;
        button->setObjectName(u"state%1"_s.arg(int(state)));
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(u"Shows only servers that are “%1”, or all again"_s.arg(stateName(state)));
        connect(button, &QToolButton::clicked, this, [this, state] {
            const QString only = RowFilter::with({}, u"state"_s, stateName(state), false);
            setFilter(view().tableModel().counts().filtered > 0 ? QString() : only);
        });
        addControl(button);
        m_counts[state] = button;
    }
    m_open = addActButton(u"&Open"_s, openTip);
    m_head = addActButton(u"&Head blocker"_s, headTip);
    m_elsewhere = addActButton(u"El&sewhere"_s, elsewhereTip);
    m_incident = addActButton(u"&Incidents"_s, incidentTip);
    connect(m_open, &QPushButton::clicked, this, [this] { open(u"overview"_s); });
    connect(m_head, &QPushButton::clicked, this, [this] { open(u"blocking"_s); });
    connect(m_elsewhere, &QPushButton::clicked, this, [this] {
        if (const FleetRow* const row = chosen())
            Q_EMIT serverRequested(row->elsewhere, u"blocking"_s);
    });
    connect(m_incident, &QPushButton::clicked, this, [this] { open(u"incidents"_s); });
    connect(&view(), &TableView::detailRequested, this, [this] { open(u"overview"_s); });
    showCounts();
    updateActs();
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
    hideIfNone(u"role"_s, [](const FleetRow& row) { return row.standing.isReplica.has_value(); });
    showCounts();
    updateEmptyState();
    updateActs();
}

void FleetPage::showCounts()
{
    std::map<State, int> counts;
    for (const FleetRow& row : m_model->rows())
        ++counts[row.standing.state];
    for (const auto& [state, button] : m_counts) {
        button->setText(u"%1 %2"_s.arg(QString::number(counts[state]), stateName(state)));
        button->setVisible(counts[state] > 0);
    }
}

void FleetPage::open(const QString& page)
{
    if (const FleetRow* const row = chosen())
        Q_EMIT serverRequested(row->key, page);
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
    setReason(m_open, none, openTip);
    setReason(m_head,
        !chosen || chosen->standing.waiting.value_or(0) > 0 ? none : u"Nobody is known to wait there."_s,
        headTip);
    setReason(m_elsewhere,
        !chosen || !chosen->elsewhere.isEmpty() ? none
                                                : u"No client there is seen to wait on another server."_s,
        elsewhereTip);
    setReason(m_incident,
        !chosen || chosen->standing.criticals + chosen->standing.warnings > 0 ? none
                                                                              : u"No incident fires there."_s,
        incidentTip);
}

void FleetPage::fillRowMenu(QMenu& menu)
{
    for (QPushButton* const button : {m_open, m_head, m_elsewhere, m_incident})
        menu.addAction(button->text(), button, &QPushButton::click)->setEnabled(button->isEnabled());
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
