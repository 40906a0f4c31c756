// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/monitor/ServerMonitor.h"
#include "core/record/RecordedLock.h"
#include "ui/views/page/Actions.h"
#include "ui/views/page/AppContext.h"

#include <QWidget>

#include <functional>

class QAbstractButton;
class QAction;
class QMenu;

namespace lockscope::ui {

/// Names a page, also before it is made. `id` is stable ("locks"): settings keys and --page use it.
/// `title` is what the user reads.
struct PageName {
    QString id;
    QString title;
};

/// One view of the server. The window gives it snapshots and the health; it asks for everything else by
/// signal. A page never waits for a server and never opens a connection.
class Page : public QWidget {
    Q_OBJECT

public:
    Page(const PageName& name, AppContext& context, QWidget* parent = nullptr);

    const QString& id() const { return m_name.id; }
    const QString& title() const { return m_name.title; }
    AppContext& context() const { return m_context; }

    /// Never resets anything: selection, scroll position and expanded nodes survive. Null = no server is
    /// shown any more: the page empties itself.
    virtual void showSnapshot(const SnapshotPtr& snapshot) = 0;
    /// `dataAge` is how old the newest rows are. With `Failed` and `Silent` the page says so and greys out;
    /// it keeps its rows.
    virtual void showHealth(
        monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) = 0;

    /// Returns why there is no filter box; empty if there is one.
    virtual QString reasonAgainstFilter() const { return {}; }
    /// Puts the cursor into the filter box, if there is one (Ctrl+F).
    virtual void focusFilter() { }
    /// Sets its text as if the user had typed it; used by openPage and --filter.
    virtual void setFilter(const QString&) { }
    /// Asks for a file and writes the rows on view (Ctrl+Shift+E).
    virtual void exportCsv();
    virtual bool canExportCsv() const { return false; }
    /// Writes them there; emits a status message.
    void writeCsv(const QString& path);
    /// Selects and scrolls to what that names, if this page shows it.
    virtual bool reveal(const DetailSubject&) { return false; }
    /// Then no row is acted on by the next key.
    virtual void selectNothing() { }
    /// "118 of 118 rows, 12 internal ones hidden" for the status bar; empty if nothing is counted.
    virtual QString countText() const { return {}; }
    /// False: nothing is selected here that the detail pane could explain; the page gets its space.
    virtual bool hasDetail() const { return true; }
    /// False: what it shows at present stands there without a server, too.
    virtual bool needsServer() const { return true; }
    /// The columns, sort order and splitters, under "pages/<id>" of the settings. Restored by the
    /// constructor.
    virtual void saveLayout() { }
    /// True while something that was begun here has sessions of its own on a server.
    virtual bool isRunning() const { return false; }
    /// Ends it; `stopped` is emitted once that is done.
    virtual void stop() { }

Q_SIGNALS:
    void selectionDetail(const lockscope::ui::DetailSubject& subject);
    /// Enter or double click: show the detail pane if it is collapsed.
    void detailRequested();
    void requestAct(const lockscope::ui::Action& action);
    void openPage(const QString& id, const QString& filter);
    /// Requests another page, with this selected there.
    void showSubject(const QString& id, const lockscope::ui::DetailSubject& subject);
    /// Requests the recorded history of a lock or a session.
    void historyRequested(const lockscope::record::BiographySubject& subject);
    void countTextChanged();
    /// Emitted for the status line: "3 rows copied."
    void statusMessage(const QString& text);
    /// Emitted when nothing runs any more, and nothing is left on the server.
    void stopped();

protected:
    struct Csv {
        QString text;
        int rows = 0;
    };
    /// The rows on view.
    virtual Csv csv() const { return {}; }

private:
    const PageName m_name;
    AppContext& m_context;
};

/// Returns true if so far nothing newer than the rows on view is known: they may be over by now.
inline bool isDataOld(monitor::Health health)
{
    return health == monitor::Health::Failed || health == monitor::Health::Silent;
}

/// Enables a button unless there is a reason against it, which becomes its tooltip then. Otherwise that is
/// `tip`: without one, what addActButton was given for it.
void setReason(QAbstractButton* button, const QString& reasonAgainst, const QString& tip = {});
/// Adds an entry to the menu of a row. With a reason against it, it is grey and says so.
QAction* addEntry(QMenu& menu, Page& page, const QString& text, const QString& reasonAgainst,
    const std::function<void()>& chosen);
/// Adds one that presses a button, and is grey for the same reason.
void addEntry(QMenu& menu, QAbstractButton& button);

} // namespace lockscope::ui
