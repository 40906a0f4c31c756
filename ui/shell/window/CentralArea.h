// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/credentials/Keychain.h"

#include <QStackedWidget>

namespace lockscope::ui {

class ConnectionErrorPage;
class PageStack;
class ServerNotices;
class ShownServer;
class StartPage;
class TimeBar;

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
