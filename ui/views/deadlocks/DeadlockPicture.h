// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/DeadlockExport.h"
#include "ui/kit/widgets/SaveDialog.h"

#include <QWidget>

#include <functional>
#include <optional>

class QPainter;

namespace lockscope::ui {

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
