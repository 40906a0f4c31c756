// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"

namespace lockscope {

using namespace Qt::StringLiterals;

bool steers(QChar character)
{
    const ushort code = character.unicode();
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c
        || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)
        || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

QString inOneLine(const QString& text)
{
    QString line;
    line.reserve(text.size());
    for (const QChar character : text) {
        if (character == u'\n' || character == u'\r' || character == u'\t')
            line += u' ';
        else if (steers(character))
            line += u"\\u%1"_s.arg(uint(character.unicode()), 4, 16, QChar(u'0'));
        else
            line += character;
    }
    return line;
}

} // namespace lockscope
