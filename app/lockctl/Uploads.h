// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/record/postgres/HistoryUpload.h"

#include <optional>
#include <vector>

namespace lockscope::ctl {

/// --into, of the command that records.
void addInto(Command& command);

/// Brings recordings to the history that --into names; without it, nothing.
class Uploads {
public:
    static Result<Uploads> from(const CommandLine& line);

    /// A file that is or will be a recording.
    void add(const QString& path);
    /// Says on stderr what keeps a recording from getting there, once for each trouble. To be called now and
    /// then.
    void printTroubles();
    /// Waits some seconds for the files to be uploaded, and reports those that are not.
    void finish();

private:
    struct One {
        QString path;
        std::unique_ptr<record::HistoryUpload> upload;
        QString told;
    };
    void tell(One& one, const QString& trouble);

    std::optional<db::Server> m_history;
    std::vector<One> m_all;
};

} // namespace lockscope::ctl
