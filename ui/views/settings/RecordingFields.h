// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "core/db/ServerUrl.h"
#include "core/db/credentials/Secrets.h"
#include "ui/views/settings/Preferences.h"

#include <QDialog>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lockscope::ui {

class PasswordPlace;

/// A password that was typed for a team's history.
struct HistoryPassword {
    QString url;
    QString password;
    bool keep = false; ///< in the keychain, once the history has taken it
};

/// The place of a team's history, and the password for it, as fields of a dialog.
class HistoryFields : public QWidget {
    Q_OBJECT

public:
    HistoryFields(const QString& label, db::KeychainPtr keychain, QWidget* parent = nullptr);

    void show(const QString& url);
    QString text() const; ///< as it stands there, trimmed
    /// BadInput or Unsupported, with what to do: it is no address of a history. Not to be asked of an empty
    /// one.
    Result<db::ServerUrl> url() const;
    /// Nothing: none was typed, or there is no address.
    std::optional<HistoryPassword> password() const;
    QLineEdit& field() const { return *m_url; }
    QList<QWidget*> inOrder() const; ///< of the tabulator

Q_SIGNALS:
    void changed();
    void entered(); ///< Enter in one of the fields

private:
    void checkAddress();

    QLineEdit* m_url;
    QLineEdit* m_password;
    QCheckBox* m_keep;
    QLabel* m_trouble;
    PasswordPlace* m_place;
    QString m_searched; ///< the address whose password was searched for
};

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
