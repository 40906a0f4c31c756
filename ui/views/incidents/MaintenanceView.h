// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/ItemListView.h"

namespace lockscope::ui {

/// The times in which nothing is sent.
class MaintenanceView : public ItemListView {
    Q_OBJECT

public:
    explicit MaintenanceView(QWidget* parent = nullptr);

    void show(const IncidentListPtr& list);

Q_SIGNALS:
    /// Nothing: a new one.
    void editRequested(const std::optional<lockscope::alert::MaintenanceWindow>& window);
    void removeRequested(const lockscope::alert::MaintenanceWindow& window);

protected:
    void updateButtons() override;
    void editChosen() override;

private:
    QPushButton* m_remove;
    QPushButton* m_edit;
    QPushButton* m_new;
};

} // namespace lockscope::ui
