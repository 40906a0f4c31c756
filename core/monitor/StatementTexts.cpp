// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/StatementTexts.h"

#include <algorithm>

namespace lockscope::monitor {

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
        m_wanted.push_back(handle);
    entry.used = m_poll;
    return nullptr;
}

std::vector<QString> StatementTexts::toFetch(size_t count)
{
    std::vector<QString> handles;
    for (const QString& handle : m_wanted) {
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
    m_wanted.clear();
    ++m_poll;
    if (m_entries.size() <= mostTexts)
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
