// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Session.h"
#include "core/domain/Snapshot.h"
#include "core/record/RecordedLock.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/page/AppContext.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QTextBrowser>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace lockscope::ui {

class FrameworkBadge;

/// Formatted text as high as it needs to be; names that are longer than a line are broken, never cut. The
/// selection, or the link that has the focus, stays so while the text around it changes. Links emit
/// anchorClicked.
class SectionsText : public QTextBrowser {
    Q_OBJECT

public:
    explicit SectionsText(QWidget* parent = nullptr);

    void say(const QString& html); ///< empty: hidden
    /// Returns the text that `say` was given.
    const QString& text() const { return m_text; }

private:
    void selectAgain(const QString& words, int place);

    QString m_text;
};

/// The former statements of sessions, as far as polls have seen them: one that came and went between two
/// polls is not in it. Costs the server nothing. GUI thread.
class StatementTrail {
public:
    struct Step {
        ServerTime seen; ///< the latest poll that saw it
        QString statement;
        SessionState state = SessionState::Unknown;
    };

    void note(const Snapshot& snapshot);
    void clear() { m_steps.clear(); }
    /// Newest first, without the present one.
    QList<Step> before(const SessionKey& session) const;

private:
    struct Steps {
        QList<Step> all; ///< the present one last
        std::optional<ServerTime> began; ///< of the present one
    };
    QHash<SessionKey, Steps> m_steps;
};

/// Right: everything about what is selected, and what resolves it. Follows its subject through the snapshots.
class DetailPane : public QWidget {
    Q_OBJECT

public:
    explicit DetailPane(AppContext& context, QWidget* parent = nullptr);

    void setSubject(const DetailSubject& subject);
    const DetailSubject& subject() const { return m_subject; }
    void showSnapshot(const SnapshotPtr& snapshot); ///< null = no server
    /// Takes each poll, shown or not: by it the pane shows what sessions did before.
    void noteSnapshot(const Snapshot& snapshot) { m_trail.note(snapshot); }

Q_SIGNALS:
    void requestAct(const lockscope::ui::Action& action);
    void planRequested(const lockscope::SessionKey& session);
    void progressRequested(const lockscope::Session& session);
    void subjectChosen(const lockscope::ui::DetailSubject& subject); ///< a link in the pane
    /// A link: the recorded history of it.
    void historyRequested(const lockscope::record::BiographySubject& subject);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeStatements(); ///< that of the subject and the other side's
    void makeSections();
    void makeButtons();
    void update();
    void showButtons();
    void showPlanButton();
    void showByHand();
    void showFramework();
    void showHistories();
    void addTrail();
    const Session* session() const; ///< that the subject is about; null: none, or it is gone
    void showSections();

    AppContext& m_context;
    QWidget* m_content;
    DetailSubject m_subject;
    SnapshotPtr m_snapshot;
    DetailText m_text;

    QLabel* m_title;
    QLabel* m_subtitle;
    FrameworkBadge* m_badge;
    QLabel* m_state;
    QLabel* m_remedyHeading;
    QLabel* m_remedy;
    QLabel* m_statementHeading;
    QPlainTextEdit* m_statement;
    QBoxLayout* m_bothStatements; ///< beside each other where there is space
    QWidget* m_other; ///< the other side's statement
    QLabel* m_otherHeading;
    QPlainTextEdit* m_otherStatement;
    SectionsText* m_sections;
    QLabel* m_histories;
    QWidget* m_buttonRow;
    QVBoxLayout* m_buttons;
    QList<QPushButton*> m_actButtons;
    qsizetype m_orderedButtons = -1; ///< so many of them the Tab key comes to before the others
    StatementTrail m_trail;
    QPushButton* m_plan;
    QPushButton* m_explain;
    QPushButton* m_progress;
    QPushButton* m_vendor; ///< copies the command by which a framework frees its lock
    QPushButton* m_more; ///< the manual's page on the framework
    QPushButton* m_copy;
    QLabel* m_hint;
};

/// Asks the server about a session, on a person's request: for the plan of its statement, and how far its
/// long command is. Each kind has a thread and a connection of its own, and one request at a time: a new one
/// drops the one that is under way.
class SessionAsker : public QObject {
    Q_OBJECT

public:
    explicit SessionAsker(QWidget* window);

    /// Fetches the plan, then asks where to save it.
    void savePlan(const db::Server& server, const SessionKey& session);
    void askProgress(const db::Server& server, const Session& session);
    void forget(); ///< drops the requests: another server is on view

Q_SIGNALS:
    /// Emitted for the status line: a request is under way, its answer, a file was written, or the reason why
    /// there is no plan.
    void said(const QString& text);

private:
    struct Kind {
        Worker worker;
        int request = 0; ///< answers to an earlier one are dropped
    };
    void askWhereToSavePlan(const SessionKey& session, const QString& plan);

    QWidget* m_window;
    Kind m_plan;
    Kind m_progress;
};

} // namespace lockscope::ui
