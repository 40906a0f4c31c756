// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Types.h"

namespace lockscope::test::tds {

/// "@p1 bigint, @p2 decimal(10, 2) OUTPUT" → "@p1", "@p2".
QStringList declaredNames(const QString& declaration);

/// Gives the parameters that came without a name those of the declaration, in order.
void nameByDeclaration(std::vector<Parameter>& parameters, const QString& declaration);

} // namespace lockscope::test::tds
