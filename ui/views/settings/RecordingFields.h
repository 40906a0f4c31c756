// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "ui/views/settings/HistoryFields.h"
#include "ui/views/settings/RecordingSettings.h"

#include <QDialog>
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

/// Sets how one server is recorded: as all are, or in its own way.
class RecordingDialog : public QDialog {
    Q_OBJECT

public:
    RecordingDialog(const db::ServerProfile& server, const std::optional<RecordingSettings>& recording,
        const RecordingSettings& ofAll, QWidget* parent = nullptr,
        db::KeychainPtr keychain = db::desktopKeychain());

    std::optional<RecordingSettings> recording() const; ///< nothing: as all are
    std::optional<HistoryPassword> historyPassword() const; ///< that was typed for its history

private:
    QCheckBox* m_likeAll;
    RecordingFields* m_fields;
};

} // namespace lockscope::ui
