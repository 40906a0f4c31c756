// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

namespace lockscope {

/// `text` with a full stop at its end, unless it ends by itself: as a sentence, as a statement (";"), or with
/// a colon behind which something follows. Empty stays empty.
QString asSentence(const QString& text);

/// `text` without the full stop at its end, to write on behind it.
QString withoutStop(const QString& text);

/// The one way in which messages are joined: those of the parts that are not empty, behind each other, each
/// ended once, in one line.
QString sentences(const QStringList& parts);

} // namespace lockscope
