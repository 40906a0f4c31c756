// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Secret.h"

#include "core/base/Descriptor.h"
#include "core/base/FileOwner.h"
#include "core/base/WriteFile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxSecretSize = 4'096;
constexpr auto variablePrefix = "env:"_L1;
constexpr auto filePrefix = "file:"_L1;

Failure unusable(const QString& reference, const QString& why, const QString& hint = {})
{
    return failure(ErrorKind::Permission, u"Can't use the secret in %1: %2."_s.arg(reference, why), hint);
}

Result<QByteArray> contentOfFile(const QString& reference)
{
    const QByteArray path = QFile::encodeName(reference.mid(filePrefix.size()));
    // Non-blocking: a pipe in this place must not keep us waiting.
    const Descriptor file(::open(path.constData(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.isOpen() && errno == ELOOP)
        return unusable(reference, u"it is a link"_s, u"Name the file itself."_s);
    struct stat seen { };
    if (!file.isOpen() || ::fstat(file.number(), &seen) != 0)
        return unusable(reference, QString::fromLocal8Bit(std::strerror(errno)));
    if (!S_ISREG(seen.st_mode))
        return unusable(reference, u"it is no plain file"_s);
    if (!isOurs(seen))
        return unusable(reference, u"it belongs to another account"_s, u"Give it to this account (chown)."_s);
    const mode_t others = seen.st_mode & (S_IRWXG | S_IRWXO);
    // systemd gives its services access by a list beside the mode, which shows as a right of root's group.
    const bool isCredential = path.startsWith("/run/credentials/") && seen.st_uid == 0 && seen.st_gid == 0;
    if (others != 0 && !(isCredential && others == S_IRGRP))
        return unusable(reference, u"others may read it"_s, u"Take that right from them (chmod 600)."_s);
    QByteArray content(maxSecretSize + 1, Qt::Uninitialized);
    const ssize_t size = ::read(file.number(), content.data(), static_cast<size_t>(content.size()));
    if (size < 0)
        return unusable(reference, QString::fromLocal8Bit(std::strerror(errno)));
    content.resize(size);
    return content;
}

} // namespace

Result<void> checkSecretReference(const QString& reference)
{
    const bool isVariable = reference.startsWith(variablePrefix) && reference.size() > variablePrefix.size();
    if (!isVariable && !reference.startsWith(filePrefix + u'/'))
        // It may be the secret itself, so it is not repeated.
        return failure(ErrorKind::BadInput, u"A channel's secret is written as env:NAME or file:/path."_s,
            u"Put the secret into a file that only this account can read, and name that."_s);
    return {};
}

Result<QString> readSecret(const QString& reference)
{
    if (const Result<void> checked = checkSecretReference(reference); !checked)
        return Failure(checked.error());
    QByteArray content;
    if (reference.startsWith(variablePrefix)) {
        content = qgetenv(reference.mid(variablePrefix.size()).toLocal8Bit().constData());
    } else if (Result<QByteArray> read = contentOfFile(reference)) {
        content = *read;
    } else {
        return Failure(read.error());
    }
    const QString secret = QString::fromUtf8(content).trimmed();
    if (secret.isEmpty())
        return unusable(reference, u"it is empty"_s);
    if (content.size() > maxSecretSize)
        return unusable(reference, u"it is too long"_s);
    if (std::any_of(
            secret.begin(), secret.end(), [](QChar each) { return each < u' ' || each == QChar(0x7f); }))
        return unusable(reference, u"it has more than one line"_s);
    return secret;
}

Result<void> writeSecret(const QString& reference, const QString& secret)
{
    if (!reference.startsWith(filePrefix + u'/'))
        return failure(ErrorKind::BadInput, u"A secret is written to a file only, named as file:/path."_s);
    const QString path = reference.mid(filePrefix.size());
    QDir().mkpath(QFileInfo(path).path());
    // What is written takes the mode of the file that is there.
    const QByteArray name = QFile::encodeName(path);
    const Descriptor made(
        ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool isThere = !made.isOpen() && errno == EEXIST;
    if (isThere && ::chmod(name.constData(), S_IRUSR | S_IWUSR) != 0)
        return unusable(reference, QString::fromLocal8Bit(std::strerror(errno)));
    return writeFile(path, secret.toUtf8() + '\n');
}

} // namespace lockscope::alert
