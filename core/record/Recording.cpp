// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recording.h"

namespace lockscope::record {

QString eventKindName(Event::Kind kind)
{
    static constexpr QStringView names[] = {
        u"failure", u"gap", u"act", u"deadlock", u"alert", u"note", u"mark"};
    static_assert(std::size(names) == size_t(Event::Kind::Mark) + 1);
    return names[size_t(kind)].toString();
}

} // namespace lockscope::record
