// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

namespace lockscope::record {

/// Makes this process ready for the threads, connections and files of hundreds of servers: eleven
/// descriptors each, where services and desktops get 1,024 unless they ask for more. Call it once, before
/// anything else is started.
void prepareForManyServers();

} // namespace lockscope::record
