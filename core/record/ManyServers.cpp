// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/ManyServers.h"

#include <sqlite3.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lockscope::record {

void prepareForManyServers()
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2); // an arena for each thread is mostly unused memory
#endif
    // Else each connection begins with twenty pages, and a server has three.
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

} // namespace lockscope::record
