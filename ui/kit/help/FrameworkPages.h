// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/frameworks/Catalogue.h"

#include <QString>

namespace lockscope::ui {

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
