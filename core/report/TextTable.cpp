// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Writer.h"

#include "core/base/Sentences.h"

#include <algorithm>

namespace lockscope::report {

using namespace Qt::StringLiterals;

namespace {

constexpr int gap = 2;
constexpr int narrowest = 8;

bool isWide(char32_t c)
{
    // The blocks of East Asian wide characters and emoji.
    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3)
        || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60)
        || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

int widthOf(char32_t c)
{
    switch (QChar::category(c)) {
    case QChar::Mark_NonSpacing:
    case QChar::Mark_Enclosing:
    case QChar::Other_Format:
        return 0;
    default:
        return isWide(c) ? 2 : 1;
    }
}

} // namespace

int displayWidth(const QString& text)
{
    const bool plain = std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 0x300; });
    if (plain)
        return static_cast<int>(text.size());
    int width = 0;
    for (const char32_t c : text.toUcs4())
        width += widthOf(c);
    return width;
}

QString fitted(const QString& text, int width)
{
    if (displayWidth(text) <= width)
        return text;
    QString cut;
    int used = 0;
    for (const char32_t c : text.toUcs4()) {
        if (used + widthOf(c) > width - 1)
            break;
        used += widthOf(c);
        cut += QString::fromUcs4(&c, 1);
    }
    return width > 0 ? cut + u'…' : QString();
}

QStringList wrapped(const QString& text, int width)
{
    if (width <= 0)
        return {text};
    QStringList lines{QString()};
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        QString& line = lines.last();
        if (line.isEmpty())
            line = fitted(word, width);
        else if (displayWidth(line) + 1 + displayWidth(word) <= width)
            line += u' ' + word;
        else
            lines << fitted(word, width);
    }
    return lines;
}

QString toned(const QString& text, TextTone tone, bool colours)
{
    if (!colours || tone == TextTone::Plain)
        return text;
    const auto code = [tone] {
        switch (tone) {
        case TextTone::Bold:
            return u"1"_s;
        case TextTone::Dim:
            return u"2"_s;
        case TextTone::Warning:
            return u"33"_s;
        case TextTone::Alarm:
            return u"1;31"_s;
        case TextTone::Plain:
            break;
        }
        return u"0"_s;
    }();
    return u"\x1b["_s + code + u'm' + text + u"\x1b[0m"_s;
}

std::vector<int> TextTable::widths(int columns) const
{
    std::vector<int> widths;
    for (size_t i = 0; i < m_columns.size(); ++i) {
        int width = displayWidth(m_columns[i].title);
        for (const Row& row : m_rows)
            width = std::max(width, displayWidth(row.cells.value(static_cast<qsizetype>(i))));
        widths.push_back(width);
    }
    if (columns <= 0)
        return widths;
    int excess = gap * (static_cast<int>(widths.size()) - 1) - columns;
    for (const int width : widths)
        excess += width;
    while (excess > 0) {
        int* widest = nullptr;
        for (size_t i = 0; i < widths.size(); ++i) {
            if (m_columns[i].fit == Fit::Flexible && widths[i] > narrowest
                && (!widest || widths[i] > *widest))
                widest = &widths[i];
        }
        if (!widest)
            break;
        --*widest;
        --excess;
    }
    return widths;
}

QString TextTable::line(const QStringList& cells, const std::vector<int>& widths) const
{
    QString line;
    for (size_t i = 0; i < widths.size(); ++i) {
        const QString cell = fitted(cells.value(static_cast<qsizetype>(i)), widths[i]);
        const QString padding(widths[i] - displayWidth(cell), u' ');
        if (i > 0)
            line += QString(gap, u' ');
        line += m_columns[i].fit == Fit::Right ? padding + cell : cell + padding;
    }
    while (line.endsWith(u' '))
        line.chop(1);
    return line;
}

QStringList TextTable::lines(int columns, bool colours) const
{
    const std::vector<int> fittedWidths = widths(columns);
    const auto cut = [columns](const QString& text) { return columns > 0 ? fitted(text, columns) : text; };
    const QStringList titles = textOfEach(m_columns, &Column::title);
    QStringList lines{toned(cut(line(titles, fittedWidths)), TextTone::Bold, colours)};
    for (const Row& row : m_rows)
        lines << toned(cut(line(row.cells, fittedWidths)), row.tone, colours);
    return lines;
}

} // namespace lockscope::report
