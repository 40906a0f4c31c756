// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordingClient.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QPushButton;

namespace lockscope::ui {

/// Saves a range of a recording as a file of its own, to send to somebody. GUI thread; the copying is done on
/// another one, and goes with the dialog.
class ClipDialog : public QDialog {
    Q_OBJECT

public:
    /// Makes a clip of the recording that `shown` reads; by a client of its own.
    ClipDialog(
        const record::RecordingClient& shown, ServerTime from, ServerTime to, QWidget* parent = nullptr);

    /// Saves as if the user had chosen that file.
    void saveTo(const QString& path);

Q_SIGNALS:
    void said(const QString& text); ///< for the status line: it is done

private:
    record::RecordingClient m_client;
    ServerTime m_from;
    ServerTime m_to;
    QCheckBox* m_redacts;
    QLabel* m_trouble;
    QPushButton* m_save = nullptr;
};

} // namespace lockscope::ui
