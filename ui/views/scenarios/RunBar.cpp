// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/RunBar.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/RunText.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Progress;

RunBar::RunBar(QWidget* parent)
    : QWidget(parent)
    , m_run(named("runScenario", demiBold(1.0, pushButton(u"&Run"_s, this)))) // what most come for
    , m_compare(named("compareVariants", pushButton(u"&Compare variants"_s, this)))
    , m_stop(named("stopScenario", pushButton(u"Sto&p"_s, this)))
    , m_progress(new QProgressBar(this))
    , m_live(named("scenarioLive", yielding(plain(new QLabel(this)))))
{
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 8);
    m_progress->hide();
    addAll(*withoutMargins(new QHBoxLayout(this), 8),
        {m_run, m_compare, m_stop, spacer(6), m_progress, {m_live, 1}});
    connect(m_run, &QPushButton::clicked, this, &RunBar::runRequested);
    connect(m_compare, &QPushButton::clicked, this, &RunBar::comparisonRequested);
    connect(m_stop, &QPushButton::clicked, this, &RunBar::stopRequested);
}

void RunBar::setState(
    State state, bool canRun, bool canCompare, const QString& runTip, const QString& compareTip)
{
    m_run->setEnabled(canRun);
    m_run->setToolTip(runTip);
    m_compare->setEnabled(canCompare);
    m_compare->setToolTip(compareTip);
    // Only one of them can be pressed at any time.
    m_run->setVisible(state == State::Idle);
    m_compare->setVisible(state == State::Idle);
    m_stop->setVisible(state != State::Idle);
    m_stop->setEnabled(state == State::Running);
}

void RunBar::showPreparing()
{
    m_progress->setRange(0, 0);
    m_progress->show();
    tell(u"Preparing"_s);
}

void RunBar::showProgress(const Progress& progress, int sessions, int number, int count)
{
    switch (progress.phase) {
    case Progress::Phase::Preparing:
        m_progress->setRange(0, sessions);
        m_progress->setValue(progress.sessions);
        break;
    case Progress::Phase::Running:
        m_progress->setRange(0, static_cast<int>(progress.duration.count()));
        m_progress->setValue(static_cast<int>(progress.elapsed.count()));
        break;
    case Progress::Phase::Ending:
        m_progress->setRange(0, 0);
        break;
    }
    const QString which = count > 1 ? u"Variant %1 of %2: "_s.arg(number).arg(count) : QString();
    tell(which + progressText(progress, sessions));
}

void RunBar::showEnd(const QString& words)
{
    m_progress->hide();
    tell(words);
}

void RunBar::tell(const QString& words)
{
    m_live->setText(words);
    m_live->setToolTip(words);
}

void RunBar::focusStop()
{
    m_stop->setFocus();
}

void RunBar::passFocusOn()
{
    if (m_stop->hasFocus())
        m_run->setFocus();
}

} // namespace lockscope::ui
