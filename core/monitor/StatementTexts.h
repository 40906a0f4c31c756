// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>
#include <QSet>
#include <QString>

#include <vector>

namespace lockscope::monitor {

/// Statement texts by the server's handles for them: each is fetched once, because a handle never changes its
/// meaning. Of a long text it is the piece in which the statement begins, known by a handle of its own: see
/// pieceOf(). Forgets what was not asked for longest when it grows too large. Poll thread only.
class StatementTexts {
public:
    /// Returns null as long as it is not known; then it is on the list of those to fetch.
    const QString* find(const QString& handle);
    /// Returns up to `count` handles to fetch now. Whatever the server answers, they are not listed again
    /// soon.
    std::vector<QString> toFetch(size_t count);
    void set(const QString& handle, const QString& text);
    /// To be called once per poll, after it.
    void endPoll();

    /// The handle of the piece of a text in which a statement begins, `start` bytes of UTF-16 from its
    /// beginning: "HANDLE", or "HANDLE@FIRST", FIRST being the number of characters before the piece.
    static QString pieceOf(const QString& handle, qint64 start);
    struct Piece {
        QString handle; ///< of the whole text
        qint64 first = 0; ///< characters before it
    };
    static Piece partsOf(const QString& piece);

    /// The part of a batch that runs: offsets as sys.dm_exec_requests gives them, in bytes of UTF-16; an end
    /// below 0 is the end of the text. Whatever the offsets, the answer is a part of the text.
    static QString statementIn(const QString& text, qint64 start, qint64 end);

private:
    struct Entry {
        QString text;
        quint64 used = 0; ///< number of the poll
        bool known = false;
    };
    static constexpr qsizetype maxTexts = 2'000;
    static constexpr quint64 askAgainAfter = 30; ///< polls, for handles that the server has not answered

    QHash<QString, Entry> m_entries;
    QHash<QString, quint64> m_asked;
    std::vector<QString> m_unknownHandles;
    quint64 m_poll = 1;
};

} // namespace lockscope::monitor
