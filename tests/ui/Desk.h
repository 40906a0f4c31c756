// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/Files.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/page/AppContext.h"

#include <QtTest>

namespace lockscope::test {

/// Settings of its own, in a folder that is gone with the test.
struct OwnSettings {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat};

    /// Writes a file into the folder and returns its path.
    QString write(const QString& name, const QByteArray& content) const
    {
        return makeFile(folder.filePath(name), content);
    }
};

/// The surroundings that pages and models of the window need, with a clock that the test moves.
struct Desk : OwnSettings {
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

/// A shop in trouble: 51 forgot to commit, two wait behind it, a job's lock is stale.
inline SnapshotBuilder shop(int later = 0)
{
    SnapshotBuilder s(later);
    s.session(51, "billing")
        .user("anna")
        .idleInTransaction(372 + later)
        .running("UPDATE orders SET state = 'paid'\nWHERE id = 4711");
    s.session(63, "web")
        .user("shop", "web03")
        .transaction(41 + later)
        .running("UPDATE orders SET note = $1 WHERE id = 4711");
    s.session(70, "report").user("ben").transaction(12 + later).running("SELECT * FROM orders FOR UPDATE");
    s.session(80, "web").idle().running("COMMIT");
    s.session(12, "lockscope monitor").own();
    s.session(3, "checkpointer").system();
    s.holds(51, "public.orders", "RowExclusiveLock", 372 + later);
    s.holds(51, "9/114", "ExclusiveLock", 372 + later, false, ResourceKind::VirtualTransaction);
    s.waits(63, "public.orders", "AccessExclusiveLock", 41 + later);
    s.waits(70, "public.orders", "RowExclusiveLock", 12 + later);
    s.holds(70, "app lock 'report'", "ExclusiveLock", 12 + later, true, ResourceKind::ApplicationLock);
    s.entry("best-sellers", "www").lease(600, 95 + later);
    s.entry("nightly-export", "ann")
        .lease(600, 1210 + later)
        .queue("bob", 65 + later)
        .queue("carol", 8 + later);
    s.entry("customers/4711", "phone-17").lease(300, 20 + later);
    return s;
}

inline int rowOf(const ui::TableView& view, const QString& columnId, const QString& text)
{
    const int at = view.tableModel().columnOf(columnId);
    return static_cast<int>(column(view.tableModel(), at).indexOf(text));
}

/// Gives the view the focus, as for a user who presses keys in it.
inline void focus(ui::TableView& view)
{
    view.window()->show();
    view.setFocus();
    QTRY_VERIFY(view.hasFocus());
}

} // namespace lockscope::test
