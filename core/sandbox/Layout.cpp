// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/Layout.h"

#include "core/base/Folders.h"
#include "core/sandbox/Account.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

/// PostgreSQL adds this to the directory of its socket; the longest name that we put there.
constexpr int maxSocketNameLength = sizeof("/.s.PGSQL.5432.lock");

/// Short enough for a socket's address, and without characters that PostgreSQL's list of directories quotes.
bool fitsSockets(const QString& directory)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9/._+-]+$"_s);
    return plain.match(directory).hasMatch()
        && directory.size() + maxSocketNameLength < qsizetype(sizeof(sockaddr_un::sun_path));
}

QString shortRunDirectory(const QString& directory, const Account& account)
{
    const QByteArray hash = QCryptographicHash::hash(directory.toUtf8(), QCryptographicHash::Sha256).toHex();
    const QString name = u"lockscope-%1-%2"_s.arg(account.uid).arg(QString::fromLatin1(hash.left(16)));
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    // Another account's server could not enter our runtime directory.
    if (!runtime.isEmpty() && geteuid() == account.uid && fitsSockets(runtime + u'/' + name)
        && QFileInfo(runtime).isWritable())
        return QDir::cleanPath(runtime) + u'/' + name;
    return u"/tmp/"_s + name;
}

Result<void> makePrivate(const QString& directory, const Account& account)
{
    const QByteArray path = QFile::encodeName(directory);
    if (mkdir(path.constData(), 0700) != 0 && errno != EEXIST)
        return systemFailure(u"Can't make the directory %1."_s.arg(directory));
    struct stat info { };
    // Not followed: in /tmp somebody else could have put a link there.
    if (lstat(path.constData(), &info) != 0)
        return systemFailure(u"Can't check the directory %1."_s.arg(directory));
    if (!S_ISDIR(info.st_mode) || (info.st_uid != account.uid && info.st_uid != geteuid()))
        return failure(ErrorKind::Permission,
            u"%1 is not a directory of this user: the sandbox can't use it."_s.arg(directory),
            u"Remove it, or set LOCKSCOPE_SANDBOX_DIR to another directory."_s);
    if (info.st_uid != account.uid && chown(path.constData(), account.uid, account.gid) != 0)
        return systemFailure(u"Can't hand %1 to the account of the sandbox's server."_s.arg(directory));
    if ((info.st_mode & 0777) != 0700 && chmod(path.constData(), 0700) != 0)
        return systemFailure(u"Can't make %1 private."_s.arg(directory));
    return {};
}

Result<void> refuseForeign(const QString& directory)
{
    const QDir dir(directory);
    const auto everything = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
    if (!dir.exists() || dir.isEmpty(everything) || dir.exists(u"run"_s) || dir.exists(u"start.lock"_s))
        return {};
    return failure(ErrorKind::BadInput,
        u"The directory %1 holds something else than a Lockscope sandbox."_s.arg(directory),
        u"Set LOCKSCOPE_SANDBOX_DIR to an empty directory, or to one that does not exist yet."_s);
}

QString tailOf(const QString& path)
{
    constexpr int maxTailLength = 2'000;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    if (file.size() > maxTailLength)
        file.seek(file.size() - maxTailLength);
    return QString::fromUtf8(file.readAll()).trimmed();
}

} // namespace

Layout Layout::of(const QString& directory, const Account& account)
{
    Layout layout;
    layout.directory = QDir::cleanPath(QDir(directory).absolutePath());
    const QString inside = layout.directory + u"/run"_s;
    layout.runDirectory = fitsSockets(inside) ? inside : shortRunDirectory(layout.directory, account);
    return layout;
}

QString Layout::defaultDirectory()
{
    const QString named = qEnvironmentVariable("LOCKSCOPE_SANDBOX_DIR");
    if (!named.isEmpty())
        return named;
    if (geteuid() == 0)
        return u"/var/lib/lockscope/sandbox"_s;
    return dataFolder() + u"/sandbox"_s;
}

QString Layout::logTail() const
{
    const QStringList tails{tailOf(supervisorLog()), tailOf(serverLog())};
    return tails.join(u'\n').trimmed();
}

Result<void> Layout::prepare(const Account& account) const
{
    if (auto ours = refuseForeign(directory); !ours)
        return ours;
    const QString parent = QFileInfo(directory).path();
    if (!QDir().mkpath(parent))
        return systemFailure(u"Can't make the directory %1."_s.arg(parent));
    if (auto made = makePrivate(directory, account); !made)
        return made;
    if (auto reachable = checkReachable(directory, account); !reachable)
        return reachable;
    return makePrivate(runDirectory, account);
}

} // namespace lockscope::sandbox
