// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Recorder.h"
#include "core/record/postgres/HistoryUpload.h"

#include <QToolButton>

namespace lockscope::ui {

class ShownServer;

/// Says whether what is seen of the server on view is recorded, how much there is, or why it is not; its menu
/// turns that off and on. Hidden where there is nothing to record: no server, or a recording on view.
class RecorderButton : public QToolButton {
    Q_OBJECT

public:
    explicit RecorderButton(ShownServer& shown, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Emitted when something happened that the user has to know: a file was set aside.
    void said(const QString& text);
    void turned(bool on); ///< for the server on view
    void settingsRequested();
    void newFileRequested();

private:
    void update();
    void fillMenu();

    ShownServer& m_shown;
    QString m_saidNews;
    QString m_saidExposure;
    QString m_saidAside;
};

/// Returns a few words: "● Recorded, 6 h 12 min, 84.0 MB". `isOld`: there is nothing new at present.
QString recorderText(const record::RecorderState& state, bool isOld);
/// Returns the text for the upload to a team's history, behind that: "→ history", "▲ history can't be
/// reached, up to 12:04:31".
QString uploadText(const record::UploadState& state);
QString uploadToolTip(const record::UploadState& state);
/// Names the file, how long it is kept, and any fault of writing.
QString recorderToolTip(const record::RecorderState& state);

} // namespace lockscope::ui
