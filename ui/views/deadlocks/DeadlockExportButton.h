// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/DeadlockExport.h"
#include "ui/kit/widgets/ExportMenu.h"

#include <functional>
#include <optional>

namespace lockscope::ui {

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
