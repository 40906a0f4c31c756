// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/fuzz/ProfileFileFuzz.h"

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzProfileFile(data, size);
    return 0;
}
