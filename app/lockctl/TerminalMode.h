// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace lockscope::ctl
