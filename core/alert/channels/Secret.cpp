// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Secret.h"

#include "core/base/Descriptor.h"
#include "core/base/PlainFile.h"
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
    const QString path = reference.mid(filePrefix.size());
    const PlainFile file(path, PlainFile::Links::Refuse);
    // systemd gives its services access by a list beside the mode, which shows as a right of root's group.
    const bool isCredential = path.startsWith(u"/run/credentials/"_s) && file.status().st_gid == 0;
    if (const auto reason = file.reasonAgainst(
            isCredential ? PlainFile::Others::ReadByRootsGroup : PlainFile::Others::Nothing))
        return unusable(reference, reason->what, reason->hint);
    auto content = file.read(maxSecretSize + 1);
    return content ? content : unusable(reference, content.error().what);
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
    if (std::ranges::any_of(secret, [](QChar each) { return each < u' ' || each == QChar(0x7f); }))
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
