// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"
#include "tests/support/TestProgram.h"

namespace tst_ShownText {

using namespace lockscope;

class tst_ShownText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// All of Unicode: characters that a font shows nothing for, or that move others, are shown by their
    /// code.
    void nothingInvisibleIsLeft()
    {
        for (const auto& [first, last] : {std::pair(0x0, 0x1f), std::pair(0x7f, 0x9f), std::pair(0xad, 0xad),
                 std::pair(0x34f, 0x34f), std::pair(0x61c, 0x61c), std::pair(0x115f, 0x1160),
                 std::pair(0x180b, 0x180f), std::pair(0x200b, 0x200f), std::pair(0x2028, 0x202e),
                 std::pair(0x2060, 0x206f), std::pair(0x3164, 0x3164), std::pair(0xfe00, 0xfe0f),
                 std::pair(0xfeff, 0xfeff), std::pair(0xffa0, 0xffa0), std::pair(0xfff9, 0xfffb),
                 std::pair(0x1d173, 0x1d17a), std::pair(0xe0000, 0xe0fff)}) {
            for (int code = first; code <= last; ++code)
                QVERIFY2(steersCode(char32_t(code)), qPrintable(QString::number(code, 16)));
        }
        for (char32_t code = 0; code <= 0x10ffff; ++code) {
            const auto category = QChar::category(code);
            if (category != QChar::Other_Control && category != QChar::Other_Format)
                continue;
            const char32_t text[] = {U'a', code}; // at the beginning Qt takes U+FEFF for a mark
            const QString shown = inOneLine(QString::fromUcs4(text, 2)).mid(1);
            const bool isSign = (code >= 0x600 && code <= 0x605) || code == 0x6dd || code == 0x70f
                || code == 0x890 || code == 0x891 || code == 0x8e2 || code == 0x110bd || code == 0x110cd;
            QVERIFY2(isSign || shown == u" " || (shown.startsWith(u'\\') && shown.size() >= 6),
                qPrintable(QString::number(uint(code), 16)));
        }
        QCOMPARE(inOneLine(u"ad\u202Enim\u2066\u00ADx"_s), u"ad\\u202enim\\u2066\\u00adx"_s);
        const char32_t tag = 0xe0041;
        QCOMPARE(inOneLine(u"a"_s + QString::fromUcs4(&tag, 1)), u"a\\U000e0041"_s);
    }

    void whatIsSeenStays()
    {
        for (const QString& text : {u"billing (nightly)"_s, u"Müller & Söhne"_s, u"наряды"_s,
                 u"注文 テーブル"_s, u"جدول الطلبات"_s, u"😀 orders"_s, u"a\\b"_s})
            QCOMPARE(inOneLine(text), text);
    }

    void linesStayWhereTheyMay()
    {
        QCOMPARE(inOneLine(u"SELECT\n\t1\r"_s), u"SELECT  1 "_s);
        QCOMPARE(inLines(u"SELECT\n\t1\u2028\u200b"_s), u"SELECT\n 1\\u2028\\u200b"_s);
    }
};

LOCKSCOPE_TEST(tst_ShownText)

} // namespace tst_ShownText
#include "tst_ShownText.moc"
