// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/FrameworkMatch.h"

#include <QString>

namespace lockscope {

/// A table that looks like a framework's and is not read by itself: to read a table or a view that belongs to
/// somebody else can run that person's code (policies, rules, functions of a view) with our rights.
struct UnreadTable {
    FrameworkMatchPtr framework; ///< the framework that it seems to belong to
    QString schema; ///< empty where the engine has none
    QString table;
    QString owner; ///< the role that it belongs to
    QString reason; ///< "It belongs to app, whose rights are not those of an administrator."
    bool canBeApproved = true; ///< false: row security would hide rows, and no approval changes that

    QString display() const { return schema.isEmpty() ? table : schema + u'.' + table; }
    bool operator==(const UnreadTable&) const = default;
};

} // namespace lockscope
