// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/ColumnInfo.h"

#include "core/base/Sentences.h"

#include <algorithm>
#include <utility>

namespace lockscope::ui {

namespace {

constexpr QLatin1Char quote('"');

/// Splits at blanks outside quotes; the quotes themselves go, but for one that stands there twice.
QStringList wordsOf(const QString& text)
{
    QStringList result;
    QString word;
    bool quoted = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (c == quote && quoted && i + 1 < text.size() && text[i + 1] == quote) {
            word += text[++i];
        } else if (c == quote) {
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

/// Returns the beginning of a term for exactly one value.
QString startOf(const QString& column, bool excluded)
{
    return (excluded ? QStringLiteral("-") : QString()) + column + QStringLiteral(":=");
}

/// Undoes wordsOf().
QString joined(QStringList words)
{
    for (QString& word : words) {
        if (std::any_of(word.cbegin(), word.cend(), [](QChar c) { return c.isSpace() || c == quote; }))
            word = RowFilter::quoted(word);
    }
    return words.join(QLatin1Char(' '));
}

/// True if it reads like a column: no time, no "schema::type", no address.
bool looksLikeAColumn(const QString& prefix, const QString& rest)
{
    const bool isWord = std::all_of(
        prefix.cbegin(), prefix.cend(), [](QChar c) { return c.isLetter() || c == QLatin1Char('-'); });
    return isWord && !rest.startsWith(QLatin1Char(':')) && !rest.startsWith(QLatin1Char('/'));
}

} // namespace

RowFilter RowFilter::parse(const QString& text, const std::function<QString(const QString&)>& columnOf)
{
    RowFilter filter;
    for (const QString& word : wordsOf(text)) {
        const qsizetype colon = word.indexOf(QLatin1Char(':'));
        const bool excluded = word.size() > 1 && word.startsWith(QLatin1Char('-'));
        const QString prefix = colon > 0 ? word.left(colon).sliced(excluded ? 1 : 0) : QString();
        const QString column = prefix.isEmpty() ? QString() : columnOf(prefix);
        const QString rest = word.mid(colon + 1);
        if (column.isEmpty()) {
            if (!prefix.isEmpty() && looksLikeAColumn(prefix, rest))
                filter.m_unknownColumns << prefix;
            filter.m_terms << Term{.needle = word};
        } else if (const bool whole = rest.startsWith(QLatin1Char('=')); !rest.isEmpty()) {
            filter.m_terms << Term{
                .column = column, .needle = rest.sliced(whole ? 1 : 0), .whole = whole, .excluded = excluded};
        }
    }
    return filter;
}

QString RowFilter::quoted(const QString& word)
{
    return quote + QString(word).replace(quote, QStringLiteral("\"\"")) + quote;
}

bool RowFilter::has(const QString& text, const QString& column, const QString& value)
{
    return wordsOf(text).contains(startOf(column, false) + value);
}

QString RowFilter::without(const QString& text, const QString& column, bool excluded)
{
    QStringList all = wordsOf(text);
    all.removeIf([start = startOf(column, excluded)](const QString& word) { return word.startsWith(start); });
    return joined(all);
}

QString RowFilter::with(const QString& text, const QString& column, const QString& value, bool excluded)
{
    const QString start = startOf(column, excluded);
    const QString term = start + value;
    QStringList all;
    for (const QString& word : wordsOf(text)) {
        // Several values of one column may be hidden; only one can be all there is.
        if (word == term || (!excluded && word.startsWith(start)))
            continue;
        all << word;
    }
    return joined(all << term);
}

QVariant headerOf(const ColumnInfo& column, int role)
{
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.tip.isEmpty() ? QVariant() : column.tip;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<Qt::Alignment>(
            (column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::InitialSortOrderRole: // who sorts numbers looks for the greatest
        return column.number ? Qt::DescendingOrder : Qt::AscendingOrder;
    default:
        return {};
    }
}

int columnOf(const std::vector<ColumnInfo>& columns, const QString& id)
{
    const auto found = std::ranges::find(columns, id, &ColumnInfo::id);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

QString columnNamed(const std::vector<ColumnInfo>& columns, const QString& prefix)
{
    const auto plain = [](QString text) { return text.remove(QLatin1Char(' ')).toCaseFolded(); };
    const QString requested = plain(prefix);
    for (const ColumnInfo& column : columns)
        if (plain(column.id) == requested || plain(column.title) == requested)
            return column.id;
    return {};
}

QString unknownColumnText(const RowFilter& filter, const std::vector<ColumnInfo>& columns)
{
    if (filter.unknownColumns().isEmpty())
        return {};
    return QStringLiteral("There is no column “%1” here: it is looked for as a word. Columns: %2.")
        .arg(
            filter.unknownColumns().first(), textOfEach(columns, &ColumnInfo::id).join(QStringLiteral(", ")));
}

namespace {

/// True if an item of the list is the needle, or else has a word that begins with it: "eu" is not in "neu".
bool hasInList(const QString& list, const RowFilter::Term& term)
{
    return std::ranges::any_of(list.split(QLatin1Char(',')), [&term](const QString& each) {
        const QString item = each.trimmed();
        if (term.whole)
            return item.compare(term.needle, Qt::CaseInsensitive) == 0;
        qsizetype at = item.indexOf(term.needle, 0, Qt::CaseInsensitive);
        while (at > 0 && item[at - 1].isLetterOrNumber())
            at = item.indexOf(term.needle, at + 1, Qt::CaseInsensitive);
        return at >= 0;
    });
}

} // namespace

bool matches(const RowFilter& filter, const std::vector<ColumnInfo>& columns, const QList<int>& visible,
    const std::function<QString(int)>& text)
{
    return std::ranges::all_of(filter.terms(), [&](const RowFilter::Term& term) {
        const auto has = [&](int column) {
            const QString value = text(column);
            if (columns[static_cast<size_t>(column)].isList && !term.column.isEmpty())
                return hasInList(value, term);
            return term.whole ? value.compare(term.needle, Qt::CaseInsensitive) == 0
                              : value.contains(term.needle, Qt::CaseInsensitive);
        };
        const bool found = term.column.isEmpty()
            ? std::ranges::any_of(
                visible, [&](int column) { return !columns[static_cast<size_t>(column)].age && has(column); })
            : has(columnOf(columns, term.column));
        return found != term.excluded;
    });
}

} // namespace lockscope::ui
