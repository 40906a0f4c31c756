// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

namespace lockscope::ctl {

struct Key {
    enum class Name : quint8 { Character, Enter, Escape, Backspace, PageUp, PageDown, Up, Down, Home, End };
    Name name = Name::Character;
    char32_t character = 0; ///< of Character

    bool operator==(const Key&) const = default;
};

/// Makes keys of the bytes that a terminal sends: UTF-8 and the sequences of xterm, of the Linux console and
/// of vt100. Sequences it does not know are swallowed whole.
class TerminalKeyReader {
public:
    /// Returns the keys that the bytes complete. An incomplete UTF-8 character or escape sequence is kept
    /// until the rest arrives.
    QList<Key> keysOf(const QByteArray& bytes);
    /// Returns the kept Escape key once nothing has followed.
    QList<Key> keysAtRest();
    bool isWithin() const { return !m_kept.isEmpty(); }

private:
    QByteArray m_kept;
};

} // namespace lockscope::ctl
