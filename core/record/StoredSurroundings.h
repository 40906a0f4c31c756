// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"

#include <map>
#include <utility>

namespace lockscope::record {

class Database;

/// Writes measures into a recording, each kind and name once. One thread, that of the database.
class SurroundingsWriter {
public:
    /// Writes in the open transaction.
    Result<void> write(Database& database, ServerTime taken, const std::vector<monitor::Measure>& measures);
    /// Forgets the numbers: the file was opened again.
    void forget() { m_numbers.clear(); }

private:
    Result<qint64> numberOf(Database& database, const monitor::Measure& measure);

    std::map<std::pair<QString, QString>, qint64> m_numbers; ///< of kinds and names
};

} // namespace lockscope::record
