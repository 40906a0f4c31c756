// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

namespace lockscope::record {

/// BadInput: `path` is there already, or its folder is not.
Result<void> checkNewFile(const QString& path);

/// A file of SQLite under a name of its own beside `out`, until it is complete. Is deleted with what SQLite
/// has made beside it, unless finish() gave it its name.
class NewFile {
public:
    explicit NewFile(const QString& out);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const QString& path() const { return m_path; }
    /// Writes it to the disk and names it `out`. BadInput: that name is taken by now, or the folder is
    /// closed.
    Result<void> finish();

private:
    QString m_out;
    QString m_path;
};

} // namespace lockscope::record
