// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/watch/Rehearsal.h"
#include "ui/views/incidents/ItemDialog.h"

#include <QHash>

#include <optional>

class QCheckBox;
class QComboBox;
class QListWidget;
class QTimer;

namespace lockscope::ui {

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

} // namespace lockscope::ui
