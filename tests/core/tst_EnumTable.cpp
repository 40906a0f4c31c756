// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A table of what an enum's values are called is complete, or does not compile.

#include "core/base/EnumTable.h"
#include "tests/support/TestProgram.h"

#include <type_traits>

namespace tst_EnumTable {

using namespace lockscope;

enum class Crc { Crc16, Crc32, Other };
enum Plain : quint8 { First, Second };

template <class E, std::size_t count>
constexpr bool holds = std::is_constructible_v<EnumTable<E>, const QStringView (&)[count]>;

static QString crcName(Crc crc)
{
    static constexpr EnumTable<Crc> names({u"crc 16", u"crc 32", u"other"});
    return names[crc].toString();
}

class tst_EnumTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesAreCounted()
    {
        enum class Local { One };
        static_assert(
            enumeratorCount<Crc> == 3 && enumeratorCount<Plain> == 2 && enumeratorCount<Local> == 1);
        static_assert(enumerators<Crc> == std::array{Crc::Crc16, Crc::Crc32, Crc::Other});
    }
    void aTableIsComplete()
    {
        static_assert(holds<Crc, 3> && !holds<Crc, 2> && !holds<Crc, 4>);
        QCOMPARE(crcName(Crc::Other), u"other"_s);
        COMPARE_TEXTS(EnumTable<Plain>({u"first", u"second"}).list(), "first", "second");
    }
    void aNameIsFound()
    {
        QVERIFY(enumeratorNamed(u"crc 32"_s, crcName) == Crc::Crc32);
        QVERIFY(!enumeratorNamed(u"crc 64"_s, crcName));
    }
};

LOCKSCOPE_TEST(tst_EnumTable)

} // namespace tst_EnumTable
#include "tst_EnumTable.moc"
