// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/IncidentBook.h"

#include <QTabWidget>

#include <array>

class QSettings;

namespace lockscope::ui {

class AppContext;
class ItemDialog;
class ItemListView;

/// The lists of what stands in the rules file, as tabs, with the forms that change it.
class RuleFileViews : public QTabWidget {
    Q_OBJECT

public:
    RuleFileViews(AppContext& context, IncidentBook& book, QWidget* parent = nullptr);

    void show(const IncidentListPtr& list);
    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);

    // For its lists:
    void change(const alert::RuleFileChange& change) { m_book.changeRules(change); }
    void openRule(const alert::Rule& rule, bool isNew);
    void open(ItemDialog* form);
    void askToRemove(const alert::RuleFileItem& item);

Q_SIGNALS:
    /// Requests a past time: of an incident that a rule would have found.
    void timeTravelRequested(lockscope::ServerTime at);

private:
    AppContext& m_context;
    IncidentBook& m_book;
    std::array<ItemListView*, 3> m_lists; ///< rules, channels, maintenance windows
};

} // namespace lockscope::ui
