// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Sentences.h"

namespace lockscope {

namespace {

bool isEnd(QChar character)
{
    return QStringView(u".!?…;:").contains(character);
}

/// Behind what ends a sentence there may be one of these: (see the log.) “No.”
bool isClosing(QChar character)
{
    return QStringView(u")]\"'”’»").contains(character);
}

} // namespace

QString asSentence(const QString& text)
{
    QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return trimmed;
    const qsizetype last = trimmed.size() - 1;
    const bool isEnded = isEnd(trimmed[last])
        || (last > 0 && isClosing(trimmed[last]) && isEnd(trimmed[last - 1]) && trimmed[last - 1] != u';');
    return isEnded ? trimmed : trimmed + u'.';
}

QString withoutStop(const QString& text)
{
    QString trimmed = text.trimmed();
    if (trimmed.endsWith(u'.') && !trimmed.endsWith(u".."))
        trimmed.chop(1);
    return trimmed;
}

QString sentences(const QStringList& parts)
{
    QStringList ended;
    for (const QString& part : parts) {
        const QString sentence = asSentence(part.simplified());
        if (!sentence.isEmpty())
            ended << sentence;
    }
    return ended.join(u' ');
}

} // namespace lockscope
