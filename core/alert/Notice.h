// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"

namespace lockscope::alert {

/// A message about an incident, made once for each change that matters. A value; it is kept in the queue on
/// disk.
struct Notice {
    enum class Kind : quint8 { Fired, Escalated, Resolved, Test };

    QString key{}; ///< equal for the same notice, whenever it is sent: for who receives it twice
    Kind kind = Kind::Fired;
    QString server; ///< the profile's address without secrets, for inspectCommand()
    Incident incident;
    QString text{}; ///< of the rule: Rule::text
    QStringList channels{}; ///< names; empty: all

    bool operator==(const Notice&) const = default;
};
QString noticeKindName(Notice::Kind kind); ///< "fired" …
/// One line: "CRITICAL shop: 25 sessions wait for …", "Resolved shop after 4 min: …"
QString subjectOf(const Notice& notice);
QJsonObject toJson(const Notice& notice, bool withStatements = true);
Result<Notice> noticeFromJson(const QJsonObject& json);

} // namespace lockscope::alert
