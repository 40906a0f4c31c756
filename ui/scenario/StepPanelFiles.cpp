// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Orders of steps in files: the part of StepPanel that asks for them, writes and reads them.

#include "ui/scenario/RunText.h"
#include "ui/scenario/StepFile.h"
#include "ui/scenario/StepPanel.h"
#include "ui/widgets/NoticeBar.h"
#include "ui/widgets/SaveDialog.h"

#include <QFileDialog>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void StepPanel::askWhereTo()
{
    if (!m_state)
        return;
    askWhereToSave(*this, u"Save the order of steps"_s, u"Steps (*.json *.txt)"_s,
        m_state->record.scenario + QStringLiteral(".json"), [this](const QString& path) { saveTo(path); });
}

void StepPanel::askWhereFrom()
{
    auto* dialog = new QFileDialog(this, u"Load an order of steps"_s, {}, u"Steps (*.json *.txt)"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &StepPanel::loadFrom);
    dialog->open();
}

void StepPanel::saveTo(const QString& path)
{
    if (!m_state)
        return;
    const auto written = writeSteps(m_state->record, path);
    Q_EMIT statusMessage(written ? u"Written to %1."_s.arg(path) : written.error().toString());
}

void StepPanel::loadFrom(const QString& path)
{
    const auto recorded = readSteps(path);
    if (recorded)
        replay(*recorded);
    else
        m_notice->say({AgeLevel::Amber, recorded.error().what, reasonOf(recorded.error()), {}, {}});
}

} // namespace lockscope::ui
