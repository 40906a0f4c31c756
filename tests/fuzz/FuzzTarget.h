// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QtDebug>

#include <cstddef>
#include <cstdint>

/// The entry point that libFuzzer looks for: a function of lockscope::test gets the bytes.
#define LOCKSCOPE_FUZZ(function)                                                                             \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)                        \
    {                                                                                                        \
        lockscope::test::function(                                                                           \
            QByteArray(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size)));                  \
        return 0;                                                                                            \
    }
