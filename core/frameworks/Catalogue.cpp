// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Catalogue.h"

#include <algorithm>

namespace lockscope::frameworks {

FrameworkPtr Catalogue::find(const QString& id) const
{
    const auto found = std::find_if(frameworks.begin(), frameworks.end(),
        [&id](const FrameworkPtr& framework) { return framework->id == id; });
    return found == frameworks.end() ? nullptr : *found;
}

} // namespace lockscope::frameworks
