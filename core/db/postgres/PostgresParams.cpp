// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresParams.h"

#include <QStringEncoder>

#include <charconv>
#include <cmath>

namespace lockscope::db {

namespace {

constexpr qsizetype numberWidth = 32; ///< holds any qint64 or shortest double and its terminator
constexpr int bytesPerCodeUnit = 3; ///< UTF-8 needs at most 3 bytes for one UTF-16 code unit

size_t spaceFor(const Param& param)
{
    const auto* text = std::get_if<QString>(&param);
    return static_cast<size_t>(text ? text->size() * bytesPerCodeUnit + 1 : numberWidth);
}

char* terminated(char* end)
{
    *end = '\0';
    return end + 1;
}

/// Writes one value and its terminator; returns the end, or null if the text can't be sent.
struct ParamWriter {
    char* out;

    char* operator()(std::monostate) const { return out; }
    char* operator()(bool value) const
    {
        *out = value ? 't' : 'f';
        return terminated(out + 1);
    }
    char* operator()(qint64 value) const
    {
        return terminated(std::to_chars(out, out + numberWidth - 1, value).ptr);
    }
    char* operator()(ServerTime value) const { return (*this)(value.us); }
    char* operator()(double value) const
    {
        if (std::isinf(value))
            return terminated(std::copy_n(value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3, out));
        return terminated(std::to_chars(out, out + numberWidth - 1, value).ptr);
    }
    char* operator()(const QString& value) const
    {
        char* end = out;
        const char16_t* unit = reinterpret_cast<const char16_t*>(value.utf16());
        const char16_t* const stop = unit + value.size();
        while (unit != stop && *unit > 0 && *unit < 0x80)
            *end++ = static_cast<char>(*unit++);
        if (unit == stop)
            return terminated(end);
        const QStringView rest(unit, stop);
        if (rest.contains(QChar(0)) || !rest.isValidUtf16())
            return nullptr;
        QStringEncoder encoder(QStringEncoder::Utf8, QStringEncoder::Flag::Stateless);
        return terminated(encoder.appendToBuffer(end, rest));
    }
};

} // namespace

Result<void> PostgresParams::bind(std::span<const Param> params)
{
    size_t space = 0;
    for (const Param& param : params)
        space += spaceFor(param);
    if (m_text.size() < space)
        m_text.resize(space);
    m_values.resize(params.size());
    char* out = m_text.data();
    for (size_t i = 0; i < params.size(); ++i) {
        m_values[i] = std::holds_alternative<std::monostate>(params[i]) ? nullptr : out;
        out = std::visit(ParamWriter{out}, params[i]);
        if (!out)
            return failure(ErrorKind::BadInput,
                QStringLiteral(
                    "The text for parameter %1 contains a NUL character or half of a surrogate pair.")
                    .arg(i + 1),
                QStringLiteral("PostgreSQL can't store it: leave the character out."));
    }
    return {};
}

} // namespace lockscope::db
