// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/EngineKey.h"
#include "core/domain/Session.h"

namespace lockscope::admin {

/// By which a DBA ends exactly this session by hand, in psql or sqlcmd: its number *and* its start are
/// compared there, as by ServerAdmin::endSession. Needs nothing installed, and records nothing. Empty where
/// there is none: sessions of the server itself, prepared transactions, engines without sessions. Any thread.
QString endSessionStatement(Engine engine, const Session& shown);

} // namespace lockscope::admin
