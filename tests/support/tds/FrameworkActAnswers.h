// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/TdsServer.h"

#include <QMap>

#include <functional>
#include <vector>

namespace lockscope::test::tds {

/// A table of a framework, with its rows: columns by their names, values as texts, null strings for NULL.
struct FrameworkTableDouble {
    QString table; ///< quoted: "[dbo].[Locks]"
    std::vector<QMap<QString, QString>> rows;
    QStringList strangersTriggers;
};

/// Answers the statements of sqlserver/frameworks_admin.sql by what stands in such a table. Conditions are
/// read by their columns and parameters only: what the server makes of the casts, a real one must show.
void answerFrameworkActs(TdsServer& server, const std::function<FrameworkTableDouble&()>& table);

} // namespace lockscope::test::tds
