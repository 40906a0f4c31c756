// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace lockscope::ui
