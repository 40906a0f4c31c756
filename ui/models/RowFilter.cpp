// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/RowFilter.h"

#include <QStringList>

namespace lockscope::ui {

namespace {

/// Splits at blanks outside quotes; the quotes themselves go.
QStringList words(const QString& text)
{
    QStringList result;
    QString word;
    bool quoted = false;
    for (const QChar c : text) {
        if (c == QLatin1Char('"')) {
            quoted = !quoted;
        } else if (c.isSpace() && !quoted) {
            if (!word.isEmpty())
                result << std::exchange(word, {});
        } else {
            word += c;
        }
    }
    if (!word.isEmpty())
        result << word;
    return result;
}

} // namespace

RowFilter RowFilter::parse(const QString& text, const std::function<QString(const QString&)>& columnOf)
{
    RowFilter filter;
    for (const QString& word : words(text)) {
        const qsizetype colon = word.indexOf(QLatin1Char(':'));
        const QString column = colon > 0 ? columnOf(word.left(colon)) : QString();
        if (column.isEmpty())
            filter.m_terms << Term{{}, word};
        else if (colon + 1 < word.size())
            filter.m_terms << Term{column, word.mid(colon + 1)};
    }
    return filter;
}

} // namespace lockscope::ui
