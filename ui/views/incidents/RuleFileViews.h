// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/IncidentBook.h"

#include <QTabWidget>

class QSettings;

namespace lockscope::ui {

class AppContext;
class ChannelsView;
class ItemDialog;
class MaintenanceView;
class RulesView;

/// The lists of what stands in the rules file, as tabs, with the forms that change it.
class RuleFileViews : public QTabWidget {
    Q_OBJECT

public:
    RuleFileViews(AppContext& context, IncidentBook& book, QWidget* parent = nullptr);

    void show(const IncidentListPtr& list);
    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);

Q_SIGNALS:
    /// Requests a past time: of an incident that a rule would have found.
    void timeTravelRequested(lockscope::ServerTime at);

private:
    void editRule(const alert::Rule& rule, bool isNew);
    void open(ItemDialog* form);
    void askToRemove(const alert::RuleFileItem& item);

    AppContext& m_context;
    IncidentBook& m_book;
    RulesView* m_rules;
    ChannelsView* m_channels;
    MaintenanceView* m_maintenance;
};

} // namespace lockscope::ui
