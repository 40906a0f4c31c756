// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace lockscope::deadlock {

/// Without regard to case: most are spelt alike, or differ in length.
inline bool isSameName(QStringView one, QStringView other)
{
    return one.size() == other.size() && (one == other || one.compare(other, Qt::CaseInsensitive) == 0);
}

/// An element of a text that need not be well-formed.
struct XmlElement {
    QString name; ///< as written, without a namespace's prefix
    QList<std::pair<QString, QString>> attributes; ///< in the order of the text
    QString text; ///< its own, of all pieces
    std::vector<XmlElement> children;
    qsizetype begin = 0; ///< its place in the text: [begin, end)
    qsizetype end = 0;

    bool is(QStringView other) const { return isSameName(name, other); }
    /// Finds it without regard to case; a null string if it is not there.
    QString attribute(QStringView attribute) const;
    /// The first child of that name, or null.
    const XmlElement* child(QStringView requested) const;
};

/// `element` is one of those that a report stands in, with all that is in it; `mended` what was not as it
/// should be up to its end: sentences, each once.
using TakeElement = std::function<void(const XmlElement& element, const QStringList& mended)>;

/// Reads XML as SQL Server writes it, which is not always well-formed: '<', '&' and control characters in
/// values of attributes, statements with a bare '<', an end that is missing. Never fails. Gives each
/// outermost element that has one of the names to `take`, as soon as it ends, and keeps nothing else. Nothing
/// is fetched, no entity is known but the five of XML and numbers, a document type is left out. More than 200
/// levels and more than 200,000 elements of one report are left out, and that is reported. (pugixml was
/// measured: at a quote within a value, an element that does not end or a '<' in a statement it loses all
/// that follows, and what would have to mend the text before is nearly this.)
void readLenientXml(const QString& text, const QStringList& names, const TakeElement& take);

} // namespace lockscope::deadlock
