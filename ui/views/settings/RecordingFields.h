// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/settings/HistoryFields.h"
#include "ui/views/settings/RecordingSettings.h"

#include <QWidget>

class QCheckBox;
class QSpinBox;

namespace lockscope::ui {

/// Sets whether to record, for how long, how much at most, and without which values: as fields of a dialog.
class RecordingFields : public QWidget {
    Q_OBJECT

public:
    RecordingFields(const RecordingSettings& recording, db::KeychainPtr keychain, QWidget* parent = nullptr);

    void show(const RecordingSettings& recording);
    RecordingSettings recording() const; ///< an address that is none of a history: the one before
    /// Returns the typed password for the history that recording() names.
    std::optional<HistoryPassword> historyPassword() const;
    QList<QWidget*> inOrder() const; ///< of the tabulator

private:
    void enable();

    QCheckBox* m_on;
    QSpinBox* m_days;
    QSpinBox* m_megabytes;
    QCheckBox* m_redacts;
    HistoryFields* m_history;
    QString m_historyBefore;
};

} // namespace lockscope::ui
