// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Catalogue.h"
#include "tests/support/tds/Tsql.h"

namespace lockscope::test::tds::tsql {

/// Returns the columns of the result of a SELECT: those of views by the catalogue, computed ones by the rules
/// of T-SQL for the expression. Throws Refused where these don't say.
std::vector<Column> resultColumns(const Translation& translation);

} // namespace lockscope::test::tds::tsql
