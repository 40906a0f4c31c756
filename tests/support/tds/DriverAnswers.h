// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/AnswerTable.h"

namespace lockscope::test::tds {

/// Answers the statements that drivers send by themselves: session settings, USE, transactions.
void addDriverAnswers(AnswerTable& answers);

} // namespace lockscope::test::tds
