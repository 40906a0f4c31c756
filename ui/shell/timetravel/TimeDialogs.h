// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Recording.h"
#include "core/record/RecordingClient.h"
#include "core/record/RecordingNotes.h"

#include <QDialog>

#include <functional>
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

/// Asks for a note and puts it into a recording: a mark on the time bar, at a time or now. GUI thread.
class NoteDialog : public QDialog {
    Q_OBJECT

public:
    /// Adds a note by this program's own recorder; false: it does not record.
    using OwnRecorder = std::function<bool(const record::NewNote&)>;
    /// `at`: nothing is now. Where `recorder` does not, it writes by itself or asks the program that does.
    NoteDialog(const record::RecordingClient& shown, std::optional<ServerTime> at, OwnRecorder recorder,
        QWidget* parent = nullptr);

Q_SIGNALS:
    void noted(const QString& text); ///< it is in the recording, or will be: a sentence for the status line

private:
    void put();
    void tell(const QString& text);

    record::RecordingClient m_client;
    OwnRecorder m_recorder;
    std::optional<ServerTime> m_at;
    QLineEdit* m_text;
    QLabel* m_trouble;
    QPushButton* m_put;
};

} // namespace lockscope::ui
