// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Recording.h"

#include <QDialog>

#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

/// Asks which time of a recording to show, as people write it: "03:12", "yesterday 03:12", "-10m". Shows
/// while somebody types which time that is, and whether it was recorded. GUI thread.
class GoToTimeDialog : public QDialog {
    Q_OBJECT

public:
    explicit GoToTimeDialog(const record::Span& recorded, QWidget* parent = nullptr);
    /// The time is for something else: "Compare with another time", "&Compare".
    void setPurpose(const QString& title, const QString& button, const QString& chapter);

Q_SIGNALS:
    void chosen(lockscope::ServerTime at);

private:
    void read();

    record::Span m_recorded;
    std::optional<ServerTime> m_time; ///< the typed time; nothing: no time
    QLineEdit* m_text;
    QLabel* m_reading;
    QPushButton* m_go;
};

} // namespace lockscope::ui
