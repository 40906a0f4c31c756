// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/profiles/FoundServers.h"

namespace lockscope::profiles {

/// One line of what an import will do: nothing is saved before somebody has seen it.
struct ImportItem {
    enum class Kind : quint8 {
        New,
        Changed, ///< a saved server of that name differs
        Skipped
    };
    Kind kind = Kind::New;
    QString name;
    db::ServerProfile profile{}; ///< as it will be saved; of Skipped: none
    QString why{}; ///< sentences: what changes, what is not taken, or why it is skipped
    bool operator==(const ImportItem&) const = default;
};

QString importKindName(ImportItem::Kind kind); ///< "new", "changed", "skipped"

/// Compares what was found with the saved servers. A changed one keeps what this user has allowed, unless its
/// address is another one.
QList<ImportItem> planImport(const QList<db::ServerProfile>& saved, const FoundServers& found);

} // namespace lockscope::profiles
