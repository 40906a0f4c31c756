// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "ui/views/settings/HistoryFields.h"
#include "ui/views/settings/RecordingSettings.h"

#include <QDialog>

class QCheckBox;

namespace lockscope::ui {

class RecordingFields;

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
