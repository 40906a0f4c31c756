// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

#include <functional>
#include <string>
#include <vector>

namespace lockscope::test {

/// A program on a terminal of its own (a pseudo-terminal), and what somebody in front of it sees.
class Terminal {
public:
    /// `environment`: "NAME=value", besides our own.
    Terminal(const QString& program, const QStringList& arguments, const QStringList& environment,
        int columns = 80, int rows = 24);
    ~Terminal(); ///< kills what still runs
    Q_DISABLE_COPY_MOVE(Terminal)

    void type(const QByteArray& keys);
    void resize(int columns, int rows);
    /// Reads the program's output until the screen is as required; false after 20 seconds.
    bool waitUntil(const std::function<bool()>& isAsRequested);
    bool shows(const QString& text) const { return screen().join(u'\n').contains(text); }
    bool waitUntilShown(const QString& text)
    {
        return waitUntil([&] { return shows(text); });
    }
    QStringList screen() const; ///< without blanks at the ends of lines
    bool isCursorShown() const { return m_isCursorShown; }
    bool echoesAndWaitsForLines() const; ///< as a shell leaves it

    int processId() const { return m_process; }
    bool hasEnded();
    /// The exit code, or minus the signal that ended it.
    int waitForEnd();

private:
    bool readSome(); ///< false: nothing came for a while
    void put(char32_t character);
    void obey(const QByteArray& sequence); ///< "[2J", without the escape

    int m_descriptor = -1;
    int m_process = -1;
    std::vector<std::u32string> m_rows;
    QByteArray m_kept; ///< the beginning of a character or sequence
    int m_column = 0;
    int m_row = 0;
    int m_columns;
    bool m_isCursorShown = true;
    bool m_hasEnded = false;
    int m_status = 0;
};

} // namespace lockscope::test
