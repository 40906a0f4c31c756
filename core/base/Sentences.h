// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>
#include <QStringView>

#include <functional>

namespace lockscope {

/// Returns the text of each element, by a function or a member.
template <class Range, class TextOf> QStringList textOfEach(const Range& range, const TextOf& textOf)
{
    QStringList texts;
    for (const auto& each : range)
        texts << std::invoke(textOf, each);
    return texts;
}

/// `text` with a full stop at its end, unless it ends by itself: as a sentence, as a statement (";"), or with
/// a colon behind which something follows. Empty stays empty.
QString asSentence(const QString& text);

/// `text` without the full stop at its end, to write on behind it.
QString withoutStop(const QString& text);

/// The one way in which messages are joined: those of the parts that are not empty, behind each other, each
/// ended once, in one line.
QString sentences(const QStringList& parts);

/// Returns "1 lock", "2 locks", "12,000 locks". `many` is `one` with an "s" unless it is given.
QString counted(qint64 count, QStringView one, QStringView many = {});

/// Returns "a, b and 4 more": `names` are the first of so many.
QString namesAndMore(const QStringList& names, qsizetype count);
/// Returns the first `maximum` names of a longer list: "a, b and 4 more". An empty list gives an empty text.
QString nameList(const QStringList& names, qsizetype maximum = 3);
/// Returns "a; b; and 4 more": the first five of a longer list of faults.
QString faultList(const QStringList& faults);

} // namespace lockscope
