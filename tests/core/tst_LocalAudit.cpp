// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/LocalAudit.h"
#include "core/base/PlainFile.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tst_LocalAudit {

using namespace lockscope;
using namespace lockscope::admin;

static AuditRecord sample(const QString& target = u"session 63 (shop)"_s)
{
    return {0, {1'795'230'727'123'456}, u"ann"_s, u"ann, app01, lockctl"_s, u"end session"_s, target,
        u"OPS-17 it's \"stuck\"\nsince noon"_s, u"{\"id\":63}"_s, u"begun"_s, u"shop@db1"_s};
}

static QList<QByteArray> linesOf(const QString& path)
{
    QList<QByteArray> lines = test::contentOf(path).split('\n');
    lines.removeAll(QByteArray());
    return lines;
}

static int modeOf(const QString& path)
{
    struct stat seen { };
    return ::lstat(QFile::encodeName(path).constData(), &seen) == 0 ? int(seen.st_mode & 0777) : -1;
}

/// A folder of the account's own, as its home is.
class tst_LocalAudit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<QTemporaryDir>();
        m_path = m_home->filePath(u"state/lockscope/audit.jsonl"_s);
    }

    void anActIsTwoLinesOfOneId()
    {
        const LocalAudit audit(m_path);
        AuditRecord record = sample();
        const auto id = audit.begin(record);
        VERIFY_DONE(id);
        QCOMPARE(linesOf(m_path).size(), 1); // before the act
        record.id = *id;
        record.outcome = u"done"_s;
        QVERIFY(audit.end(record));
        const auto lines = linesOf(m_path);
        QCOMPARE(lines.size(), 2);
        for (const QByteArray& line : lines) {
            const QJsonObject json = QJsonDocument::fromJson(line).object();
            for (const char* field :
                {"id", "at", "server", "who", "from", "act", "target", "reason", "before", "outcome"})
                QVERIFY2(json.contains(QLatin1String(field)), field);
            QCOMPARE(json[u"id"].toInteger(), *id);
        }
        const auto read = test::orDie(audit.read());
        QCOMPARE(read, QList<AuditRecord>{record});
    }

    void nobodyElseMayReadIt()
    {
        const auto umaskBefore = ::umask(0);
        const auto begun = LocalAudit(m_path).begin(sample());
        ::umask(umaskBefore);
        VERIFY_DONE(begun);
        QCOMPARE(modeOf(m_path), 0600);
        QCOMPARE(modeOf(m_home->filePath(u"state/lockscope"_s)), 0700);
    }

    void theNewestComeFirst()
    {
        const LocalAudit audit(m_path);
        for (const QString& target : {u"one"_s, u"two"_s, u"three"_s})
            QVERIFY(audit.begin(sample(target)));
        const auto read = test::orDie(audit.read(2));
        QCOMPARE(read.size(), 2);
        QCOMPARE(read.at(0).target, u"three"_s);
        QCOMPARE(read.at(1).target, u"two"_s);
    }

    void withoutAFileThereAreNoRecords()
    {
        const auto read = LocalAudit(m_path).read();
        QVERIFY(read && read->isEmpty());
        QVERIFY(!QFile::exists(m_path));
    }

    void aTornLineSwallowsNothing()
    {
        const LocalAudit audit(m_path);
        QVERIFY(audit.begin(sample(u"first"_s)));
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::Append));
        file.write("{\"id\":17,\"act\":\"end ses"); // the disk was full
        file.close();
        QVERIFY(audit.begin(sample(u"second"_s)));
        const auto read = test::orDie(audit.read());
        QCOMPARE(read.size(), 2);
        QCOMPARE(read.at(0).target, u"second"_s);
    }

    void severalWritersMixNoLines()
    {
        constexpr int each = 40;
        std::vector<std::thread> writers;
        for (int writer = 0; writer < 4; ++writer)
            writers.emplace_back([this, writer] {
                for (int i = 0; i < each; ++i)
                    (void)LocalAudit(m_path).begin(sample(QString(2'000, QChar(u'a' + writer))));
            });
        for (std::thread& writer : writers)
            writer.join();
        const auto lines = linesOf(m_path);
        QCOMPARE(lines.size(), 4 * each);
        for (const QByteArray& line : lines) {
            const QString target = QJsonDocument::fromJson(line).object()[u"target"].toString();
            QCOMPARE(target, QString(2'000, target.isEmpty() ? QChar() : target[0]));
        }
    }

    void whatOthersCouldHavePutThereIsNotUsed_data()
    {
        test::addTexts("what",
            {"a link", "a link for the folder", "a file others may write", "a file others may read",
                "a folder others may write", "a second name of a file", "a pipe"});
    }
    void whatOthersCouldHavePutThereIsNotUsed()
    {
        QFETCH(QString, what);
        const QString folder = m_home->filePath(u"state/lockscope"_s);
        const QString elsewhere = m_home->filePath(u"elsewhere"_s);
        QVERIFY(QDir().mkpath(m_home->filePath(u"state"_s)));
        if (what == u"a link for the folder") {
            QVERIFY(QDir().mkpath(elsewhere));
            QVERIFY(QFile::link(elsewhere, folder));
        } else {
            QVERIFY(QDir().mkpath(folder));
            ::chmod(QFile::encodeName(folder).constData(), what.startsWith(u"a folder") ? 0777 : 0700);
        }
        const QByteArray name = QFile::encodeName(m_path);
        if (what == u"a link") {
            test::makeFile(elsewhere, "precious\n", test::onlyOwn);
            QVERIFY(QFile::link(elsewhere, m_path));
        } else if (what.startsWith(u"a file")) {
            test::makeFile(m_path, {}, test::onlyOwn);
            ::chmod(name.constData(), what.endsWith(u"write") ? 0622 : 0644);
        } else if (what.startsWith(u"a second")) {
            test::makeFile(elsewhere, "precious\n", test::onlyOwn);
            QCOMPARE(::link(QFile::encodeName(elsewhere).constData(), name.constData()), 0);
        } else if (what == u"a pipe") {
            QCOMPARE(::mkfifo(name.constData(), 0600), 0);
        }
        const auto begun = LocalAudit(m_path).begin(sample());
        VERIFY_FAILS(ErrorKind::Permission, begun);
        VERIFY_CONTAINS(begun.error().what, m_path);
        QVERIFY(!begun.error().hint.isEmpty());
        if (QFileInfo(elsewhere).isFile())
            QCOMPARE(linesOf(elsewhere), QList<QByteArray>{"precious"});
        else
            QVERIFY(!QDir(elsewhere).exists() || QDir(elsewhere).isEmpty());
    }

    void aStrangersLinkOnTheWayIsNotFollowed()
    {
        if (::geteuid() != 0)
            QSKIP("only root can make another account's link");
        const QString mine = m_home->filePath(u"mine"_s);
        QVERIFY(QDir().mkpath(mine));
        const QString way = m_home->filePath(u"state"_s);
        QVERIFY(QFile::link(mine, way));
        QVERIFY(LocalAudit(m_path).begin(sample())); // one's own link may lead there
        QCOMPARE(::lchown(QFile::encodeName(way).constData(), 65'534, 65'534), 0);
        const auto begun = LocalAudit(m_path).begin(sample());
        QVERIFY(!begun);
        VERIFY_CONTAINS(begun.error().what, u"belongs to another account"_s);
        QCOMPARE(linesOf(mine + u"/lockscope/audit.jsonl"_s).size(), 1);
    }

    void onAnUnsafeWayNothingIsMade()
    {
        const QString open = m_home->filePath(u"open"_s);
        QVERIFY(QDir().mkpath(open));
        ::chmod(QFile::encodeName(open).constData(), 0777);
        const LocalAudit audit(open + u"/state/lockscope/audit.jsonl"_s);
        const auto begun = audit.begin(sample());
        VERIFY_FAILS(ErrorKind::Permission, begun);
        VERIFY_CONTAINS(begun.error().what, u"others may write to"_s);
        QVERIFY(QDir(open).isEmpty());
    }

    void aGroupOnTheWayCountsAsOthers()
    {
        if (::geteuid() != 0)
            QSKIP("only root can give a folder to another group");
        const QString shared = m_home->filePath(u"shared"_s);
        QVERIFY(QDir().mkpath(shared));
        const QByteArray name = QFile::encodeName(shared);
        QCOMPARE(::chown(name.constData(), ::geteuid(), 65'534), 0);
        ::chmod(name.constData(), 0770);
        const LocalAudit audit(shared + u"/lockscope/audit.jsonl"_s);
        QVERIFY(!audit.begin(sample()));
        QVERIFY(QDir(shared).isEmpty());
        ::chmod(name.constData(), 0750);
        QVERIFY(audit.begin(sample()));
    }

    /// The account's own group, which mostly nobody else is in, may write to the folder, but never read the
    /// file.
    void anOwnGroupMayHaveTheFolderButNotTheFile()
    {
        QVERIFY(LocalAudit(m_path).begin(sample()));
        const QByteArray folder = QFile::encodeName(QFileInfo(m_path).path());
        QCOMPARE(::chown(folder.constData(), ::geteuid(), ::getegid()), 0);
        ::chmod(folder.constData(), 0770);
        struct stat seen { };
        QCOMPARE(::stat(folder.constData(), &seen), 0);
        QCOMPARE(LocalAudit(m_path).begin(sample()).has_value(), !othersMayWrite(seen));
        ::chmod(folder.constData(), 0700);
        ::chmod(QFile::encodeName(m_path).constData(), 0640);
        QVERIFY(!LocalAudit(m_path).begin(sample()));
    }

    void anothersFolderIsSaidToBeSo()
    {
        if (::geteuid() != 0)
            QSKIP("only root can give a folder away");
        QVERIFY(LocalAudit(m_path).begin(sample()));
        QCOMPARE(::chown(QFile::encodeName(QFileInfo(m_path).path()).constData(), 65'534, 65'534), 0);
        const auto begun = LocalAudit(m_path).begin(sample());
        QVERIFY(!begun);
        VERIFY_CONTAINS(begun.error().what, u"belongs to another account"_s);
        VERIFY_CONTAINS(begun.error().hint, u"chown"_s);
    }

    void whetherItCanBeUsedIsReportedWithoutMakingAnything()
    {
        const LocalAudit audit(m_path);
        VERIFY_DONE(audit.check());
        QVERIFY(!QDir(m_home->filePath(u"state"_s)).exists());
        QVERIFY(audit.begin(sample()));
        QVERIFY(audit.check());
        ::chmod(QFile::encodeName(m_path).constData(), 0644);
        const auto open = audit.check();
        QVERIFY(!open);
        VERIFY_CONTAINS(open.error().hint, u"chmod 600 '%1'"_s.arg(m_path));
    }

    void itLiesInTheStateOfTheAccount()
    {
        const QByteArray before = qgetenv("XDG_STATE_HOME");
        qputenv("XDG_STATE_HOME", "/var/state/ann");
        QCOMPARE(LocalAudit::defaultPath(), u"/var/state/ann/lockscope/audit.jsonl"_s);
        qputenv("XDG_STATE_HOME", "relative");
        QCOMPARE(LocalAudit::defaultPath(), QDir::homePath() + u"/.local/state/lockscope/audit.jsonl"_s);
        qunsetenv("XDG_STATE_HOME");
        QCOMPARE(LocalAudit::defaultPath(), QDir::homePath() + u"/.local/state/lockscope/audit.jsonl"_s);
        if (!before.isNull())
            qputenv("XDG_STATE_HOME", before);
    }

private:
    std::unique_ptr<QTemporaryDir> m_home;
    QString m_path;
};

LOCKSCOPE_TEST(tst_LocalAudit)

} // namespace tst_LocalAudit
#include "tst_LocalAudit.moc"
