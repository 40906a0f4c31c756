// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/json/FileCheck.h"

#include <functional>

namespace lockscope::alert {

/// Reads the parts of a rules file, and notes each fault where it stands. For checkRuleFile().
class RuleReader {
public:
    explicit RuleReader(json::FileCheck& check)
        : m_check(check)
    {
    }
    RuleSet read(const json::JsonNode& root);

private:
    Rule rule(const json::JsonNode& node);
    RuleLevel level(const json::JsonNode& node, Condition condition);
    void checkLevels(const json::JsonNode& node, const Rule& rule);
    Scope scope(const json::JsonNode& node);
    TimeRange timeRange(const json::JsonNode& node);
    MaintenanceWindow maintenance(const json::JsonNode& node);
    ChannelSettings channel(const json::JsonNode& node);
    void checkChannel(const json::JsonNode& node, const ChannelSettings& channel);
    void checkNames(const json::JsonNode& root, const RuleSet& set);

    double value(const json::JsonNode& node, Condition condition);
    milliseconds duration(const json::JsonNode& node);
    int minuteOfDay(const json::JsonNode& node);
    Severity severity(const json::JsonNode& node);
    QStringList texts(const json::JsonNode& object, const QString& key);
    std::optional<QDateTime> time(const json::JsonNode& object, const QString& key);
    /// Reads each item of a list under that key, if there is one.
    template <class Item>
    std::vector<Item> list(const json::JsonNode& object, const QString& key,
        const std::function<Item(const json::JsonNode&)>& read);

    json::FileCheck& m_check;
};

} // namespace lockscope::alert
