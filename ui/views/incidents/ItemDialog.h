// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/channels/Channel.h"
#include "core/alert/rules/RuleFile.h"
#include "core/base/Worker.h"
#include "core/watch/Rehearsal.h"

#include <QDialog>
#include <QHash>
#include <QObject>

#include <array>
#include <optional>

class QBoxLayout;
class QCheckBox;
class QDateTimeEdit;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QComboBox;
class QListWidget;
class QTimer;

namespace lockscope::ui {

/// The form of an item of the rules file. It stays open until the item is saved: what was typed is not lost
/// if it can't be.
class ItemDialog : public QDialog {
    Q_OBJECT

public:
    /// Returns the change that the form stands for; else the first thing that is wrong there.
    virtual Result<alert::RuleFileChange> change() const = 0;
    /// Takes the answer to saveRequested(): closes, or says why it is not saved.
    void takeAnswer(const Result<void>& saved);

Q_SIGNALS:
    void saveRequested(const lockscope::alert::RuleFileChange& change);

protected:
    /// `id` is "rule": the form is named "ruleDialog", the button "saveRule".
    ItemDialog(const QString& id, const QString& title, const QString& chapter, QWidget* parent);

    QLineEdit* addLine(QFormLayout& form, const QString& label, const char* name, const QString& text,
        const QString& example);
    static QStringList namesIn(const QLineEdit& line); ///< between commas
    /// Adds a line for each list of the scope.
    void addScope(QFormLayout& form, const alert::Scope& scope);
    void takeScope(alert::Scope& scope) const; ///< what the lines have now
    /// Adds what is wrong, and the buttons; each change of a line is checked from now on.
    void finish(QBoxLayout& column);
    /// Shows what is wrong with the form, and enables the button.
    void showCheck(const std::optional<Error>& error, bool hasChanged);
    virtual void check() = 0;
    /// Returns the change of an item from `before`, if it is there already, to the one that the form makes.
    template <class Item>
    static Result<alert::RuleFileChange> changeTo(Result<Item> made, const std::optional<Item>& before)
    {
        if (!made)
            return Failure(made.error());
        alert::RuleFileChange change{.after = std::move(*made)};
        if (before)
            change.before = *before;
        return change;
    }
    virtual void save(); ///< the button was pressed, and change() has one

private:
    const QString m_id;
    std::array<QLineEdit*, alert::scopeLists.size()> m_scope{};
    QLabel* m_trouble;
    QPushButton* m_save = nullptr;
};

/// The form of a maintenance window: why, when and of what nothing is sent, with its next times.
class MaintenanceDialog : public ItemDialog {
    Q_OBJECT

public:
    /// Nothing: a new one.
    explicit MaintenanceDialog(
        const std::optional<alert::MaintenanceWindow>& window, QWidget* parent = nullptr);

    /// Returns the window as it stands in the form; else the first thing that is wrong there.
    Result<alert::MaintenanceWindow> window() const;
    Result<alert::RuleFileChange> change() const override;

protected:
    void check() override;

private:
    struct End {
        QCheckBox* isSet;
        QDateTimeEdit* time; ///< by the local clock
    };
    End addEnd(QFormLayout& form, const QString& label, const char* name,
        const std::optional<QDateTime>& time, const QDateTime& otherwise);

    const std::optional<alert::MaintenanceWindow> m_before;
    QLineEdit* m_why = nullptr;
    QLineEdit* m_times = nullptr;
    End m_from{};
    End m_to{};
    QLabel* m_next;
};

/// The result of a rule on a recording, beside the rule as it is now.
struct TrialResult {
    watch::Rehearsal rehearsal; ///< of the rule as edited
    int before = 0; ///< incidents of the rule as it is now

    /// "In the last hour of shop it would have fired 3 times (as it is now: 1 time), 2 of them critical."
    QString toString(const QString& range) const;
};

/// The form of a rule: on or off, its levels, what it applies to, where it is sent, what it advises.
class RuleDialog : public ItemDialog {
    Q_OBJECT

public:
    enum class Purpose { Edit, New };
    /// `recording`: the place of the recording that the rule is tried on; empty: there is none. A new rule
    /// begins with what `rule` has.
    RuleDialog(const alert::Rule& rule, const QString& recording, QWidget* parent = nullptr,
        Purpose purpose = Purpose::Edit);

