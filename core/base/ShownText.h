// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <string_view>

namespace lockscope {

/// Returns whether it moves the cursor, ends the line, turns the direction of writing, or is not to be seen:
/// controls, formats, line separators, fillers, variation selectors, tags. Numbers' signs in Arabic are seen.
bool steersCode(char32_t character);
/// One unit of UTF-16; halves of a pair do not.
bool steers(QChar character);

/// `text` of others so that it can't look like something else: line ends and tabs are spaces, and whatever
/// else steers is its code ("\u202e", "\U000e0041"). Everything that a person reads goes through this, the
/// models of tables by themselves (TableModel), lockctl's tables and lines by printable(). What programs read
/// (JSON) has the characters, escaped.
QString inOneLine(const QString& text);
/// The same of text in several lines, such as a tool tip or a statement: line ends stay.
QString inLines(const QString& text);

/// `text` as one word of a shell's command: "'it'\''s'".
QString shellWord(QString text);

/// Text that a server or a file holds, which need not be UTF-8 (a database in SQL_ASCII keeps any bytes).
/// Different bytes never become one text: each byte that is part of no character becomes U+FFFD, 'x' and its
/// two hex digits, "�xE9"; and so do those of a U+FFFD that was there before. Never a null string.
QString textFromUtf8(std::string_view bytes);

} // namespace lockscope
