// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotDiff.h"
#include "core/domain/BlockingGraph.h"