    /// Returns the rule as it stands in the form; else the first thing that is wrong there.
    Result<alert::Rule> rule() const;
    Result<alert::RuleFileChange> change() const override;
    /// Says what the rule of the form would have found.
    void showTrial(const Result<TrialResult>& result);

Q_SIGNALS:
    /// Requests a past time: of an incident that the rule would have found.
    void timeTravelRequested(lockscope::ServerTime at);

protected:
    void check() override;

private:
    struct LevelRow {
        QComboBox* severity;
        QLineEdit* from;
        QLineEdit* hold;
    };
    void addLevels(QFormLayout& form);
    void addTrial(QBoxLayout& column);
    bool canTry() const { return !m_recording.isEmpty(); }
    void tryOut(microseconds length);
    void cancelTrial();
    Result<std::vector<alert::RuleLevel>> levels() const;

    const alert::Rule m_rule; ///< as it is now, or that a new one begins with
    const QString m_recording; ///< its place
    const Purpose m_purpose;
    QCheckBox* m_isOn;
    QLineEdit* m_name = nullptr;
    std::vector<LevelRow> m_levels;
    QLineEdit* m_clearBelow = nullptr;
    QLineEdit* m_keepFiring = nullptr;
    QLineEdit* m_times = nullptr;
    QLineEdit* m_channels = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_preview;
    QListWidget* m_found; ///< by the trial
    QPushButton* m_tryLonger;
    QTimer* m_trySoon; ///< once no key was pressed for a while
    std::optional<alert::Rule> m_triedRule;
    microseconds m_tried{0}; ///< the length of the trial that runs, or ran last
    bool m_isTrying = false;
    QHash<qint64, int> m_before; ///< incidents of the rule as it is now, by length: they stay the same
    quint64 m_asked = 0; ///< answers to earlier trials are dropped
    Worker m_worker;
};

/// Sends test messages on a thread of its own, one at a time; and keeps secrets for it. GUI thread.
class ChannelTester : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// `secret`: written to the place that the settings name first; empty: it is there.
    void send(const alert::ChannelSettings& settings, const QString& secret = {});
    /// Gives up the message that is being sent.
    void stop() { m_worker.cancel(); }
    bool isSending() const { return m_isSending; }
    /// `show(Result<void>)` follows.
    void writeSecret(const QString& reference, const QString& secret,
        const std::function<void(const Result<void>&)>& show);

Q_SIGNALS:
    void started();
    /// `text`: what the receiver said, or why it has not arrived.
    void finished(bool hasArrived, const QString& text);

private:
    bool m_isSending = false;
    Worker m_worker;
};

/// The form of a channel: the fields that its kind has, and a test that is sent as they stand. A secret that
/// is typed goes into a file that only this account can read, never into the rules file.
class ChannelDialog : public ItemDialog {
    Q_OBJECT

public:
    /// Nothing: a new one. `rules`: the names of those that send to it; then it can't be renamed.
    explicit ChannelDialog(const std::optional<alert::ChannelSettings>& channel,
        const QStringList& rules = {}, QWidget* parent = nullptr);

    /// Returns the channel as it stands in the form; else the first thing that is wrong there.
    Result<alert::ChannelSettings> channel() const;
    Result<alert::RuleFileChange> change() const override;

protected:
    void check() override;
    void save() override;

private:
    void addKind();
    void addPlace();
    void addSecret();
    void addTest(QBoxLayout& column);
    void showFields();
    void showTest(const QString& text, const QColor& ink);
    QString secretReference() const;
    bool keepsSecretInFile() const;

    const std::optional<alert::ChannelSettings> m_before;
    QFormLayout* m_form;
    QLineEdit* m_name = nullptr;
    QComboBox* m_kind = nullptr;
    QComboBox* m_formOfBody = nullptr;
    QComboBox* m_mailWay = nullptr;
    QLineEdit* m_url = nullptr;
    QLineEdit* m_from = nullptr;
    QLineEdit* m_to = nullptr;
    QLineEdit* m_command = nullptr;
    QLineEdit* m_user = nullptr;
    QComboBox* m_secretPlace = nullptr;
    QLineEdit* m_secret = nullptr; ///< its reference without "env:" or "file:"
    QLineEdit* m_newSecret = nullptr;
    QComboBox* m_severity = nullptr;
    QCheckBox* m_statements;
    QCheckBox* m_resolved;
    QPushButton* m_test;
    QLabel* m_testAnswer;
    ChannelTester* m_tester;
};

} // namespace lockscope::ui
