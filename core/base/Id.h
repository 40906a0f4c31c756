// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHashFunctions>
#include <QtGlobal>

#include <compare>

namespace lockscope {

/// A number that means one thing: ids of different tags neither compare nor convert.
template <class Tag> struct Id {
    qint64 value = 0;

    constexpr auto operator<=>(const Id&) const = default;
    constexpr bool isValid() const { return value != 0; }
};

template <class Tag> size_t qHash(Id<Tag> id, size_t seed = 0) noexcept
{
    return ::qHash(id.value, seed);
}

/// The server's id of a session: PostgreSQL's backend pid, SQL Server's session_id. Session ids are reused;
/// only (SessionId, Session::started) names one session for good.
using SessionId = Id<struct SessionTag>;

} // namespace lockscope

template <class Tag> struct std::hash<lockscope::Id<Tag>> {
    size_t operator()(lockscope::Id<Tag> id) const noexcept { return std::hash<qint64>{}(id.value); }
};
