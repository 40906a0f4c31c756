// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Damage.h"

#include "core/base/PlainFile.h"
#include "core/base/ShownText.h"
#include "core/record/RecordingFile.h"

#include <QFile>

#include <array>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockscope::record {

using namespace Qt::StringLiterals;

bool isDamage(const Error& error)
{
    return error.kind == ErrorKind::BadInput && isDamageCode(error.nativeCode.toInt());
}

bool isDamageCode(int code)
{
    constexpr int withoutExtension = 0xff; // sqlite.org/rescode.html#extrc
    switch (code & withoutExtension) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: // its first page
    case SQLITE_CONSTRAINT: // a writer writes nothing that contradicts what it has written
        return true;
    default:
        return code == SQLITE_IOERR_READ || code == SQLITE_IOERR_CORRUPTFS; // the disk can't
    }
}

Failure damaged(const QString& what)
{
    Failure damage = failure(ErrorKind::BadInput, what, u"The snapshots around it may be intact."_s);
    damage.value().nativeCode = QString::number(SQLITE_CORRUPT);
    return damage;
}

Failure otherChecksum(const QString& thing)
{
    return damaged(u"%1 has another checksum than it should: it is damaged."_s.arg(thing));
}

QString rebuildingOf(const QString& path)
{
    return u"Rebuild what can be read of it: sqlite3 %1 .recover | sqlite3 rebuilt.lockscope (on Debian and Ubuntu the first word is: fossil sql --no-repository)"_s
        .arg(shellWord(path));
}

namespace {

constexpr qint64 maxMarkBytes = 4'096; // of a mark

QString markOf(const QString& path)
{
    return path + u".damaged"_s;
}

/// Returns the identity of the file there, so that another one in its place differs; empty: none.
QByteArray fileAt(const QString& path)
{
    struct stat seen { };
    if (::lstat(QFile::encodeName(path).constData(), &seen) != 0)
        return {};
    return QByteArray::number(quint64(seen.st_dev)) + ' ' + QByteArray::number(quint64(seen.st_ino));
}

constexpr std::array<quint32, 256> remainders = [] {
    std::array<quint32, 256> table{};
    for (quint32 byte = 0; byte < table.size(); ++byte) {
        quint32 rest = byte;
        for (int bit = 0; bit < 8; ++bit)
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320 : 0);
        table[byte] = rest;
    }
    return table;
}();

} // namespace

void leaveDamageMark(const QString& path, const Error& damage)
{
    const QByteArray file = fileAt(path);
    if (file.isEmpty() || !WriterLock::isAnybodys(path))
        return;
    const Descriptor mark(::open(QFile::encodeName(markOf(path)).constData(),
        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!mark.isOpen())
        return; // there is one already
    const QString& what = damage.reason();
    const QByteArray text = file + '\n' + what.simplified().left(maxMarkBytes / 8).toUtf8();
    if (::write(mark.number(), text.constData(), static_cast<size_t>(text.size())) != text.size())
        removeDamageMark(path);
}

std::optional<Error> damageMarkOf(const QString& path)
{
    // Only a plain file of this account's with one name is believed.
    const PlainFile mark(markOf(path), PlainFile::Links::Refuse);
    const bool isOwn = !mark.reasonAgainst(PlainFile::Others::Anything) && mark.status().st_nlink == 1
        && mark.status().st_uid == ::geteuid();
    const QByteArray text = isOwn ? mark.read(maxMarkBytes).value_or(QByteArray()) : QByteArray();
    const qsizetype end = text.indexOf('\n');
    if (end < 0 || text.left(end) != fileAt(path))
        return std::nullopt;
    Error damage = damaged(u"The recording %1 is damaged."_s.arg(path)).value();
    damage.detail = u"A program that read it has met damage: "_s + QString::fromUtf8(text.mid(end + 1));
    damage.hint = rebuildingOf(path);
    return damage;
}

void removeDamageMark(const QString& path)
{
    QFile::remove(markOf(path));
}

quint32 checksumOf(const QByteArray& bytes, quint32 before)
{
    quint32 sum = ~before;
    for (const char byte : bytes)
        sum = remainders[(sum ^ static_cast<quint8>(byte)) & 0xff] ^ (sum >> 8);
    return ~sum;
}

quint32 checksumOf(qint64 number, std::initializer_list<QString> texts)
{
    quint32 sum = checksumOf(QByteArray::number(number));
    for (const QString& text : texts)
        sum = checksumOf(text.toUtf8() + '\0', sum);
    return sum;
}

} // namespace lockscope::record
