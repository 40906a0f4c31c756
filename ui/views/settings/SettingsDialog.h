// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/settings/Preferences.h"
#include "ui/views/settings/RecordingFields.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QGroupBox;
class QSpinBox;

namespace lockscope::ui {

/// Sets the ages for amber and red, the interval of polls, and the theme.
class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    explicit SettingsDialog(const Preferences& preferences, QWidget* parent = nullptr,
        db::KeychainPtr keychain = db::desktopKeychain());

    Preferences preferences() const; ///< red never below amber
    std::optional<HistoryPassword> historyPassword() const; ///< that was typed for the history

private:
    QGroupBox* makeLevels();
    void fillIn(const Preferences& p);

    QSpinBox* m_waitAmber;
    QSpinBox* m_waitRed;
    QSpinBox* m_holdAmber;
    QSpinBox* m_holdRed;
    QSpinBox* m_staleAmber;
    QSpinBox* m_staleRed;
    QComboBox* m_interval;
    QComboBox* m_theme;
    QCheckBox* m_reopen;
    QCheckBox* m_statements;
    QSpinBox* m_maxLocks;
    QCheckBox* m_alertSound;
    QCheckBox* m_keepInTray;
    QCheckBox* m_localAudit;
    RecordingFields* m_recording;
};

} // namespace lockscope::ui
