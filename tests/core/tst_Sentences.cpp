// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Sentences.h"
#include "core/db/Dialect.h"
#include "tests/support/TestProgram.h"

namespace tst_Sentences {

using namespace lockscope;

/// Returns the fault of a message's full stops in one line; empty if there is none.
static QString faultOf(const QString& message)
{
    static const QRegularExpression doubled(u"[.!?;:]\\s*\\.(?!\\.|\\w)|(?<!\\.)\\.\\.(?!\\.)"_s);
    static const QRegularExpression before(u"\\s[.,;:!?](\\s|$)"_s);
    static const QRegularExpression unended(u"[\\w)\\]]$"_s);
    if (doubled.match(message).hasMatch())
        return u"stops twice"_s;
    if (before.match(message).hasMatch())
        return u"has a blank before a stop"_s;
    if (unended.match(message).hasMatch())
        return u"does not end"_s;
    if (message != message.simplified())
        return u"has blanks that are too many"_s;
    return {};
}

static QString sourceOf(const QString& path)
{
    return QString::fromUtf8(test::readFile(path));
}

/// Calls `use` with the path and the text of each source of the product.
template <class Use> static void eachSource(Use use)
{
    const QString root = test::sourcePath();
    for (const QString& folder : {u"core"_s, u"app"_s, u"ui"_s}) {
        QDirIterator files(root + folder, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            use(path.mid(root.size()), sourceOf(path));
        }
    }
}

class tst_Sentences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAndListsOfNames()
    {
        QCOMPARE(counted(0, u"lock"), u"0 locks"_s);
        QCOMPARE(counted(1, u"lock"), u"1 lock"_s);
        QCOMPARE(counted(12'000, u"entry", u"entries"), u"12,000 entries"_s);
        QCOMPARE(counted(1, u"entry", u"entries"), u"1 entry"_s);
        QCOMPARE(nameList({}), QString());
        QCOMPARE(nameList({u"a"_s, u"b"_s, u"c"_s}, 2), u"a, b, c"_s);
        QCOMPARE(nameList({u"a"_s, u"b"_s, u"c"_s, u"d"_s}, 2), u"a, b and 2 more"_s);
        QCOMPARE(namesAndMore({u"a"_s, u"b"_s}, 2), u"a, b"_s);
        QCOMPARE(namesAndMore({u"a %1"_s}, 3), u"a %1 and 2 more"_s);
        QCOMPARE(faultList({u"a"_s, u"b"_s}), u"a; b"_s);
        QCOMPARE(faultList(QStringList(7, u"a %2"_s)), u"a %2; a %2; a %2; a %2; a %2; and 2 more"_s);
    }
    void eachIsEndedOnce_data()
    {
        test::addColumns<QStringList, QString>("parts", "message");
        const auto row = [](const char* name, const QStringList& parts, const char* message) {
            test::row(name, parts, message);
        };
        row("nothing", {}, "");
        row("empty parts", {QString(), u" "_s, u"One."_s}, "One.");
        row("with and without stops", {u"Can't read"_s, u"permission denied"_s, u"Ask."_s},
            "Can't read. permission denied. Ask.");
        row("a statement", {u"No right."_s, u"GRANT a TO b;"_s}, "No right. GRANT a TO b;");
        row("a question", {u"Is it there?"_s, u"Look"_s}, "Is it there? Look.");
        row("going on", {u"Connecting…"_s, u"Wait"_s}, "Connecting… Wait.");
        row("what follows a colon", {u"It can be mended:"_s, u"GRANT x;"_s}, "It can be mended: GRANT x;");
        row("in parentheses", {u"Failed (see the log.)"_s, u"Try again"_s},
            "Failed (see the log.) Try again.");
        row("a bracket at the end", {u"Can't read (42501)"_s, u"Ask"_s}, "Can't read (42501). Ask.");
        row("lines", {u"FATAL:  no\n  entry\n"_s, u"Ask"_s}, "FATAL: no entry. Ask.");
    }
    void eachIsEndedOnce()
    {
        QFETCH(QStringList, parts);
        QTEST(sentences(parts), "message");
    }

    void anErrorInOneLine_data()
    {
        test::addColumns<Error, QString>("error", "message");
        test::row("all parts",
            Error{.kind = ErrorKind::Permission,
                .what = u"Can't read the locks."_s,
                .server = u"shop@db1"_s,
                .detail = u"permission denied for view pg_locks"_s,
                .hint = u"GRANT pg_monitor TO ann;"_s,
                .nativeCode = u"42501"_s},
            "Can't read the locks [shop@db1]. permission denied for view pg_locks (42501). GRANT pg_monitor TO ann;");
        test::row("the server's own stop, and a code",
            Error{.kind = ErrorKind::Server,
                .what = u"The statement failed"_s,
                .detail = u"It is blocked."_s,
                .nativeCode = u"701"_s},
            "The statement failed. It is blocked (701).");
        test::row("only what", Error{.kind = ErrorKind::Changed, .what = u"It is gone."_s}, "It is gone.");
    }
    void anErrorInOneLine()
    {
        QFETCH(Error, error);
        QTEST(error.toString(), "message");
    }

    /// Covers all errors of servers, as each dialect words them.
    void everyErrorOfADialectIsWholeSentences()
    {
        const QStringList codes{u"42501"_s, u"42P01"_s, u"3F000"_s, u"28P01"_s, u"28000"_s, u"3D000"_s,
            u"55P03"_s, u"57014"_s, u"40P01"_s, u"40001"_s, u"23505"_s, u"53300"_s, u"25006"_s, u"08006"_s,
            u"57P01"_s, u"XX000"_s, u"229"_s, u"208"_s, u"1205"_s, u"1222"_s, u"18456"_s, u"4060"_s, u"262"_s,
            u"297"_s, u"300"_s, u"6102"_s, u"6112"_s, u"2627"_s, u"3906"_s, u"40501"_s, u"5"_s, u"6"_s,
            u"8"_s, u"11"_s, u"14"_s, u"19"_s, u"26"_s, u"08001"_s, u"HYT00"_s, u"99999"_s};
        const QStringList words{u"permission denied for table lock_entry"_s, u"It is locked."_s,
            u"  FATAL:  role \"x\" does not exist\n"_s, u"Really?"_s, QString()};
        int seen = 0;
        for (const Engine engine : {Engine::Postgres, Engine::SqlServer, Engine::Sqlite}) {
            const db::Dialect& dialect = db::Dialect::of(engine);
            for (const QString& code : codes)
                for (const QString& text : words) {
                    Error error = dialect.mapError(code, text, u"Can't read the locks."_s);
                    error.server = u"shop@db1"_s;
                    const QString message = error.toString();
                    const QString fault = faultOf(message);
                    QVERIFY2(fault.isEmpty(), qPrintable(message + u" – "_s + fault));
                    ++seen;
                }
            for (int i = 0; i <= int(db::Capability::WaitStartTimes); ++i) {
                const auto capability = static_cast<db::Capability>(i);
                if (dialect.can(capability))
                    continue;
                const QString reason = dialect.reasonAgainst(capability);
                QVERIFY2(reason.isEmpty() || faultOf(reason).isEmpty(), qPrintable(reason));
            }
        }
        QVERIFY(seen > 500);
    }

    /// Checks each `failure(kind, "what", "hint")` of the sources as it is written.
    void everyFailureInTheSourcesIsWholeSentences()
    {
        static const QRegularExpression call(
            u"failure\\(\\s*(?:lockscope::)?ErrorKind::\\w+,\\s*((?:(?:u|QStringLiteral\\()?\"(?:[^\"\\\\]|\\\\.)*\"(?:_s)?\\s*)+)"_s);
        static const QRegularExpression piece(u"\"((?:[^\"\\\\]|\\\\.)*)\""_s);
        QStringList faults;
        int seen = 0;
        eachSource([&](const QString& path, const QString& source) {
            for (auto found = call.globalMatch(source); found.hasNext();) {
                QString what;
                for (auto part = piece.globalMatch(found.next().captured(1)); part.hasNext();)
                    what += part.next().captured(1);
                ++seen;
                // A text that is filled in at the end brings its own full stop.
                if (const QString fault = faultOf(what); !fault.isEmpty() && !what.endsWith(u"%1")
                    && !what.endsWith(u"%2") && !what.endsWith(u"%3"))
                    faults << path + u": "_s + what + u" – "_s + fault;
            }
        });
        QVERIFY2(seen > 100, QByteArray::number(seen).constData());
        QCOMPARE(faults.join(u'\n'), QString());
    }

    /// One function joins sentences.
    void nobodyJoinsThemByHand()
    {
        static const QRegularExpression byHand(
            u"[.>](?:what|detail|hint)\\s*\\+\\s*(?:u' '|u\" |QLatin1Char\\(' '\\)|QStringLiteral\\(\" )|QStringList\\{[^}]*(?:\\.|->)(?:detail|hint)\\b[^}]*\\}\\s*\\.join"_s);
        QStringList found;
        eachSource([&](const QString& path, const QString& source) {
            for (auto match = byHand.globalMatch(source); match.hasNext();)
                found << path + u": "_s + match.next().captured();
        });
        QCOMPARE(found.join(u'\n'), QString());
    }
};

LOCKSCOPE_TEST(tst_Sentences)

} // namespace tst_Sentences
#include "tst_Sentences.moc"
