// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Incident.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Snapshot.h"

#include <optional>

namespace lockscope::ui {

class AppContext;

/// The head blocker of an incident as the newest poll of the server on view has it.
struct HeadOnView {
    std::optional<Session> session; ///< exactly the incident's, by number and start
    QString reasonAgainst; ///< why there is none, or why it can't be acted on
};
/// `snapshot` is on view, null if there is none; `isOld`: it may be over by now.
HeadOnView headOnView(
    const alert::Incident& incident, const AppContext& context, const SnapshotPtr& snapshot, bool isOld);

/// True if the incident is of the server at that place, record::serverPlace().
bool isOfServer(const alert::Incident& incident, const QString& place);
/// Returns an empty text if the server of that name, as incidents have it, is on view; else why not.
QString reasonAgainstServer(const alert::Incident& incident, const AppContext& context);
/// Returns an empty text if the time of the incident's worst poll can be shown.
QString reasonAgainstPast(const alert::Incident& incident, const AppContext& context);

} // namespace lockscope::ui
