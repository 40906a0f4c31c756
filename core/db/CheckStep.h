// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <functional>

namespace lockscope::db {

/// One thing that a check of a server found out.
struct CheckStep {
    enum class Outcome {
        Good,
        Note, ///< it works, but there is something to know
        Failed, ///< the way ends here
    };
    QString key; ///< for programs: "host", "rights"; several steps may have one key
    QString name; ///< "Host name"
    Outcome outcome = Outcome::Good;
    QString finding{}; ///< the finding, or the whole error
    QString remedy{}; ///< the statement or command that mends it: "GRANT …"; may be empty

    bool operator==(const CheckStep&) const = default;
};
using CheckSink = std::function<void(const CheckStep&)>;

} // namespace lockscope::db
