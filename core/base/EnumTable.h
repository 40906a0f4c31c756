// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Sentences.h"

#include <QStringList>
#include <QStringView>

#include <array>
#include <optional>
#include <string_view>

namespace lockscope {

/// Returns whether the value of an enum has a name there, by the words that the compiler has for it:
/// "… = Kind::Row]" or "… = (Kind)7]".
template <auto value> constexpr bool isEnumerator()
{
    const std::string_view words = __PRETTY_FUNCTION__;
    return words[words.find_last_not_of("0123456789]")] != ')';
}

template <class E, std::size_t first = 0> constexpr std::size_t countEnumerators()
{
    if constexpr (isEnumerator<E(first)>())
        return countEnumerators<E, first + 1>();
    else
        return first;
}
/// The number of the values of an enum, which has them from 0 on without a gap.
template <class E> inline constexpr std::size_t enumeratorCount = countEnumerators<E>();

/// All values of such an enum, in their order.
template <class E>
inline constexpr auto enumerators = [] {
    std::array<E, enumeratorCount<E>> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = E(i);
    return all;
}();

/// Returns the value of such an enum that has this name by `toName`.
template <class E> std::optional<E> enumeratorNamed(const QString& name, QString (*toName)(E))
{
    for (const E each : enumerators<E>)
        if (toName(each) == name)
            return each;
    return std::nullopt;
}

/// A table of what differs from one value of an enum to another, in their order. It compiles only if it is
/// complete.
template <class E, class T = QStringView> class EnumTable {
public:
    template <std::size_t count>
    requires(count == enumeratorCount<E>) explicit constexpr EnumTable(const T (&values)[count])
        : m_values(std::to_array(values))
    {
    }

    constexpr const T& operator[](E value) const { return m_values[std::size_t(value)]; }
    /// Returns a table of texts as a list.
    QStringList list() const { return textOfEach(m_values, &T::toString); }

private:
    std::array<T, enumeratorCount<E>> m_values;
};

} // namespace lockscope
