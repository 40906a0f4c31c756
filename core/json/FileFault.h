// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <vector>

namespace lockscope::json {

/// A fault of a file, and its place.
struct FileFault {
    QString file;
    int line = 0; ///< from 1; 0 = the file as a whole
    int column = 0; ///< from 1, in characters
    QString what; ///< "There is no value ':pice'."
    QString expected{}; ///< "one of :price, :session"; may be empty

    /// "file:line:column: what Expected: …"
    QString toString() const;
    bool operator==(const FileFault&) const = default;
};
using FileFaults = std::vector<FileFault>;

} // namespace lockscope::json
