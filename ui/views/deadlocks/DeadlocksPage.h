// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/deadlock/ReadReports.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/page/TablePage.h"

#include <QStringList>

class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace lockscope::ui {

class DeadlockExportButton;
class DeadlockView;
class FamiliesView;
class ProofPanel;

/// "deadlocks": those that the window knows. At a past time: those that were there by then.
class DeadlocksPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("deadlocks"), QStringLiteral("Deadlocks")};

    /// `book` outlives it.
    DeadlocksPage(AppContext& context, DeadlockBook& book, QWidget* parent = nullptr);

    /// Deadlocks that were read stay true, however the monitor fares.
    void showHealth(monitor::Health, const std::optional<Error>&, milliseconds) override { }
    bool hasDetail() const override { return false; }
    bool needsServer() const override
    {
        return m_book.list().isEmpty() && !m_wasOpened && context().hasServer();
    }
    QString countText() const override;
    void focusFilter() override;
    void saveLayout() override;
    /// Reads them on another thread and adds what stands in them.
    void openFiles(const QStringList& paths);
    /// The same of a text from the clipboard.
    void pasteText(const QString& text);
    bool isRunning() const override;
    void stop() override;
    /// The list by family, or one by one.
    void showFamilies(bool byFamily);

Q_SIGNALS:
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
    void showRecordedNotice();
    void clear();
    void makeScenario();
    void addJumps(QMenu& menu);
    const DeadlockRow* chosen() const; ///< null: none
    struct FileAnswer {
        QString path;
        Result<QList<DeadlockList::ReportRows>> told;
        QString counted{}; ///< "3 deadlocks"
        QStringList mentioned{}; ///< lines of which no report could be read
    };
    static FileAnswer answerOf(const QString& path, const Result<deadlock::ReportsRead>& read);
    void takeAnswer(const QList<FileAnswer>& answers);

    DeadlockBook& m_book;
    DeadlocksModel* m_model;
    QStackedWidget* m_lists; ///< one by one, and by family
    FamiliesView* m_families;
    DeadlockView* m_deadlock;
    ProofPanel* m_proof;
    DeadlockExportButton* m_export;
    QLabel* m_source; ///< the server's own records
    QToolButton* m_byFamily;
    QToolButton* m_goTo;
    QPushButton* m_open = nullptr;
    QPushButton* m_make = nullptr;
    QPushButton* m_clear = nullptr;
    std::optional<AppContext::PastTime> m_shownTime;
    QString m_recordedText; ///< of the notice about the recorded ones
    qint64 m_shownLeftOut = 0; ///< of the list
    bool m_wasOpened = false; ///< files were opened: the result is shown here
    Worker m_files;
    Worker m_scenarios; ///< writes them, without waiting for long logs
};

/// Takes reports of deadlocks and logs that are dropped on a window, several files at once or a text, or
/// pasted into it as text. Recordings are somebody else's.
class ReportDrop : public QObject {
    Q_OBJECT

public:
    explicit ReportDrop(QWidget& window);

    /// A file that says by its name that deadlocks may stand in it: .xdl, .xml, .log, .csv, .json, .txt, or
    /// an older one, "postgresql.log.1"; SQL Server's ERRORLOG.
    static bool isReportName(const QString& path);
    /// Returns the filter for a dialog that opens them, and its patterns, "*.xdl *.xml …".
    static QString nameFilter();
    static QString namePatterns();

Q_SIGNALS:
    void dropped(const QStringList& paths);
    /// A text was pasted or dropped where no field takes it.
    void pasted(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockscope::ui
