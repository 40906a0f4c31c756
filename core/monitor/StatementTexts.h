// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>
#include <QSet>
#include <QString>

#include <vector>

namespace lockscope::monitor {

/// Statement texts by the server's handles for them: each is fetched once, because a handle never changes its
/// meaning. Forgets what was not asked for longest when it grows too large. Poll thread only.
class StatementTexts {
public:
    /// Null as long as it is not known; then it is on the list of those to fetch.
    const QString* find(const QString& handle);
    /// Up to `count` handles to fetch now. Whatever the server answers, they are not listed again soon.
    std::vector<QString> toFetch(size_t count);
    void set(const QString& handle, const QString& text);
    /// Once per poll, after it.
    void endPoll();

    /// The part of a batch that runs: offsets as sys.dm_exec_requests gives them, in bytes of UTF-16; an end
    /// below 0 is the end of the text. Whatever the offsets, the answer is a part of the text.
    static QString statementIn(const QString& text, qint64 start, qint64 end);

private:
    struct Entry {
        QString text;
        quint64 used = 0; ///< number of the poll
        bool known = false;
    };
    static constexpr qsizetype mostTexts = 2'000;
    static constexpr quint64 askAgainAfter = 30; ///< polls, for handles that the server has not answered

    QHash<QString, Entry> m_entries;
    QHash<QString, quint64> m_asked;
    std::vector<QString> m_wanted;
    quint64 m_poll = 1;
};

} // namespace lockscope::monitor
