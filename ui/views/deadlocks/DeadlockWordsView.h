// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Finding.h"
#include "core/domain/Snapshot.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/page/Actions.h"

#include <QTextBrowser>
#include <QWidget>

#include <functional>
#include <optional>

class QPainter;

namespace lockscope::ui {

class AppContext;

/// Returns the cure in one line: "This is the cure: lock in one order …", or that the report shows none.
QString deadlockCure(const QList<deadlock::Finding>& findings);

/// A deadlock in words: the cure, what happened step by step, what else was found, and, folded until somebody
/// asks for it, the evidence. GUI thread.
class DeadlockWordsView : public QTextBrowser {
    Q_OBJECT

public:
    explicit DeadlockWordsView(QWidget* parent = nullptr);

    void show(const std::optional<deadlock::Deadlock>& deadlock);
    void showEvidence(bool shown);

private:
    void write();

    std::optional<deadlock::Deadlock> m_deadlock;
    bool m_isEvidenceShown = false;
};

/// A place in the window that shows a part of a deadlock.
struct DeadlockJump {
    QString text; ///< "Session 51"
    QString reasonAgainst{}; ///< why it is not on view; empty if it is
    QString page{};
    DetailSubject subject{}; ///< the row to select there; nothing: `filter` finds it
    QString filter{};
    /// A recorded time to go to instead of a page.
    std::optional<ServerTime> jumpTime{};
};

/// Returns the jumps to its sessions, the locks that they waited for, the audit of its sessions, and its time
/// in the recording. `snapshot` is on view: the present, or a recorded one. A session counts as the
/// deadlock's only if it had begun by then: its number may be another one's by now.
QList<DeadlockJump> jumpsOf(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot);

/// Draws a deadlock as rings, one below the other: sessions and the locks that they hold and wait for, in
/// turn, clockwise. A full line leads from a lock to its holder, a dashed one from a waiter to its lock; the
/// victim is crossed out.
class DeadlockPicture : public QWidget {
    Q_OBJECT

public:
    explicit DeadlockPicture(QWidget* parent = nullptr);

    /// Shows it; nothing: an empty place that says so.
    void show(const std::optional<deadlock::Deadlock>& deadlock);
    /// The same onto anything.
    static void paint(
        QPainter& painter, const QRectF& area, const deadlock::Deadlock& deadlock, const QPalette& palette);
    static QSize paperSize(const deadlock::Deadlock& deadlock);
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::optional<deadlock::Deadlock> m_deadlock;
};

/// A menu of the forms in which a deadlock can be given away.
class DeadlockExportButton : public ExportMenu {
    Q_OBJECT

public:
    explicit DeadlockExportButton(QWidget* parent = nullptr);

    /// Returns its proof at the time of the export; nothing: not proved.
    using ProofGiver = std::function<std::optional<deadlock::ProofSection>()>;
    void setProof(const ProofGiver& proof) { m_proof = proof; }
    void show(const std::optional<deadlock::Deadlock>& deadlock);

    /// Opens a dialog.
    void ask(Form form);
    /// Emits `statusMessage`. No table.
    void exportTo(Form form, const QString& path);

private:
    Content content(Form form, const deadlock::Deadlock& shown) const;

    std::optional<deadlock::Deadlock> m_deadlock;
    ProofGiver m_proof;
};

} // namespace lockscope::ui
