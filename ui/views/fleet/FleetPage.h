// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/fleet/FleetModel.h"
#include "ui/views/page/TablePage.h"

#include <QPointer>
#include <QWidget>

#include <map>

class QLabel;
class QToolButton;

namespace lockscope::ui {

class Presentation;

/// One server on a wall screen: its state as a sign, a word and a colour, its name, who waits for how long,
/// and why.
class FleetTile : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// `letters`: the height of the name, in pixels; the rest is in proportion.
    void show(const FleetRow& row, int letters);
    static QSize sizeFor(int letters); ///< least

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont font(double factor, QFont::Weight weight = QFont::Normal) const;
    QString waitText() const;
    void paintMark(QPainter& painter, QRect& line) const;

    FleetRow m_row;
    int m_letters = 30;
};

/// The servers as tiles for a wall screen, to be read from four metres: as many as fit, the worst first, and
/// the others counted.
class FleetTiles : public QWidget {
    Q_OBJECT

public:
    explicit FleetTiles(QWidget* parent = nullptr);

    /// `rows`: in the order in which they are to be seen. `only`: the filter that chose them; may be empty.
    void showServers(const std::vector<FleetRow>& rows, const QString& only);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    std::vector<FleetRow> m_rows;
    QString m_only;
    QLabel* m_counts;
    QLabel* m_more;
    std::vector<FleetTile*> m_tiles; ///< those beyond the rows are hidden
};

/// "and 52 more, all calm", "and 3 more: 1 warning, 2 calm": those from that place on; empty: there are none.
QString moreText(const std::vector<FleetRow>& rows, size_t from);

/// "fleet": all servers of the window, the worst first, each with the reason. It asks no server: it shows
/// what the window knows of them.
class FleetPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("fleet"), QStringLiteral("Fleet")};

    explicit FleetPage(AppContext& context, QWidget* parent = nullptr);

    /// The health of the server on view is one of many here.
    void showHealth(monitor::Health, const std::optional<Error>&, milliseconds) override { }
    bool hasDetail() const override { return false; }
    bool needsServer() const override { return false; }
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showServers(const std::vector<FleetRow>& rows);

Q_SIGNALS:
    void wasShown(); ///< what it shows may be old
    /// Requests a server, on that page: "overview", "blocking", "incidents"; at that time, or at present.
    void serverRequested(
        const QString& key, const QString& page, const std::optional<lockscope::ServerTime>& at);

protected:
    void showRows(const SnapshotPtr&) override { }
    DetailSubject subjectAt(int) const override { return {}; }
    EmptyText emptyText() const override;
    void updateActs() override;
    void fillRowMenu(QMenu& menu) override;
    void showEvent(QShowEvent* event) override;

private:
    void addCounts();
    void fillGroups(QMenu& menu);
    void showCounts();
    void open(const QString& page);
    void openChain();
    const FleetRow* chosen();
    void toggleTiles();
    void endTiles();
    void showTiles();

    FleetModel* m_model;
    std::map<watch::ServerStanding::State, QToolButton*> m_counts;
    QToolButton* m_groups; ///< by environment and tag
    QPointer<Presentation> m_wall; ///< null: no tiles are shown
    QPointer<FleetTiles> m_tiles; ///< there
    QLabel* m_reason; ///< of the chosen server, or of the worst: whole, however narrow the column is
    QPushButton* m_open;
    QPushButton* m_head;
    QPushButton* m_past;
    QPushButton* m_elsewhere;
    QPushButton* m_incident;
};

} // namespace lockscope::ui
