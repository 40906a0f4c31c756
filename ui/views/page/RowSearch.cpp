// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/RowSearch.h"

#include "core/domain/WaitTargets.h"
#include "core/monitor/LockedRow.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/CloseWithPresent.h"
#include "ui/views/page/LockedRowDialog.h"
#include "ui/views/page/Page.h"

#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

void addRowSearch(QMenu& menu, Page& page, const Snapshot& snapshot, const LockRequest& request)
{
    AppContext& context = page.context();
    const Resource* target =
        request.isWaiting() ? WaitTargets(snapshot).of(request) : &snapshot.resourceOf(request);
    if (!target || !context.server() || !monitor::hasLockedRow(snapshot.engine, *target))
        return;
    QAction* find = menu.addAction(u"Find the row behind this lock…"_s);
    find->setEnabled(context.reasonAgainstAsking().isEmpty());
    find->setToolTip(context.reasonAgainstAsking());
    menu.setToolTipsVisible(true);
    QObject::connect(find, &QAction::triggered, &page, [&page, &context, resource = *target] {
        if (!context.server() || !context.reasonAgainstAsking().isEmpty())
            return;
        auto* dialog = new LockedRowDialog(*context.server(), resource, &page);
        // It would read on a server that nobody sees any more.
        closeWithPresent(*dialog, context);
        dialog->open();
    });
    menu.addSeparator();
}

} // namespace lockscope::ui
