// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <tl/expected.hpp>

#include <type_traits>
#include <utility>

namespace lockscope {

enum class ErrorKind {
    Connection, ///< no connection, or it was lost; a retry may help
    Login, ///< the server refused the credentials or the database
    Permission, ///< the role may not do this; `hint` names the GRANT
    MissingObject, ///< a table, function or schema is not there; `hint` names the remedy
    Timeout, ///< gave up waiting (lock, statement or connection timeout)
    Cancelled, ///< somebody on our side asked for it
    Deadlock, ///< the server chose this session as deadlock victim
    Duplicate, ///< unique violation
    Changed, ///< the target is not as it was shown any more; nothing was done
    Unsupported, ///< the engine lacks the feature; never mapped to something similar
    BadInput, ///< refused before it was sent
    ReadOnly, ///< refused because this program is in read-only mode
    Server, ///< any other error of the server
    Internal, ///< a defect of ours
};

/// An error value. Never contains a password: texts are scrubbed where they enter (db::scrubbed).
struct Error {
    ErrorKind kind = ErrorKind::Internal;
    QString what{}; ///< the failure, as a sentence: "Can't read the locks."
    QString server{}; ///< on which server, as shown to the user; empty if none was involved
    QString detail{}; ///< the server's or driver's own words
    QString hint{}; ///< the remedy; may be empty
    QString nativeCode{}; ///< SQLSTATE, SQLite code or SQL Server's error number, as text

    /// The server's own words, where it had some; else what failed.
    const QString& reason() const { return detail.isEmpty() ? what : detail; }
    /// All parts in one line, for status lines, logs and stderr.
    QString toString() const;
    bool operator==(const Error&) const = default;
};

template <class T> using Result = tl::expected<T, Error>;
using Failure = tl::unexpected<Error>;

/// `return failure(ErrorKind::BadInput, "…");`
Failure failure(ErrorKind kind, QString what, QString hint = {});
/// Returns `value`, or why `done` failed.
template <class Done, class T> Result<std::decay_t<T>> ifDone(const Result<Done>& done, T&& value)
{
    if (!done)
        return Failure(done.error());
    return std::forward<T>(value);
}
template <class Done> Result<void> ifDone(const Result<Done>& done)
{
    return done ? Result<void>() : Failure(done.error());
}

/// Says whether the value of a Result may be dropped: a lock would be released at once.
template <class Done>
constexpr bool mayBeDropped =
    std::is_void_v<typename Done::value_type> || std::is_copy_constructible_v<typename Done::value_type>;

} // namespace lockscope

/// Returns the error from the function around it if the Result is one: LOCKSCOPE_TRY(file.flush());
#define LOCKSCOPE_TRY(...)                                                                                   \
    do {                                                                                                     \
        auto lockscopeTried = (__VA_ARGS__);                                                                 \
        static_assert(::lockscope::mayBeDropped<decltype(lockscopeTried)>);                                  \
        if (!lockscopeTried)                                                                                 \
            return ::lockscope::Failure(std::move(lockscopeTried).error());                                  \
    } while (false)
/// The same, and puts the value into a new variable, or into one that is there:
/// LOCKSCOPE_TRY_GET(const auto pins, reader.pins());
#define LOCKSCOPE_TRY_GET(target, ...) LOCKSCOPE_TRY_GET_AT(__LINE__, target, __VA_ARGS__)
#define LOCKSCOPE_TRY_GET_AT(line, target, ...) LOCKSCOPE_TRY_GET_BY(line, target, __VA_ARGS__)
#define LOCKSCOPE_TRY_GET_BY(line, target, ...)                                                              \
    auto lockscopeTried##line = (__VA_ARGS__);                                                               \
    if (!lockscopeTried##line)                                                                               \
        return ::lockscope::Failure(std::move(lockscopeTried##line).error());                                \
    target = *std::move(lockscopeTried##line) // NOLINT(bugprone-macro-parentheses)
