// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/ItemListView.h"

namespace lockscope::ui {

class ChannelTester;

/// The channels by which incidents are sent out of the machine.
class ChannelsView : public ItemListView {
    Q_OBJECT

public:
    explicit ChannelsView(QWidget* parent = nullptr);

    void show(const IncidentListPtr& list);

Q_SIGNALS:
    /// Nothing: a new one. `rules`: the names of those that send to it.
    void editRequested(
        const std::optional<lockscope::alert::ChannelSettings>& channel, const QStringList& rules);
    void removeRequested(const lockscope::alert::ChannelSettings& channel);

protected:
    void updateButtons() override;
    void editChosen() override;

private:
    QStringList rulesOf(const alert::ChannelSettings& channel) const;

    QPushButton* m_remove;
    QPushButton* m_test;
    QPushButton* m_edit;
    QPushButton* m_new;
    ChannelTester* m_tester;
    std::vector<alert::Rule> m_rules;
};

} // namespace lockscope::ui
