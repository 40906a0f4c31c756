// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

#include <functional>

namespace lockscope::report {

/// Keeps a server's text from becoming a formula in somebody's spreadsheet: a text that begins with = + - @
/// (also in full width, also behind blanks), a tab or a line break gets an apostrophe before it, as OWASP
/// advises ("CSV Injection"). Numbers stay numbers.
QString spreadsheetSafe(const QString& text);
/// A cell as RFC 4180 has it, quoted where needed, and spreadsheetSafe().
QString csvCell(QString text);
/// A cell of a table of Markdown: nothing in it can format, link or end it.
QString markdownCell(QString text);
/// Text of others as a part of HTML: no tags, and nothing in it deceives who reads it; line ends stay.
QString htmlText(const QString& text);

/// Each character that steersCode(), of one or two units, becomes what `by` makes of it.
QString steeringReplaced(const QString& text, const std::function<QString(QStringView)>& by);
/// A piece of JSON in which those characters are escaped: it can be printed to a terminal.
QByteArray harmlessJson(const QByteArray& json);

/// A page of HTML up to its heading, which is its title. It loads nothing and runs nothing.
QByteArray htmlPageHead(const QString& title);
/// The end of the page; `note` is HTML.
QByteArray htmlPageEnd(const QByteArray& note);

} // namespace lockscope::report
