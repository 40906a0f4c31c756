// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <variant>

namespace lockscope::record {

using Value = std::variant<std::monostate, qint64, QString, QByteArray>;

/// The storage of a recording: a file, or a team's history on a server. Queries have names, and each store
/// has its own SQL for them. One thread; calls block.
class Store {
public:
    virtual ~Store() = default;

    /// A row while it is being read; valid only inside the sink's call.
    class Row {
    public:
        virtual qint64 number(int column) const = 0;
        virtual QString text(int column) const = 0; ///< null string for NULL
        virtual QByteArray bytes(int column) const = 0;
        virtual bool isNull(int column) const = 0;

    protected:
        ~Row() = default;
    };
    /// Takes the rows; one that returns false ends the reading. It must not ask the store anything.
    class Sink : public std::function<bool(const Row&)> {
    public:
        Sink() = default;
        template <class Take>
        requires(std::is_void_v<std::invoke_result_t<Take&, const Row&>>) Sink(Take take)
            : function([take = std::move(take)](const Row& row) mutable {
                take(row);
                return true;
            })
        {
        }
        template <class Take>
        requires(std::is_same_v<std::invoke_result_t<Take&, const Row&>, bool>) Sink(Take take)
            : function(std::move(take))
        {
        }
    };

    /// `name`: of schema/recording/recording.sql, "recording/recording/span"; a history knows those of them
    /// that readers ask, and answers Unsupported to others. `each` may be empty.
    virtual Result<void> run(
        const char* name, std::initializer_list<Value> values = {}, const Sink& each = {}) = 0;
    /// Returns what `of` makes of the last row; `ifNone` if there is none.
    template <class T, class Of>
    Result<T> last(const char* name, std::initializer_list<Value> values, Of of, T ifNone = {})
    {
        LOCKSCOPE_TRY(run(name, values, [&](const Row& row) { ifNone = of(row); }));
        return ifNone;
    }
    /// Returns the first column of the last row.
    Result<qint64> number(const char* name, std::initializer_list<Value> values = {}, qint64 ifNone = 0)
    {
        return last(
            name, values, [](const Row& row) { return row.number(0); }, ifNone);
    }
    /// Returns what `of` makes of each row.
    template <class T, class Of>
    Result<QList<T>> all(const char* name, std::initializer_list<Value> values, Of of)
    {
        QList<T> list;
        LOCKSCOPE_TRY(run(name, values, [&](const Row& row) { list.append(of(row)); }));
        return list;
    }
    /// Notes that data which the store gave turns out to be damaged: a checksum is another one. The store
    /// itself knows when it can't read.
    virtual void noteDamage(const Error&) { }
    /// Queries up to endReading() see one state, where the store can do that; no other connection has to
    /// wait.
    virtual Result<void> beginReading() { return {}; }
    virtual void endReading() { }
    /// The number of texts worth reading at once, because a query costs more than its rows.
    virtual qint64 textsAtOnce() const { return 1; }
};

// A file may be somebody else's work: what is read of it at once is bounded.
inline constexpr qint64 maxLines = 100'000;
inline constexpr qint64 maxCharacters = 64 * 1024 * 1024;
inline constexpr qint64 maxFrames = 1'000; ///< after a key frame; a writer makes one much sooner
inline constexpr qint64 farthest = qint64(1) << 59; ///< microseconds: times beyond it can't be reckoned with
// The server's clock may go back by less without a gap.
inline constexpr microseconds clockTolerance = std::chrono::milliseconds(100);

/// BadInput: there are more `what` than that.
inline Failure tooMuch(const QString& what)
{
    return failure(ErrorKind::BadInput,
        QStringLiteral("There are more %1 in the recording than are read at once.").arg(what));
}

} // namespace lockscope::record
