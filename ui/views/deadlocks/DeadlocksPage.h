// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/deadlock/ReadReports.h"
#include "ui/views/deadlocks/DeadlockList.h"
#include "ui/views/deadlocks/SourceLine.h"
#include "ui/views/page/TablePage.h"

#include <QHash>

class QPushButton;
class QStackedWidget;
class QToolButton;

namespace lockscope::ui {

class DeadlockExportButton;
class DeadlockView;
class FamiliesView;
class ProofPanel;

/// "deadlocks": those of files that were opened, and those that are seen on the servers that are watched,
/// whether or not they or this page are on view. They stay until the page is cleared. At a past time: those
/// that were there by then.
class DeadlocksPage : public TablePage {
    Q_OBJECT

public:
    explicit DeadlocksPage(AppContext& context, QWidget* parent = nullptr);

    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    bool hasDetail() const override { return false; }
    bool needsServer() const override { return m_list.isEmpty() && !m_wasOpened && context().hasServer(); }
    void focusFilter() override;
    void saveLayout() override;
    /// Reads them on another thread and adds what stands in them.
    void openFiles(const QStringList& paths);
    /// The same of a text from the clipboard.
    void pasteText(const QString& text);
    /// Adds those that are not in the list yet; returns how many deadlocks came. `server`: its name in the
    /// window; empty: they are from files.
    int add(const QList<deadlock::ReportPtr>& reports, const QString& server = {});
    /// Takes each snapshot of any server that is watched: one without a ring costs next to nothing.
    void noteSnapshot(const Snapshot& snapshot, const QString& server);
    /// Takes the present records of any server that is watched.
    void noteRecords(const DeadlockRecords& records, const QString& server);
    struct Recorded {
        QList<DeadlockList::ReportRows> reports;
        QStringList missing; ///< sentences: what is recorded, too, and was not read
    };
    /// Takes the recorded deadlocks, when a past time is on view.
    void addRecorded(const Result<Recorded>& result);
    /// Returns how many of that server happened behind `from`, up to `to`.
    int count(const QString& server, ServerTime from, ServerTime to) const
    {
        return m_list.count(server, from, to);
    }
    /// Returns how many came that the user has not seen, because another page was on view.
    int unseen() const { return m_unseen; }
    /// All orders of a deadlock are being executed on a server.
    bool isRunning() const;
    /// `stopped` is emitted once nothing is left there.
    void stop();
    /// The list by family, or one by one.
    void showFamilies(bool byFamily);

Q_SIGNALS:
    void unseenChanged(int unseen);
    void stopped();
    /// Requests a past time of the server on view.
    void timeTravelRequested(lockscope::ServerTime jumpTime);

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    EmptyText emptyText() const override;
    void updateActs() override;
    void emptyActionPressed() override { askForFiles(); }
    QString reasonAgainstEmptyAction() const override { return {}; } // a file has nothing to do with a server
    void fillRowMenu(QMenu& menu) override;
    void showEvent(QShowEvent* event) override;

private:
    void arrange();
    void askForFiles();
    void showChosen();
    void showList();
    bool isNewestChosen() const;
    void showRecords();
    void showFamily(const QString& id);
    void clear();
    void prove();
    void makeScenario();
    void addJumps(QMenu& menu);
    void setUnseen(int unseen);
    const DeadlockRow* chosen() const; ///< null: none
    int addRows(const QList<DeadlockList::ReportRows>& all);
    struct FileAnswer {
        QString path;
        Result<QList<DeadlockList::ReportRows>> told;
        QString counted{}; ///< "3 deadlocks"
        QStringList mentioned{}; ///< lines of which no report could be read
    };
    static FileAnswer answerOf(const QString& path, const Result<deadlock::ReportsRead>& read);
    void takeAnswer(const QList<FileAnswer>& answers);

    DeadlocksModel* m_model;
    QStackedWidget* m_lists; ///< one by one, and by family
    FamiliesView* m_families;
    DeadlockView* m_deadlock;
    ProofPanel* m_proof;
    DeadlockExportButton* m_export;
    SourceLine* m_source;
    QToolButton* m_byFamily;
    QToolButton* m_goTo;
    QPushButton* m_open = nullptr;
    QPushButton* m_make = nullptr;
    QPushButton* m_clear = nullptr;
    DeadlockList m_list;
    QHash<QString, DeadlockRecords> m_records; ///< by server
    std::optional<AppContext::PastTime> m_shownTime;
    int m_unseen = 0;
    bool m_wasOpened = false; ///< files were opened: the result is shown here
    Worker m_reader;
};

} // namespace lockscope::ui
