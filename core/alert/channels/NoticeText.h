// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Notice.h"

#include <span>

namespace lockscope::alert {

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
