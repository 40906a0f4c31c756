// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/frameworks/FrameworkCheck.h"

namespace lockscope::frameworks {

/// Reads "keys" and "resources": by what session locks are recognised. One lock, one thread.
class KeyReader {
public:
    explicit KeyReader(FrameworkCheck& check)
        : m_check(check)
    {
    }

    std::vector<AdvisoryKeyRule> keys(const JsonNode& node);
    std::vector<ApplicationLockRule> resources(const JsonNode& node);
    std::vector<HolderKey> holderKeys(const JsonNode& node);
    /// Returns the place of "{table}" in a text that is hashed; null: nowhere.
    const JsonNode* usesTable() const { return m_usesTable; }

private:
    AdvisoryKeyRule key(const JsonNode& node);
    ApplicationLockRule resource(const JsonNode& node);
    KeyFormula part(const JsonNode& node, int bits);
    KeyFormula formula(const JsonNode& node);
    void readDigest(const JsonNode& node, KeyFormula& formula);
    QString hashedText(const JsonNode& node);

    FrameworkCheck& m_check;
    const JsonNode* m_usesTable = nullptr;
};

} // namespace lockscope::frameworks
