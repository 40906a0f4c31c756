// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/views/settings/RecordingFields.h"

#include <QDialog>

#include <functional>
#include <optional>

class QLabel;
class QPushButton;
class QTimer;

namespace lockscope::ui {

class ReportTable;

/// Asks for a team's history, shows what is recorded there, of which server and by whom, and lets one be
/// chosen. The history is asked on another thread.
class HistoryDialog : public QDialog {
    Q_OBJECT

public:
    /// Returns the passwords to read the history at a URL.
    using Passwords = std::function<db::PasswordProvider(const QString& url)>;

    HistoryDialog(
        const QString& url, Passwords passwords, db::KeychainPtr keychain, QWidget* parent = nullptr);

    QString url() const { return m_fields->text(); } ///< as it stands in its field
    /// Reads what there is at once, without waiting for the button.
    void look();

Q_SIGNALS:
    /// A password was typed, and is about to be tried.
    void passwordEntered(const lockscope::ui::HistoryPassword& typed);
    /// The history has let us in with it.
    void passwordTaken(const lockscope::ui::HistoryPassword& typed);
    /// Gives the place as RecordingReader::open takes it.
    void chosen(const QString& place);

private:
    void ask(const std::optional<HistoryPassword>& typed);
    void show(const Result<QList<record::HistoryRecording>>& recordings);
    void choose();
    void updateButtons();

    Passwords m_passwords;
    HistoryFields* m_fields;
    QPushButton* m_read;
    QLabel* m_words;
    ReportTable* m_view;
    QPushButton* m_open;
    db::ServerUrl m_asked; ///< of the recordings on view
    QList<record::HistoryRecording> m_recordings;
    Worker m_worker;
    QTimer* m_refresh; ///< what is shown says how fresh it is
};

} // namespace lockscope::ui
