// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/PostgresPrograms.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

#include <algorithm>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

bool holdsPrograms(const QString& directory)
{
    return QFileInfo(directory + u"/initdb"_s).isExecutable()
        && QFileInfo(directory + u"/postgres"_s).isExecutable();
}

/// "15", "9.6": PostgreSQL's idea of a major version, as in the file PG_VERSION.
QString majorVersionOf(const QString& directory)
{
    QProcess postgres;
    postgres.start(directory + u"/postgres"_s, {u"--version"_s}, QIODevice::ReadOnly);
    if (!postgres.waitForFinished(10'000))
        return {};
    static const QRegularExpression version(u"(\\d+)(\\.\\d+)?"_s);
    const auto match = version.match(QString::fromLocal8Bit(postgres.readAllStandardOutput()));
    return match.captured(1).toInt() >= 10 ? match.captured(1) : match.captured();
}

/// Newest first; a version below 10 sorts rightly too, being a number.
QStringList versionedDirectories()
{
    QStringList found;
    for (const QString& root : {u"/usr/lib/postgresql"_s, u"/usr/local/lib/postgresql"_s}) {
        QStringList versions = QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        std::ranges::sort(
            versions, std::greater<>(), [](const QString& version) { return version.toDouble(); });
        for (const QString& version : std::as_const(versions))
            found << root + u'/' + version + u"/bin"_s;
    }
    return found;
}

QStringList candidates()
{
    const QString named = qEnvironmentVariable("LOCKSCOPE_PG_BINDIR");
    if (!named.isEmpty())
        return {named};
    QStringList found = versionedDirectories();
    const QString onPath = QStandardPaths::findExecutable(u"postgres"_s);
    if (!onPath.isEmpty())
        found << QFileInfo(onPath).canonicalPath();
    return found;
}

} // namespace

Result<QString> findPostgresPrograms(const QString& majorVersion)
{
    bool otherVersion = false;
    for (const QString& directory : candidates()) {
        if (!holdsPrograms(directory))
            continue;
        if (majorVersion.isEmpty() || majorVersionOf(directory) == majorVersion)
            return directory;
        otherVersion = true;
    }
    const QString named = qEnvironmentVariable("LOCKSCOPE_PG_BINDIR");
    if (otherVersion && !named.isEmpty()) {
        return failure(ErrorKind::MissingObject,
            u"The sandbox was made by PostgreSQL %1, and LOCKSCOPE_PG_BINDIR (%2) has only another version."_s
                .arg(majorVersion, named),
            u"Unset LOCKSCOPE_PG_BINDIR to open that sandbox, or set LOCKSCOPE_SANDBOX_DIR to an empty directory: a sandbox of the other version is made there."_s);
    }
    if (otherVersion) {
        return failure(ErrorKind::MissingObject,
            u"The sandbox was made by PostgreSQL %1, which is not installed."_s.arg(majorVersion),
            u"Install it (apt install postgresql-%1), or delete the sandbox's directory to start afresh."_s
                .arg(majorVersion));
    }
    return failure(ErrorKind::MissingObject,
        named.isEmpty()
            ? u"The sandbox needs PostgreSQL's server programs (initdb, postgres), and there are none here."_s
            : u"LOCKSCOPE_PG_BINDIR is %1, but initdb and postgres are not there."_s.arg(named),
        u"Install them (Debian, Ubuntu: apt install postgresql), or set LOCKSCOPE_PG_BINDIR to the directory that holds them."_s);
}

} // namespace lockscope::sandbox
