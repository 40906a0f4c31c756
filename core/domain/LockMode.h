// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Engine.h"

#include <QList>

#include <span>

namespace lockscope {

/// One lock mode of one engine. Unknown modes keep their text and conflict with nothing that we would claim
/// to know.
///
/// Source of names, meanings and compatibility: "Transaction locking and row versioning guide"
/// (SQL Server documentation), chapter "Explicit Locking" (PostgreSQL documentation).
class LockMode {
public:
    LockMode() = default;

    /// `text` as the server reports it: "X", "RangeS-U", "Sch-M", "AccessExclusiveLock" …
    static LockMode fromText(Engine engine, QStringView text);
    /// SQL Server's 22 or PostgreSQL's 8 modes, weakest first; SQLite's lock tables know `Exclusive` only.
    static std::span<const LockMode> all(Engine engine);
    /// The mode of a lock-table entry: exclusive by nature.
    static LockMode exclusive(Engine engine);
    static LockMode shared(Engine engine); ///< unknown for SQLite: its lock tables can't share

    Engine engine() const { return m_engine; }
    bool isKnown() const { return m_code != unknownCode; }
    /// The engine's name for it: "IX", "RangeS-U", "AccessExclusiveLock".
    QString name() const;
    /// Readable at a glance: "Intent exclusive", "Access exclusive".
    QString title() const;
    /// One sentence in plain words: what may happen beside it and what takes it.
    QString meaning() const;

    /// True if both can be granted on one resource at once; symmetric, as both engines' tables are. Modes of
    /// different engines, unknown ones, and pairs that never meet on one resource (key-range with intent or
    /// schema modes) are reported compatible: we don't invent a conflict.
    bool compatibleWith(const LockMode& requested) const;
    /// The modes of the same engine that conflict with this one, for tooltips.
    QList<LockMode> conflicts() const;
    /// Orders by strength for display; unknown last.
    int strength() const { return m_code; }

    bool operator==(const LockMode&) const = default;

private:
    static constexpr quint8 unknownCode = 255;
    LockMode(Engine engine, quint8 code)
        : m_engine(engine)
        , m_code(code)
    {
    }

    Engine m_engine = Engine::SqlServer;
    quint8 m_code = unknownCode;
    QString m_unknown;
};

} // namespace lockscope
