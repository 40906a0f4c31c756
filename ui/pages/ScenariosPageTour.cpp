// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The guided tour: the part of ScenariosPage that does what its stops say.

#include "ui/pages/ScenariosPage.h"
#include "ui/scenario/OrderForm.h"
#include "ui/scenario/RunText.h"
#include "ui/scenario/ScenarioList.h"
#include "ui/scenario/ScenarioStage.h"
#include "ui/scenario/StepPanel.h"
#include "ui/scenario/TourPanel.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
    const scenario::ScenarioPtr wanted = m_library.find(m_tour->stop().scenario);
    QString reason = context().reasonAgainstActing();
    if (reason.isEmpty() && !m_server)
        reason = u"Scenarios can't be run on this server."_s;
    if (reason.isEmpty() && wanted)
        reason = reasonAgainst(*wanted, context().profile().url.engine);
    m_tour->setReasonAgainst(reason);
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
