// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotComparison.h"
#include "core/record/RecordedLock.h"
#include "core/record/RecordingClient.h"
#include "core/record/RecordingSearch.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDialog>
#include <QObject>
#include <QPushButton>

class QCheckBox;
class QLabel;
class QLineEdit;
class QWidget;

namespace lockscope::ui {

class AppContext;
class ReportExport;
class ReportTable;

/// A window beside the others about a recording, which it reads by a connection of its own: it may outlive
/// the client that it was given. It deletes itself when it is closed.
class RecordingWindow : public QDialog {
    Q_OBJECT

public:
    const record::RecordingClient& client() const { return m_client; }

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    /// Requests the history of a lock or a session.
    void historyRequested(const lockscope::record::BiographySubject& subject, lockscope::ServerTime around);
    void loaded(); ///< an answer is on view

protected:
    RecordingWindow(const record::RecordingClient& shown, const QString& name, const QString& chapter,
        const QSize& size, QWidget* parent)
        : QDialog(parent)
        , m_client(shown.place(), shown.of())
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setObjectName(name);
        explain(*this, chapter);
        resize(size);
    }
    /// Names the server too: the window stays open beside those of other servers.
    void setTitle(const QString& title)
    {
        const QString server = inOneLine(m_client.server());
        setWindowTitle(server.isEmpty() ? title : title + QStringLiteral(" – ") + server);
    }
    QPushButton* closeButton()
    {
        QPushButton* button = pushButton(QStringLiteral("Close"), this);
        connect(button, &QPushButton::clicked, this, &QDialog::close);
        return button;
    }

    record::RecordingClient m_client;
};

/// Finds texts, users, programs, tables and locks in a recording, with when
/// they were seen first and last.
class SearchWindow : public RecordingWindow {
    Q_OBJECT

public:
    SearchWindow(const record::RecordingClient& shown, QWidget* parent);

private:
    void search();
    void showFound(const Result<record::FoundTexts>& found);
    const record::FoundText* current() const;
    void goTo(ServerTime record::FoundText::*time);
    void updateButtons();

    quint64 m_generation = 0; ///< answers to earlier texts are dropped
    QList<record::FoundText> m_found;
    QLineEdit* m_text;
    QPushButton* m_search;
    ReportTable* m_view;
    QLabel* m_state;
    QPushButton* m_history;
    QPushButton* m_first;
    QPushButton* m_last;
};

/// Two snapshots of a recording side by side: sessions, locks and waits that are new, gone, or there in
/// another way.
class DifferenceWindow : public RecordingWindow {
    Q_OBJECT

public:
    DifferenceWindow(
        const record::RecordingClient& shown, ServerTime first, ServerTime second, QWidget* parent);

private:
    struct Pair {
        SnapshotPtr before;
        SnapshotPtr after;
        std::vector<SnapshotDifference> differences;
    };
    static Result<Pair> read(record::RecordingReader& reader, ServerTime first, ServerTime second);
    void showPair(const Pair& pair);

    ServerTime m_before;
    ServerTime m_after;
    QLabel* m_title;
    ReportTable* m_view;
    ReportExport* m_export;
    QPushButton* m_showBefore;
    QPushButton* m_showAfter;
};

/// Saves a range of a recording as a file of its own, to send to somebody. GUI thread; the copying is done on
/// another one, and goes with the dialog.
class ClipDialog : public QDialog {
    Q_OBJECT

public:
    /// Makes a clip of the recording that `shown` reads; by a client of its own.
    ClipDialog(
        const record::RecordingClient& shown, ServerTime from, ServerTime to, QWidget* parent = nullptr);

    /// Saves as if the user had chosen that file.
    void saveTo(const QString& path);

Q_SIGNALS:
    void said(const QString& text); ///< for the status line: it is done

private:
    record::RecordingClient m_client;
    ServerTime m_from;
    ServerTime m_to;
    QCheckBox* m_redacts;
    QLabel* m_trouble;
    QPushButton* m_save = nullptr;
};

/// Opens views of recordings beyond single snapshots, in windows beside the main one. GUI thread.
class Histories : public QObject {
    Q_OBJECT

public:
    Histories(AppContext& context, QWidget& window);

    /// Opens one in the recording of the server on view.
    void openHistory(const record::BiographySubject& subject, ServerTime around);
    void openRange(ServerTime from, ServerTime to, bool compares = false);
    void openSearch();
    /// Two snapshots side by side.
    void openDifferences(ServerTime first, ServerTime second);
    /// Asks how and where to save that range.
    void saveClip(ServerTime from, ServerTime to);

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    void said(const QString& text); ///< why it is not possible, or that it is done

private:
    /// Returns the recording on view; null: there is none, which is said.
    const record::RecordingClient* recording();
    void follow(RecordingWindow* window);

    AppContext& m_context;
    QWidget& m_window;
};

} // namespace lockscope::ui
