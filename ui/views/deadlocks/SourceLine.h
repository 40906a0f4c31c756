// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/source/DeadlockPoller.h"

#include <QLabel>

#include <optional>

namespace lockscope::ui {

/// The known state of a server's own records of its deadlocks.
struct DeadlockRecords {
    ServerTime since; ///< of the first poll
    ServerTime readFrom{}; ///< those of before, too; not valid: only from `since` on
    std::optional<Result<deadlock::SourcePoll>> latest; ///< nothing: no poll has ended yet
    deadlock::DeadlockWatch::Cost cost;
};

/// "3 counted, 1 captured since 09:12 · PostgreSQL's log (jsonlog)"; below it the records that can't be read,
/// and the remedy. Its tooltip shows the cost. Hidden while there is nothing to say.
class SourceLine : public QLabel {
    Q_OBJECT

public:
    explicit SourceLine(QWidget* parent = nullptr);

    void show(const std::optional<DeadlockRecords>& records);
};

/// The words of the line.
QString recordsText(const DeadlockRecords& records);
QString recordsCostText(const deadlock::DeadlockWatch::Cost& cost);

} // namespace lockscope::ui
