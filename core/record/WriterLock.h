// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/PlainFile.h"
#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <memory>

namespace lockscope::record {

/// The native code of take()'s errors if another program has the lock.
inline const QString writtenByAnother = QStringLiteral("another writer");

/// The right to write a recording: a file beside it, "FILE.lock", which the system holds locked as long as
/// this lives and no longer than its process. One thread.
class WriterLock {
public:
    /// Permission: another program has it, which the error names, the folder can't be written, or somebody
    /// has put something else in the place of that file.
    static Result<std::unique_ptr<WriterLock>> take(const QString& recording);
    /// Returns whether a program has it, or has had it and was cut off.
    static bool isAnybodys(const QString& recording);
    ~WriterLock();
    Q_DISABLE_COPY(WriterLock)

    /// False: the lock's file is not at its place any more, or is another one. Somebody else may have the
    /// right by now.
    bool isHeld() const;

private:
    WriterLock(QByteArray name, Descriptor file);

    QByteArray m_name;
    Descriptor m_file;
};

} // namespace lockscope::record
