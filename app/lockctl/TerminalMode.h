// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QtGlobal>

namespace lockscope::ctl {

/// A terminal for a picture that is drawn in place: without cursor and, if standard input is the same
/// terminal, with keys that arrive one by one and are not echoed. It is as before when this is destroyed,
/// when a signal ends the process (a crash too), and while the process is stopped (Ctrl+Z). Ctrl+C stays a
/// signal. One at a time.
class TerminalMode {
public:
    /// `inPlace` false: nothing is changed, and there are no keys.
    explicit TerminalMode(bool inPlace);
    ~TerminalMode();
    Q_DISABLE_COPY_MOVE(TerminalMode)

    /// Standard input is a terminal: keys can be read from it.
    bool hasKeys() const { return m_hasKeys; }
    /// Becomes readable when the process was continued after a stop, or the terminal has another size: the
    /// picture is to be drawn again. -1: never.
    int redrawDescriptor() const;

    /// Restores the former mode. Only what may be done in a signal handler; any number of times.
    static void restore();

private:
    bool m_isOn;
    bool m_hasKeys = false;
};

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
