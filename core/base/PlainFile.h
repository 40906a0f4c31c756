// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QDeadlineTimer>
#include <QString>
#include <QStringList>

#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

class QFile;

namespace lockscope {

/// Owns a file descriptor of POSIX and closes it. Negative: none.
class Descriptor {
public:
    explicit Descriptor(int number = -1)
        : m_number(number)
    {
    }
    Descriptor(Descriptor&& other) noexcept
        : m_number(std::exchange(other.m_number, -1))
    {
    }
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    ~Descriptor() { close(); }

    int number() const { return m_number; }
    bool isOpen() const { return m_number >= 0; }
    void close()
    {
        if (m_number >= 0)
            ::close(std::exchange(m_number, -1));
    }

private:
    int m_number;
};

/// A plain file that is opened first and judged then: an account that can write to its folder can put another
/// one in its place meanwhile, but what is read is what was judged. Never waits for a pipe. Blocks on the
/// disk.
class PlainFile {
public:
    enum class Links : quint8 { Follow, Refuse }; ///< if the file itself is one
    /// The rights of other accounts than this one and root that are let pass. Except for Anything the file
    /// must belong to this account or root.
    enum class Others : quint8 {
        Anything,
        Read,
        ReadByRootsGroup, ///< the group of a file of root's, as PostgreSQL has it of keys
        Nothing
    };

    explicit PlainFile(const QString& path, Links links = Links::Follow);

    /// Returns why it is not read, as the end of a sentence ("it is a link") without a stop, and what to do
    /// as its hint. Server: the system can't open it. BadInput: it is no plain file. Permission: others may
    /// do more than allowed.
    std::optional<Error> reasonAgainst(Others allowed) const;
    /// Reads at most so many bytes. Server: the system can't read it, or has not opened it.
    Result<QByteArray> read(qint64 maximum) const;
    /// Opens `file` for reading what was opened here, which must live longer. False: its errorString() says
    /// why.
    bool openIn(QFile& file) const;

    /// Returns the status of the file that was opened; all zero if none was.
    const struct stat& status() const { return m_status; }

private:
    Descriptor m_file;
    struct stat m_status { };
    int m_error = 0; ///< of the system; 0: it is open
};

/// Reads a plain file of at most a megabyte, no matter which account can write it. Blocks on the disk.
Result<QByteArray> readTextFile(const QString& path);

/// As readTextFile(), for files that say what this program does. Permission: another account can write to it,
/// or put another one in its place.
Result<QByteArray> readTrustedFile(const QString& path);

/// Waits until this process has an exclusive flock(2) on the file, at most until `deadline`. Returns 0, the
/// error of the system, or EWOULDBLOCK if another process keeps it.
int lockFile(const Descriptor& file, const QDeadlineTimer& deadline);

/// Returns all of a file or resource; empty if it can't be read. Blocks on the disk.
QByteArray fileContent(const QString& path);

/// Returns a file that is compiled in, named without the colon: "/alerts/rules.json".
QByteArray builtInFile(const QString& path);

// Whether other accounts can change what lies in a place.

/// This account's or root's.
bool isOurs(const struct stat& file);
/// Returns whether another account may write there. A group counts as others, unless it is this account's own
/// and has no other members.
bool othersMayWrite(const struct stat& file);
/// Returns whether another account may do anything with what is private. Each group counts as others: an
/// account that joins it later could read what was written before.
bool othersMayUse(const struct stat& file);

/// A folder on the way to a place by which others could put something else there.
struct UnsafeStep {
    enum class Why {
        Unreachable, ///< errno tells why
        Strangers, ///< it belongs to another account
        Open, ///< others may write to it
    };
    QString folder;
    Why why = Why::Unreachable;
};
/// The first of them from the root on; nothing if there is none. `folder`: absolute, without links. Blocks
/// for the disk.
std::optional<UnsafeStep> unsafeStep(const QString& folder);
/// Each folder on the way, from the root on: "/", "/home", "/home/ann".
QStringList stepsOf(const QString& folder);

/// Writes the whole file or, with BadInput, none of it: what was there before stays until all is written. Not
/// where reasonAgainstWriting() has one. Any thread.
Result<void> writeFile(const QString& path, const QByteArray& content);

/// Returns why no file is written there, with BadInput: through a link, over what is no file, or in a folder
/// in which another account could put something else in its place. Every file that somebody names as output
/// is asked for here; writeFile() does so itself. Blocks for the disk.
std::optional<Error> reasonAgainstWriting(const QString& path);

// Lockscope's folders in this account, which need not exist, by the XDG base directory specification: a
// relative path in the variable is ignored.

QString configFolder();
QString dataFolder();
QString stateFolder();
QString cacheFolder();

} // namespace lockscope
