// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Incident.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace lockscope::ui {

/// Returns the next day's 08:00 by the local clock.
ServerTime tomorrowMorning(const QDateTime& now);

/// Asks for what, how long, up to which ceiling and why an incident is to be quiet.
class MuteDialog : public QDialog {
    Q_OBJECT

public:
    explicit MuteDialog(const alert::Incident& incident, QWidget* parent = nullptr);

Q_SIGNALS:
    void muteRequested(const lockscope::alert::Mute& mute);

private:
    void addCeiling(const alert::Incident& incident);
    void updateButton();
    alert::Mute chosen() const;

    QList<alert::Mute> m_possible;
    QComboBox* m_of;
    QComboBox* m_end;
    QCheckBox* m_hasMaxWaiting;
    QSpinBox* m_maxWaiting;
    QCheckBox* m_hasMaxWait;
    QSpinBox* m_maxWait; ///< seconds
    QLineEdit* m_why;
    QPushButton* m_mute;
};

/// Asks why an incident is acknowledged.
class AcknowledgeDialog : public QDialog {
    Q_OBJECT

public:
    explicit AcknowledgeDialog(const alert::Incident& incident, QWidget* parent = nullptr);

Q_SIGNALS:
    void acknowledgeRequested(const QString& why);
};

} // namespace lockscope::ui
