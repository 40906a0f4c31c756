// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"
#include "tests/support/TestProgram.h"

namespace tst_Utf8 {

using namespace lockscope;

class tst_Utf8 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatIsUtf8_data()
    {
        test::addRows<QString>("text",
            {{"empty", u""_s}, {"plain", u"orders\\xE9"_s}, {"of all lengths", u"aé€🔒"_s},
                {"byte order mark", u"\uFEFFname"_s}});
    }
    void keepsWhatIsUtf8()
    {
        QFETCH(QString, text);
        const QByteArray bytes = text.toUtf8();
        const QString read = textFromUtf8(std::string_view(bytes.constData(), size_t(bytes.size())));
        QCOMPARE(read, text);
        QVERIFY(!read.isNull());
    }

    void escapesWhatIsNot()
    {
        QCOMPARE(textFromUtf8("caf\xE9"), u"caf\uFFFDxE9"_s);
        QCOMPARE(textFromUtf8("\xC3\xA9\x80!"), u"é\uFFFDx80!"_s);
        QCOMPARE(textFromUtf8("\xF0\x9F\x94"), u"\uFFFDxF0\uFFFDx9F\uFFFDx94"_s); // cut off
        QCOMPARE(textFromUtf8("\xED\xA0\x80"), u"\uFFFDxED\uFFFDxA0\uFFFDx80"_s); // half a pair
        QCOMPARE(textFromUtf8("\xC0\xAF"), u"\uFFFDxC0\uFFFDxAF"_s); // longer than need be
        QCOMPARE(textFromUtf8("\xFF"), u"\uFFFDxFF"_s);
    }

    void differentBytesNeverBecomeOneText()
    {
        // All texts of up to three bytes of each kind that decoding looks at, and what their escapes look
        // like.
        const QByteArrayList pieces{"a", "x", "E", "9", "\x80", "\xBD", "\xBF", "\xC3", "\xE9", "\xEF",
            "\xF0", "\xFF", "\xEF\xBF\xBD"};
        QByteArrayList all{""};
        for (qsizetype from = 0, length = 0; length < 3; ++length) {
            const qsizetype to = all.size();
            for (; from < to; ++from)
                for (const QByteArray& piece : pieces)
                    all << all[from] + piece;
        }
        const QSet<QByteArray> different(all.begin(), all.end());
        QSet<QString> read;
        for (const QByteArray& bytes : different)
            read << textFromUtf8(std::string_view(bytes.constData(), size_t(bytes.size())));
        QCOMPARE(read.size(), different.size());
    }
};

LOCKSCOPE_TEST(tst_Utf8)

} // namespace tst_Utf8
#include "tst_Utf8.moc"
