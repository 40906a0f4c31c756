// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/AlertEngine.h"
#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/page/TablePage.h"

#include <QTabWidget>

#include <array>
#include <functional>

class QButtonGroup;
class QCheckBox;
class QComboBox;
class QLabel;
class QStackedWidget;
class QSettings;

namespace lockscope::ui {

class IncidentView;
class RuleFileViews;

/// The servers that the window watches for incidents, and those of its list that it does not.
struct WatchedServers {
    QStringList watched;
    QStringList others;
    ServerTime since; ///< of the one that is watched longest, by this machine's clock
};

/// "incidents": what fires on the servers that are watched, whether or not they are on view, what was
/// resolved lately, and the mutes.
class IncidentsPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("incidents"), QStringLiteral("Incidents")};

    /// `book` outlives it.
    IncidentsPage(AppContext& context, IncidentBook& book, QWidget* parent = nullptr);

    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    bool hasDetail() const override { return false; }
    bool needsServer() const override { return false; }
    QString countText() const override;
    void focusFilter() override;
    void saveLayout() override;
    /// Asked where the page has to say what is watched.
    void setWatched(std::function<WatchedServers()> watched) { m_watched = std::move(watched); }
    /// Says why incidents can't be kept at present; nothing: they can.
    void setWatchError(const std::optional<Error>& error);
    /// Shows the rules that are met, but not yet for long enough; the next to fire first.
    void setPending(const QList<alert::PendingAlert>& pending);
    /// Selects that incident, whatever is filtered. False: it is not in the list.
    bool revealIncident(qint64 id);
    /// Shows those of that server only, as a cause names it.
    void showServer(const QString& server);
    enum View { Incidents, Mutes, Rules, Recorded };
    void showView(View view);
    /// Offers the incidents of the recording on view, and shows them in place of the own. Null: there is
    /// none.
    void setRecording(record::RecordingClient* recording);

Q_SIGNALS:
    /// Requests a past time of the server on view.
    void timeTravelRequested(lockscope::ServerTime at);

protected:
    void showRows(const SnapshotPtr&) override { showHead(); }
    EmptyText emptyText() const override;
    void updateActs() override;
    void deleteKeyPressed() override;
    void fillRowMenu(QMenu& menu) override;
    void showEvent(QShowEvent* event) override;

private:
    void arrange();
    static void keepPlace(QWidget& widget, bool keeps);
    void addViewButton(View view, const QString& text, const QString& tip);
    void connectParts();
    void showList();
    void showServers();
    void showTrouble();
    void showChosen();
    void showHead();
    void readPast();
    void acknowledge();
    void mute();
    void unmute();
    void showPast(ServerTime at);
    View shownView() const;
    const alert::Incident* chosen() const; ///< null: none is
    const alert::Mute* chosenMute() const;

    IncidentBook& m_book;
    ReportModel* m_model;
    ReportTable* m_mutes;
    QStackedWidget* m_lists; ///< one for each View
    QButtonGroup* m_views; ///< of which one is pressed
    RuleFileViews* m_rules;
    RecordedIncidentsView* m_recorded;
    IncidentView* m_incident;
    QLabel* m_pending;
    QComboBox* m_server;
    QCheckBox* m_firingOnly;
    QPushButton* m_acknowledge = nullptr;
    QPushButton* m_mute = nullptr;
    QPushButton* m_unmute = nullptr;
    std::function<WatchedServers()> m_watched;
    IncidentListPtr m_pastReadOf; ///< the list at which the chosen one's past was asked for
    qint64 m_pastOf = 0;
    std::optional<Error> m_watchError;
    std::optional<Error> m_failure; ///< of the last own change
    bool m_isOld = true; ///< what is known of the server on view
};

class AppContext;
class ItemDialog;
class ItemListView;

/// The lists of what stands in the rules file, as tabs, with the forms that change it.
class RuleFileViews : public QTabWidget {
    Q_OBJECT

public:
    RuleFileViews(AppContext& context, IncidentBook& book, QWidget* parent = nullptr);

    void show(const IncidentListPtr& list);
    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);

    // For its lists:
    void change(const alert::RuleFileChange& change) { m_book.changeRules(change); }
    void openRule(const alert::Rule& rule, bool isNew);
    void open(ItemDialog* form);
    void askToRemove(const alert::RuleFileItem& item);

Q_SIGNALS:
    /// Requests a past time: of an incident that a rule would have found.
    void timeTravelRequested(lockscope::ServerTime at);

private:
    AppContext& m_context;
    IncidentBook& m_book;
    std::array<ItemListView*, 3> m_lists; ///< rules, channels, maintenance windows
};

} // namespace lockscope::ui
