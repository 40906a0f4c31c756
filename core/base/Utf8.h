// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <string_view>

namespace lockscope {

/// Text that a server or a file holds, which need not be UTF-8 (a database in SQL_ASCII keeps any bytes).
/// Different bytes never become one text: each byte that is part of no character becomes U+FFFD, 'x' and its
/// two hex digits, "�xE9"; and so do those of a U+FFFD that was there before. Never a null string.
QString textFromUtf8(std::string_view bytes);

} // namespace lockscope
