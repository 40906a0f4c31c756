// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"

#include <functional>
#include <stop_token>

namespace lockscope::ui {

enum class TestMark { Good, Note, Failed };
using TestSink = std::function<void(const QString& text, TestMark mark)>;

/// What the connection dialog's "Test" does, step by step: ends with the first step that fails, or soon after
/// `stop`. Blocks; for a thread of the pool.
bool runConnectionTest(db::ServerProfile profile, db::PasswordProvider passwords, const std::stop_token& stop,
    const TestSink& tell);

} // namespace lockscope::ui
