// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/StatementTexts.h"

#include <algorithm>

namespace lockscope::monitor {

namespace {

/// Half of what details/statement_text reads: so much of a statement is there at least, wherever it begins.
constexpr qint64 pieceStep = 16'384;

} // namespace

QString StatementTexts::pieceOf(const QString& handle, qint64 start)
{
    const qint64 first = std::max<qint64>(start, 0) / 2 / pieceStep * pieceStep;
    return first == 0 || handle.isEmpty() ? handle : handle + QLatin1Char('@') + QString::number(first);
}

StatementTexts::Piece StatementTexts::partsOf(const QString& piece)
{
    const qsizetype at = piece.indexOf(QLatin1Char('@'));
    return at < 0 ? Piece{piece, 0} : Piece{piece.left(at), piece.mid(at + 1).toLongLong()};
}

const QString* StatementTexts::find(const QString& handle)
{
    if (handle.isEmpty())
        return nullptr;
    Entry& entry = m_entries[handle];
    if (entry.known) {
        entry.used = m_poll;
        return &entry.text;
    }
    if (entry.used != m_poll)
        m_unknownHandles.push_back(handle);
    entry.used = m_poll;
    return nullptr;
}

std::vector<QString> StatementTexts::toFetch(size_t count)
{
    std::vector<QString> handles;
    for (const QString& handle : m_unknownHandles) {
        if (handles.size() == count)
            break;
        const auto asked = m_asked.constFind(handle);
        if (asked != m_asked.cend() && m_poll - *asked < askAgainAfter)
            continue;
        m_asked.insert(handle, m_poll);
        handles.push_back(handle);
    }
    return handles;
}

void StatementTexts::set(const QString& handle, const QString& text)
{
    m_entries.insert(handle, {text, m_poll, true});
    m_asked.remove(handle);
}

void StatementTexts::endPoll()
{
    m_unknownHandles.clear();
    ++m_poll;
    if (m_entries.size() <= maxTexts)
        return;
    std::vector<quint64> ages;
    for (const Entry& entry : std::as_const(m_entries))
        ages.push_back(entry.used);
    const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
    std::nth_element(ages.begin(), middle, ages.end());
    const quint64 oldest = *middle;
    m_entries.removeIf([oldest](const auto& entry) { return entry.value().used < oldest; });
    m_asked.removeIf([this](const auto& asked) { return !m_entries.contains(asked.key()); });
}

QString StatementTexts::statementIn(const QString& text, qint64 start, qint64 end)
{
    const qint64 first = std::clamp<qint64>(start / 2, 0, text.size());
    // The end is the offset of the last character, not of what follows it.
    const qint64 last = end < 0 ? text.size() : std::clamp<qint64>(end / 2 + 1, first, text.size());
    return text.mid(first, last - first).trimmed();
}

} // namespace lockscope::monitor
