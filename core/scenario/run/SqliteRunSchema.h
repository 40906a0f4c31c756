// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/RunSchema.h"

#include <QDir>
#include <QLockFile>

namespace lockscope::scenario {

/// A file of its own in the user's cache: nothing happens to the file of the URL.
class SqliteRunSchema final : public RunSchema {
public:
    explicit SqliteRunSchema(const QString& id);
    ~SqliteRunSchema() override;

    Result<void> remove() override;
    static int removeRemains();
    static QDir folder();

private:
    Result<void> begin(const Variant& variant) override;

    QLockFile m_alive;
};

} // namespace lockscope::scenario
