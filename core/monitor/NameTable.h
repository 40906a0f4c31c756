// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>
#include <QSet>
#include <QStringList>

#include <chrono>
#include <optional>
#include <vector>

namespace lockscope::monitor {

/// Keeps the server's answers about keys: each is requested once when first met, and again from time to time
/// while in use, because names change. Poll thread only.
template <class Key, class Value = QString> class NameTable {
public:
    using Clock = std::chrono::steady_clock;

    /// Returns null as long as nothing is known.
    const Value* find(const Key& key)
    {
        const auto entry = m_entries.find(key);
        if (entry == m_entries.end())
            return nullptr;
        entry->used = true;
        return entry->value ? &*entry->value : nullptr;
    }
    bool wasAsked(const Key& key) const { return m_entries.contains(key); }
    void set(const Key& key, Value value) { m_entries[key].value = std::move(value); }

    /// Returns those of `requested` that were never requested; they count as requested now.
    std::vector<Key> firstAsked(const QSet<Key>& requested)
    {
        std::vector<Key> keys;
        for (const Key& key : requested) {
            if (m_entries.contains(key))
                continue;
            m_entries.insert(key, {std::nullopt, Clock::now(), true});
            keys.push_back(key);
        }
        return keys;
    }

    /// Returns those to ask again now, not too many at once. Forgets names that nobody has used since they
    /// were requested.
    std::vector<Key> askedAgain()
    {
        std::vector<Key> keys;
        const auto now = Clock::now();
        for (auto entry = m_entries.begin(); entry != m_entries.end();) {
            const auto keep = entry->value ? keepKnown : keepUnknown;
            const bool isNextTime = entry->used && keys.size() >= maxAtOnce;
            if (now - entry->asked < keep || isNextTime) {
                ++entry;
            } else if (!entry->used) {
                entry = m_entries.erase(entry);
            } else {
                entry->asked = now;
                entry->used = false;
                keys.push_back(entry.key());
                ++entry;
            }
        }
        return keys;
    }

private:
    static constexpr std::chrono::seconds keepKnown{30};
    static constexpr std::chrono::seconds keepUnknown{2};
    static constexpr size_t maxAtOnce = 1'000; // a hundred thousand would make every other poll a slow one

    struct Entry {
        std::optional<Value> value;
        typename Clock::time_point asked;
        bool used = true;
    };
    QHash<Key, Entry> m_entries;
};

} // namespace lockscope::monitor
