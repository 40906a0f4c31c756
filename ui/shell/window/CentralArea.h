// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"
#include "core/monitor/ServerMonitor.h"
#include "ui/views/page/Page.h"

#include <QHash>
#include <QStackedWidget>
#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class LogInForm;
class ServerNotices;
class ShownServer;
class TimeBar;

/// The pages of the window, of which one is on view. Only that one gets snapshots, and each is made when it
/// is first shown: one that nobody looks at costs nothing.
class PageStack : public QStackedWidget {
    Q_OBJECT

public:
    explicit PageStack(QWidget* parent = nullptr);

    using Make = std::function<Page*()>;
    /// Returns its place. `make` is called once, when the page is needed.
    int add(const PageName& name, Make make);
    QStringList ids() const;
    /// To be called once a page was shown.
    Page& current() const { return *m_places[m_place].page; }
    /// Makes that page if it is not there yet. Null: there is no such page.
    Page* page(const QString& id);
    /// Returns those that are there.
    QList<Page*> made() const;
    /// Makes the others, too, for a list of all that they offer.
    void makeAll();
    /// False if there is no such page. An empty filter leaves the page's own.
    bool show(const QString& id, const QString& filter = {});
    /// Shows that page, with `subject` selected there: a filter of another time must not hide it.
    void reveal(const QString& id, const DetailSubject& subject);
    /// Returns the selection of the page on view; monostate = none.
    const DetailSubject& subject() const;
    /// Follows another subject there; also selects it if the page shows it.
    void follow(const DetailSubject& subject);
    /// Empties the pages: there is no server, or another one whose first snapshot is not here yet.
    void empty();
    void saveLayout();
    /// True while one of them runs something.
    bool isRunning() const;
    void stop();

Q_SIGNALS:
    void pageMade(lockscope::ui::Page* page); ///< not on view yet
    void pageShown(int place);
    void subjectChanged();

private:
    struct Place {
        PageName name;
        Make make;
        Page* page = nullptr; ///< null: not made yet. Those that were shown are in the stack
    };
    int placeOf(const QString& id) const; ///< -1: there is no such page
    Page& pageAt(size_t place);
    void setSubject(const Page* page, const DetailSubject& subject);

    std::vector<Place> m_places;
    size_t m_place = 0; ///< of the one on view
    QHash<const Page*, DetailSubject> m_subjects; ///< each page keeps its own
};

/// The first start: three big choices.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

Q_SIGNALS:
    void tryItHere();
    void connectToServer();
    void openFile();
};

/// Stands in place of the pages while nothing was ever read from a server: connecting, or why not.
class ConnectionErrorPage : public QWidget {
    Q_OBJECT

public:
    explicit ConnectionErrorPage(db::KeychainPtr keychain, QWidget* parent = nullptr);

    void showConnecting(const db::ServerProfile& profile);
    /// Asks for the password if that may be what is wrong. `failures`: so often it went wrong, and when last;
    /// with one more than before, what was tried from here has failed.
    void showError(const db::ServerProfile& profile, const Error& error,
        const monitor::ServerMonitor::Failures& failures);
    void showSilent(const db::ServerProfile& profile);
    /// Shows that a recording is being opened.
    void showOpening(const QString& place);
    void showRecording(const QString& place, const Error& error);
    /// Sets whether there are recorded snapshots of the server, although it can't be read now.
    void setRecorded(bool isRecorded);
    QString text() const; ///< all that it says

Q_SIGNALS:
    void retryRequested();
    void pastRequested(); ///< the last recorded snapshot
    void editRequested();
    void passwordEntered(const QString& password, bool keep);

private:
    void tell(const QString& sign, const QColor& color, const QString& title, const QString& body);
    void offer(bool retry, bool logIn);
    void beginTrying();
    void setTrying(bool trying);

    QLabel* m_sign;
    QLabel* m_title;
    QLabel* m_when;
    QLabel* m_body;
    LogInForm* m_logIn;
    QPushButton* m_retry;
    QPushButton* m_edit;
    QPushButton* m_past;
    QString m_url; ///< the page is about it
    monitor::ServerMonitor::Failures m_failures; ///< of it
    bool m_isTrying = false; ///< the user has asked for an attempt, whose end is not known yet
};

/// The middle of the window: the choices of the first start, why nothing can be read, or the pages.
class CentralArea : public QStackedWidget {
    Q_OBJECT

public:
    explicit CentralArea(db::KeychainPtr keychain, QWidget* parent = nullptr);

    StartPage& start() const { return *m_start; }
    ConnectionErrorPage& trouble() const { return *m_trouble; }
    PageStack& pages() const { return *m_pages; }
    ServerNotices& notices() const { return *m_notices; }

    TimeBar& timeBar() const { return *m_timeBar; }
    /// Notices and the time bar, which belong below the pages and what stands beside them. Shown with the
    /// pages.
    QWidget& foot() const { return *m_foot; }

    /// Shows what depends on the health of the server on view, and on the time on view.
    void showHealth(const ShownServer& shown);
    /// Returns the chapter that F1 opens if nothing that has the focus has another one.
    QString chapterOnView() const;

private:
    void showPastView(const ShownServer& shown);

    StartPage* m_start;
    ConnectionErrorPage* m_trouble;
    PageStack* m_pages;
    ServerNotices* m_notices;
    QWidget* m_foot;
    TimeBar* m_timeBar;
};

} // namespace lockscope::ui
