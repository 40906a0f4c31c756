// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Sentences.h"

#include "core/base/Result.h"
#include "core/base/ShownText.h"

#include <QLocale>

namespace lockscope {

using namespace Qt::StringLiterals;

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

QString counted(qint64 count, QStringView one, QStringView many)
{
    const QString several = many.isEmpty() ? one.toString() + u's' : many.toString();
    return u"%1 %2"_s.arg(QLocale(QLocale::English).toString(count), count == 1 ? one.toString() : several);
}

QString namesAndMore(const QStringList& names, qsizetype count)
{
    const QString list = names.join(u", "_s);
    return count > names.size() ? u"%1 and %2 more"_s.arg(list, QString::number(count - names.size())) : list;
}

QString nameList(const QStringList& names, qsizetype maximum)
{
    // One name needs no more space than "and 1 more".
    return namesAndMore(names.size() <= maximum + 1 ? names : names.first(maximum), names.size());
}

QString faultList(const QStringList& faults)
{
    constexpr qsizetype maximum = 5;
    return faults.size() <= maximum ? faults.join(u"; "_s)
                                    : u"%1; and %2 more"_s.arg(faults.first(maximum).join(u"; "_s),
                                        QString::number(faults.size() - maximum));
}

QString Error::toString() const
{
    const QString where = server.isEmpty() ? what : withoutStop(what) + u" ["_s + server + u']';
    const QString words =
        detail.isEmpty() || nativeCode.isEmpty() ? detail : withoutStop(detail) + u" ("_s + nativeCode + u')';
    return inOneLine(sentences({where, words, hint}));
}

Failure failure(ErrorKind kind, QString what, QString hint)
{
    return Failure(Error{.kind = kind, .what = std::move(what), .hint = std::move(hint)});
}

} // namespace lockscope
