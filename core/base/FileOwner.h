// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

struct stat;

namespace lockscope {

// Whether other accounts can change what lies in a place.

/// This account's or root's.
bool isOurs(const struct stat& file);
/// Returns whether another account may write there. A group counts as others, unless it is this account's own
/// and has no other members.
bool othersMayWrite(const struct stat& file);
/// Returns whether another account may do anything with what is private. Each group counts as others: whoever
/// joins it later could read what was written before.
bool othersMayUse(const struct stat& file);

/// A folder on the way to a place by which others could put something else there.
struct UnsafeStep {
    enum class Why {
        Unreachable, ///< errno tells why
        Strangers, ///< it belongs to another account
        Open, ///< others may write to it
    };
    QString folder;
    Why why = Why::Unreachable;
};
/// The first of them from the root on; nothing if there is none. `folder`: absolute, without links. Blocks
/// for the disk.
std::optional<UnsafeStep> unsafeStep(const QString& folder);
/// Each folder on the way, from the root on: "/", "/home", "/home/ann".
QStringList stepsOf(const QString& folder);

} // namespace lockscope
