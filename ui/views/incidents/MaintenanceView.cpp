// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/MaintenanceView.h"

#include "core/watch/RuleTable.h"
#include "ui/kit/help/Chapter.h"
#include "ui/views/page/Page.h"

#include <QDateTime>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using alert::MaintenanceWindow;

MaintenanceView::MaintenanceView(QWidget* parent)
    : ItemListView(u"maintenance"_s, u"Maintenance windows"_s, watch::maintenanceSection({}, {}), parent)
    , m_remove(addButton("removeMaintenance", {u"Re&move…"_s}))
    , m_edit(addButton("editMaintenance", {u"&Edit…"_s}))
    , m_new(addButton("newMaintenance", {u"&New window…"_s}))
{
    setChapter(*this, u"incidents.md#maintenance"_s);
    setEmptyText(u"No maintenance window"_s,
        u"In a maintenance window nothing is sent: while a backup runs each Saturday night, say. Incidents are still found, listed and kept."_s);
    connect(m_edit, &QPushButton::clicked, this, &MaintenanceView::editChosen);
    connect(m_new, &QPushButton::clicked, this, [this] { Q_EMIT editRequested(std::nullopt); });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const auto* window = chosen<MaintenanceWindow>())
            Q_EMIT removeRequested(*window);
    });
    updateButtons();
}

void MaintenanceView::show(const IncidentListPtr& list)
{
    const std::optional<Error> error = list ? list->rulesError : std::nullopt;
    showRows(watch::maintenanceSection(list ? list->rules.maintenance : std::vector<MaintenanceWindow>(),
                 QDateTime::currentDateTime()),
        error, fileText(u"Maintenance windows"_s, error));
}

void MaintenanceView::editChosen()
{
    if (const auto* window = chosen<MaintenanceWindow>(); window && reasonAgainstSaving().isEmpty())
        Q_EMIT editRequested(*window);
}

void MaintenanceView::updateButtons()
{
    const QString reason = !reasonAgainstSaving().isEmpty() ? reasonAgainstSaving()
        : chosen<MaintenanceWindow>()                       ? QString()
                                                            : u"Select a window first."_s;
    setReason(m_new, reasonAgainstSaving());
    setReason(m_edit, reason);
    setReason(m_remove, reason);
}

} // namespace lockscope::ui
