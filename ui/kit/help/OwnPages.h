// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/frameworks/Catalogue.h"

#include <QList>
#include <QString>

class QWidget;

namespace lockscope::ui {

/// Pages of the manual that are made of the running program, in Markdown.
namespace ownpages {

inline const QString keys = QStringLiteral("keys.md");
inline const QString about = QStringLiteral("about.md");
inline const QString frameworks = QStringLiteral("known-frameworks.md");

} // namespace ownpages

struct KeyRow {
    QString keys; ///< "F5", "Ctrl+C, Ctrl+Ins": as the platform writes them
    QString what;
    bool operator==(const KeyRow&) const = default;
};
struct KeyGroup {
    QString name; ///< the place where they work
    QList<KeyRow> rows;
};

/// The keys of all actions of the windows, in the order in which they were made; the same key of several
/// tables once.
QList<KeyGroup> keysOf(const QList<const QWidget*>& windows);

QString keysPage(const QList<KeyGroup>& groups);
/// Returns the page with this version, its platform, and the licences.
QString aboutPage();

// Pages of the manual that are made of the files of frameworks, in Markdown. What stands in a file is the
// text of others: nothing of it is markup, and no link but to an https address comes from it.

/// The page about a framework: "framework-liquibase.md". Any id gives a name that a link can have.
QString frameworkChapter(const QString& id);
/// The same of a lock; of an attached table what the manual says of these.
QString frameworkChapter(const FrameworkMatch& match);
QString frameworkPage(const Framework& framework);
/// All that are known, by name, with what could not be read. `folder` is where files of one's own go.
QString frameworkIndexPage(const frameworks::Catalogue& catalogue, const QString& folder);
/// "1 of your framework files can't be read: mine.json:12: …"; empty if all could.
QString frameworkFaults(const frameworks::Catalogue& catalogue);

} // namespace lockscope::ui
