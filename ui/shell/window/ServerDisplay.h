// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/Actions.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QTimer>

namespace lockscope::ui {

class AppContext;
class CentralArea;
class DetailPane;
class Page;
class ShownServer;
class StatusLine;
class TopBar;
class TravelMark;

/// Keeps bars, page on view and detail pane at what the shown server says.
class ServerDisplay : public QObject {
    Q_OBJECT

public:
    struct Parts {
        AppContext& context;
        ShownServer& shown;
        TopBar& topBar;
        StatusLine& statusLine;
        CentralArea& centre;
        DetailPane& detail;
        TravelMark& mark;
    };
    explicit ServerDisplay(const Parts& parts, QObject* parent = nullptr);

    /// The pane stands beside a page while something is selected there; else the page has its space.
    void setDetailShown(bool shown);

    /// Notes where the pointer moves over rows.
    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void snapshotShown();

private:
    void showServer();
    void showSnapshot();
    void showHealth();
    void showClock();
    void showDetail();
    void showPage();
    void fillPage();
    bool areRowsHeld() const;
    void findAgain(Page& page, const DetailSubject& before);

    Parts m_parts;
    QHash<const Page*, DetailSubject> m_missed; ///< selected, and not there at the time on view
    bool m_isFilled = false; ///< pages show something of the server on view
    QElapsedTimer m_sincePointer; ///< moved over rows
    QTimer m_fillSoon; ///< once rows may move again
};

} // namespace lockscope::ui
