// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/SnapshotBuilder.h"
#include "ui/views/page/AppContext.h"

#include <QSettings>
#include <QSize>
#include <QTemporaryDir>

namespace lockscope::test {

/// The surroundings that pages and models of the window need, with settings of its own and a clock that the
/// test moves.
struct Desk {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat};
    std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
    ui::AppContext context{settings, nullptr, [this] { return now; }};

    template <class Shown> void show(Shown& shown, SnapshotBuilder builder)
    {
        const SnapshotPtr snapshot = builder.take();
        context.noteSnapshot(*snapshot);
        shown.showSnapshot(snapshot);
    }
};

/// A desk with one page, which is on view.
template <class ShownPage> struct PageDesk : Desk {
    explicit PageDesk(QSize size = {})
        : page(context)
    {
        if (size.isValid())
            page.resize(size);
        page.show();
    }
    using Desk::show;
    void show(const SnapshotBuilder& builder) { Desk::show(page, builder); }

    ShownPage page;
};

} // namespace lockscope::test
