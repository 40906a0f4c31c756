// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <QDirIterator>
#include <QFile>
#include <QtDebug>

#include <cstdint>

// libFuzzer would call this; each fuzz target defines its own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Runs the corpus without a fuzzer, so that every compiler's build checks what was once found.
int main(int argc, char** argv)
{
    int inputs = 0;
    for (QDirIterator each(QString::fromLocal8Bit(argc > 1 ? argv[1] : "."), QDir::Files); each.hasNext();
         ++inputs) {
        QFile file(each.next());
        if (!file.open(QIODevice::ReadOnly))
            qFatal("can't read %s", qPrintable(file.fileName()));
        const QByteArray input = file.readAll();
        // Every beginning of it, too: parsers stumble over what ends too early.
        for (qsizetype size = 0; size <= input.size(); ++size)
            LLVMFuzzerTestOneInput(
                reinterpret_cast<const std::uint8_t*>(input.constData()), static_cast<std::size_t>(size));
    }
    if (inputs == 0)
        qFatal("the corpus is empty");
    return 0;
}
