// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/fuzz/ClientFilesFuzz.h"

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzClientFiles(data, size);
    return 0;
}
