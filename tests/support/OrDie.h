// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <tl/expected.hpp>

#include <type_traits>
#include <utility>

namespace lockscope::test {

/// Returns the value of a result without which a test can't go on. An error ends the program with its text.
template <class T, class E> T orDie(tl::expected<T, E> result)
{
    if (!result) {
        if constexpr (requires { result.error().toString(); })
            qFatal("%s", qPrintable(result.error().toString()));
        else // a file's faults
            qFatal("%s", qPrintable(result.error().front().toString()));
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace lockscope::test
