// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/ScenarioRig.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/scenarios/ScenarioStage.h"
#include "ui/views/scenarios/ScenariosPage.h"

#include <QDoubleSpinBox>
#include <QPushButton>
#include <QRadioButton>

namespace lockscope::test {

/// A test of the Scenarios page over a real server, as its user has it: by clicks and keys.
class ScenarioWindowTest : public WindowTest {
protected:
    void makeRig()
    {
        makeFolder();
        m_rig = std::make_unique<ScenarioRig>();
    }
    void dropRig()
    {
        dropAll();
        m_rig.reset();
    }
    /// `isAsking`: before something runs, as on any server but the sandbox.
    void openPage(const db::ServerUrl& url, QSize size, bool readOnly = false, bool isAsking = false)
    {
        showWindow(
            {.passwords = TestServer::shared().passwords(), .readOnly = readOnly, .interval = 250ms}, size);
        openServer(url, QStringLiteral("sandbox"), QStringLiteral("Scenarios"));
        m_page = static_cast<ui::ScenariosPage*>(m_window->currentPage());
        if (!isAsking)
            m_page->findChild<ui::RunConsent*>()->allow(url);
    }
    void openWindow(const db::ServerUrl& url, bool readOnly = false)
    {
        openPage(url, QSize(1'280, 800), readOnly);
    }
    void choose(const QString& scenario, const QString& variant, double seconds)
    {
        QVERIFY(m_window->findChild<ui::ScenarioList*>()->choose(scenario));
        auto* choice = m_page->findChild<QRadioButton*>(QStringLiteral("variant-") + variant);
        QVERIFY(choice);
        QTest::mouseClick(choice, Qt::LeftButton, {}, QPoint(10, choice->height() / 2));
        QVERIFY(choice->isChecked());
        m_page->findChild<QDoubleSpinBox*>(QStringLiteral("duration"))->setValue(seconds);
    }
    QPushButton* button(const char* name) const { return child<QPushButton>(name); }
    void press(const char* name) { QTest::mouseClick(button(name), Qt::LeftButton); }
    bool isOver() const
    {
        return waitUntil([this] { return !m_page->isRunning(); });
    }
    void runToTheEnd()
    {
        press("runScenario");
        QVERIFY(isOver());
    }
    QString verdict() const { return m_window->findChild<ui::VerdictBanner*>()->text(); }
    QString stepNotice() const { return child<ui::NoticeBar>("stepNotice")->text(); }

    std::unique_ptr<ScenarioRig> m_rig;
    ui::ScenariosPage* m_page = nullptr;
};

} // namespace lockscope::test
