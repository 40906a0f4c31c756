// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"

#include <span>

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

/// A message for people, about one notice or several. Text of others is neutralised (ShownText).
struct NoticeText {
    QString subject;
    QStringList lines;

    /// Returns all of it, cut where it is longer, line by line.
    QString toString(qsizetype maxSize) const;
};
/// For several: counts as the subject, and a line each.
NoticeText noticeText(std::span<const Notice> notices, bool withStatements);
/// Returns the key of a message: of one notice its own, so that a message that is sent twice has the same.
QString messageKey(std::span<const Notice> notices);
/// {"notices": […]}, by resources/alerts/notice.schema.json: each with what a person is to read.
QJsonObject noticeDocument(std::span<const Notice> notices, bool withStatements);
/// `text`, with an ellipsis at its end if it is longer.
QString cutTo(const QString& text, qsizetype maxSize);

} // namespace lockscope::alert
