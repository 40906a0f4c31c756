// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/json/FileCheck.h"
#include "core/scenario/format/ScenarioFile.h"

#include <limits>

namespace lockscope::scenario {

using json::JsonNode;

/// Checks the further parts of scenario files: names, values that are known later, statements.
class ScenarioFileCheck : public json::FileCheck {
public:
    using json::FileCheck::FileCheck;

    Amount amount(const JsonNode& node, qint64 least = 0, qint64 maximum = std::numeric_limits<int>::max());
    /// A name for values, locks and roles; also of tables and columns.
    QString name(const JsonNode& node);
    QString neededName(const JsonNode& object, const QString& key);
    QString optionalName(const JsonNode& object, const QString& key, const QString& byDefault = {});

    SqlByEngine sql(const JsonNode& node);
    ScriptByEngine script(const JsonNode& node);
};

} // namespace lockscope::scenario
