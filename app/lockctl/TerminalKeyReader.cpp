// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/TerminalKeyReader.h"

#include "core/base/ShownText.h"

#include <algorithm>
#include <optional>

namespace lockscope::ctl {

namespace {

using Name = Key::Name;

constexpr char escape = '\x1b';

/// Returns the length of "ESC [ 5 ~", "ESC [ A", "ESC O A" and the like; 0: it is incomplete.
qsizetype sequenceLength(const QByteArray& bytes)
{
    if (bytes.size() < 2)
        return 0;
    if (bytes[1] != '[' && bytes[1] != 'O')
        return 1; // the Escape key, and then another one
    for (qsizetype i = 2; i < bytes.size(); ++i) {
        if (bytes[i] >= '@' && bytes[i] <= '~')
            return i + 1;
    }
    return 0;
}

std::optional<Key> keyOfSequence(const QByteArray& sequence)
{
    if (sequence.size() == 1)
        return Key{Name::Escape};
    struct Known {
        const char* sequence;
        Name name;
    };
    static constexpr Known all[] = {{"[A", Name::Up}, {"OA", Name::Up}, {"[B", Name::Down},
        {"OB", Name::Down}, {"[5~", Name::PageUp}, {"[6~", Name::PageDown}, {"[H", Name::Home},
        {"OH", Name::Home}, {"[1~", Name::Home}, {"[7~", Name::Home}, {"[F", Name::End}, {"OF", Name::End},
        {"[4~", Name::End}, {"[8~", Name::End}};
    for (const Known& known : all) {
        if (sequence.sliced(1) == known.sequence)
            return Key{known.name};
    }
    return std::nullopt;
}

/// 0: no beginning of a character.
qsizetype characterLength(char first)
{
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
}

std::optional<Key> keyOfCharacter(const QByteArray& bytes)
{
    switch (bytes[0]) {
    case '\r':
    case '\n':
        return Key{Name::Enter};
    case '\x7f':
    case '\b':
        return Key{Name::Backspace};
    default:
        break;
    }
    const auto text = QString::fromUtf8(bytes).toUcs4();
    // A filter is shown as it is typed or pasted.
    if (text.size() != 1 || steersCode(text[0]) || text[0] == QChar::ReplacementCharacter)
        return std::nullopt;
    return Key{Name::Character, text[0]};
}

} // namespace

QList<Key> TerminalKeyReader::keysOf(const QByteArray& bytes)
{
    m_kept += bytes;
    QList<Key> keys;
    while (!m_kept.isEmpty()) {
        const bool isSequence = m_kept[0] == escape;
        const qsizetype length = isSequence ? sequenceLength(m_kept) : characterLength(m_kept[0]);
        if (isSequence ? length == 0 : m_kept.size() < length)
            break; // more is to come
        const QByteArray whole = m_kept.first(std::max<qsizetype>(length, 1));
        m_kept.remove(0, whole.size());
        if (const auto key = isSequence ? keyOfSequence(whole) : keyOfCharacter(whole))
            keys.append(*key);
    }
    return keys;
}

QList<Key> TerminalKeyReader::keysAtRest()
{
    const bool wasEscape = m_kept == QByteArray(1, escape);
    m_kept.clear();
    return wasEscape ? QList<Key>{{Name::Escape}} : QList<Key>();
}

} // namespace lockscope::ctl
