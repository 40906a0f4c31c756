// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

/// lockscope::Result<T> is a value or a lockscope::Error, whose lockscope::ErrorKind a program can test;
/// lockscope::Failure is an Error to be returned as a Result. Functions that return a Result don't throw.
