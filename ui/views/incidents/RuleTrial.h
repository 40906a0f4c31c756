// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/watch/Rehearsal.h"

#include <QHash>
#include <QObject>

#include <memory>
#include <optional>

namespace lockscope::ui {

/// The result of a rule on a recording, beside the rule as it is now.
struct TrialResult {
    watch::Rehearsal rehearsal; ///< of the rule as edited
    int before = 0; ///< incidents of the rule as it is now

    /// "In the last hour of shop it would have fired 3 times (as it is now: 1 time), 2 of them critical."
    QString toString(const QString& range) const;
};

/// Tries an edited rule on what was recorded, on a thread of its own; one trial at a time, of which the
/// newest counts. GUI thread.
class RuleTrial : public QObject {
    Q_OBJECT

public:
    /// `recording`: its place; empty: there is none. `rule`: as it is now.
    RuleTrial(QString recording, alert::Rule rule, QObject* parent = nullptr);

    bool isPossible() const { return !m_recording.isEmpty(); }
    /// Begins with the last `length` that is recorded.
    void run(const alert::Rule& edited, microseconds length);
    void cancel();

Q_SIGNALS:
    void progressed(double part);
    void finished(const std::shared_ptr<const lockscope::Result<lockscope::ui::TrialResult>>& result);

private:
    const QString m_recording;
    const alert::Rule m_rule;
    QHash<qint64, int> m_before; ///< incidents of the rule as it is now, by length: they stay the same
    quint64 m_asked = 0; ///< answers to earlier ones are dropped
    Worker m_worker;
};

} // namespace lockscope::ui
