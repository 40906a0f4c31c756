// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Programs.h"

namespace lockscope::test::programs {

namespace {

QString inBuild(const char* program)
{
    return QStringLiteral(LOCKSCOPE_PROGRAMS "/") + QLatin1String(program);
}

} // namespace

QString lockctl()
{
    return inBuild("lockctl");
}

QString lockscope()
{
    return inBuild("lockscope");
}

QString sandbox()
{
    return inBuild("lockscope-sandbox");
}

QString sqlServerDouble()
{
    return inBuild("sqlserver-double");
}

QString fastTime()
{
    return inBuild("fast-time.so");
}

} // namespace lockscope::test::programs
