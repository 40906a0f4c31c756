// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/json/FileCheck.h"
#include "core/profiles/ImportPlan.h"

#include <QByteArray>

#include <tl/expected.hpp>

namespace lockscope::profiles {

/// Writes profiles in the format `resources/profiles/profiles.schema.json`. Passwords are not in it, nor what
/// this user has allowed: tables of others, acts without a server's audit, a schema's owner.
QByteArray writeProfiles(const QList<db::ServerProfile>& profiles);

/// Reads such a file: all faults at once, in the order of the file. `name` is the file's name or path, for
/// errors. Pure; any thread.
tl::expected<FoundServers, json::FileFaults> readProfiles(const QString& name, const QByteArray& text);

} // namespace lockscope::profiles
