// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"

#include <QList>

#include <memory>
#include <vector>

namespace lockscope::frameworks {

/// A file that could not be read, or that takes the place of another; the others were.
struct FileError {
    QString file; ///< "mine.json", or its path in the user's folder
    QString text; ///< "mine.json:12:5: …", a line for each fault
};

/// The frameworks whose locks are known. Immutable.
struct Catalogue {
    std::vector<FrameworkPtr> frameworks; ///< by name; of two with the same id the user's counts
    QList<FileError> errors;

    FrameworkPtr find(const QString& id) const; ///< null if there is none
};
using CataloguePtr = std::shared_ptr<const Catalogue>;

/// The built-in files and those of the user's folder, read when first asked for and shared from then on. Any
/// thread.
CataloguePtr catalogue();
/// Returns the folder for users' own files: LOCKSCOPE_FRAMEWORK_DIR, else "lockscope/frameworks" in the
/// user's data directory. Need not exist.
QString userFolder();
/// Built-in files and those of one folder, read now; an empty name: none. A file that is not a plain one of
/// this account or root, or that others may change, is not read: it says what is to be changed on servers.
Catalogue loadCatalogue(const QString& folder);

} // namespace lockscope::frameworks
