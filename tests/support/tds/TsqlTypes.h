// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Catalogue.h"
#include "tests/support/tds/Tsql.h"

namespace lockscope::test::tds::tsql {

/// The columns of the result of a SELECT: those of views by the catalogue, those computed by the rules of
/// T-SQL for the expression. Throws Refused for what these don't tell.
std::vector<Column> resultColumns(const Translation& translation);

} // namespace lockscope::test::tds::tsql
