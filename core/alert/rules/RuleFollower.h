// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QDateTime>

#include <optional>

namespace lockscope::alert {

/// Follows a rules file that may be changed at any time, by the window or by hand. Blocks on the disk; one
/// thread.
class RuleFollower {
public:
    /// Empty `path`: the account's file.
    explicit RuleFollower(QString path = {})
        : m_path(std::move(path))
    {
    }
    /// Returns the rules if they have changed since the last call, or the user's threshold for "long". At the
    /// first one there are always some: the default ones if the file can't be used. Looks at the file every
    /// other second.
    std::optional<RuleSet> changed();
    /// Returns why the file can't be used at present: the rules before it apply.
    const std::optional<Error>& error() const { return m_error; }

private:
    bool hasFileChanged(ServerTime now);

    QString m_path;
    bool m_hasRules = false;
    std::optional<Error> m_error;
    milliseconds m_longRunning{0}; ///< the user's setting when it was read
    QDateTime m_read; ///< the file's last change when it was read
    ServerTime m_checked; ///< this machine's clock, as is the next one
    ServerTime m_gone; ///< the file is not there since then
};

} // namespace lockscope::alert
