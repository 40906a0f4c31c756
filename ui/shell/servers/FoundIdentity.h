// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/PostToThread.h"
#include "core/watch/ServerWatch.h"

#include <QPointer>

#include <functional>
#include <utility>

namespace lockscope::ui {

/// watch::identityOf(), or what a test has in its place.
using IdentityOf = std::function<record::Identity(const db::ServerProfile&)>;

/// Calls `found(context, identity)`: for a file later, unless `context` is gone by then, because its disk may
/// hang; it is found on a thread of its own. GUI thread.
template <class Context, class Found>
void findIdentity(
    Context& context, const db::ServerProfile& profile, const IdentityOf& identityOf, Found found)
{
    if (!profile.url.isFile())
        return found(context, identityOf(profile));
    const BackgroundThread finder(
        [to = QPointer(&context), profile, identityOf, found = std::move(found)](const std::stop_token&) {
            postTo(to, [found, identity = identityOf(profile)](Context& there) { found(there, identity); });
        });
}

} // namespace lockscope::ui
