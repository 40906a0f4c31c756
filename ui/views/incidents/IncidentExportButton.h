// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/widgets/ExportMenu.h"
#include "ui/views/incidents/IncidentBook.h"

#include <optional>

namespace lockscope::ui {

/// A menu of the forms in which an incident can be given to colleagues, with what was recorded around it.
class IncidentExportButton : public ExportMenu {
    Q_OBJECT

public:
    explicit IncidentExportButton(QWidget* parent = nullptr);

    /// Enabled once both are there.
    void show(const std::optional<alert::Incident>& incident, const std::optional<IncidentPast>& past);
    /// Emits `statusMessage`. `withStatements`: else those are left out.
    void exportTo(Form form, bool withStatements, const QString& path);

private:
    void ask(Form form, bool withStatements);
    Content content(Form form, bool withStatements) const;

    std::optional<alert::Incident> m_incident;
    IncidentPast m_past;
};

} // namespace lockscope::ui
