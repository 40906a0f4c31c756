// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringView>

#include <optional>

namespace lockscope::db {

/// Returns whether these are hexadecimal digits, one at least.
bool isHex(QStringView text);

/// "0:[nightly]:(ea53e177)": principal, the name's first 32 characters, hash of the whole name. The name may
/// itself hold "]", ":" and ")".
struct AppLockText {
    quint32 principal = 0; ///< database principal; 0 = public
    QString name;
    QString hash; ///< eight hexadecimal digits; empty if there are none

    /// The server shows no more than that of a name: it may go on.
    bool mayBeCut() const { return name.size() >= 32; }
    /// The name that a client gave begins like that. (A cut may have split a character of two units.)
    bool matches(QStringView fullName) const;
    bool operator==(const AppLockText&) const = default;
};
std::optional<AppLockText> parseAppLockText(QStringView description);

} // namespace lockscope::db
