// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProtocol.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

using namespace scenario;

namespace {

QByteArrayList framesOf(FrameReader& reader)
{
    QByteArrayList frames;
    while (const auto frame = reader.next())
        frames << *frame;
    return frames;
}

QByteArray only(const QByteArray& framed)
{
    FrameReader reader;
    reader.add(framed);
    const QByteArrayList frames = framesOf(reader);
    if (frames.size() != 1)
        qFatal("what was sent is not one frame");
    return frames.first();
}

void check(const QByteArray& frame)
{
    const auto order = orderFrom(frame);
    const auto news = messageFrom(frame);
    if (order && news)
        qFatal("an order and news at once");
    if (order && orderFrom(only(toFrame(*order)))->index() != order->index())
        qFatal("an order became another one");
    if (news && messageFrom(only(toFrame(*news)))->index() != news->index())
        qFatal("news became others");
}

} // namespace

/// Feeds bytes to what reads the other side of a session's pipe; aborts if pieces make other frames than the
/// whole, or if what is accepted can't be sent again.
static void fuzzSessionFrames(const QByteArray& bytes)
{
    check(bytes);
    FrameReader whole;
    whole.add(bytes);
    const QByteArrayList frames = framesOf(whole);
    for (const QByteArray& frame : frames)
        check(frame);
    FrameReader pieces;
    QByteArrayList cut;
    for (const char byte : bytes) {
        pieces.add(QByteArray(1, byte));
        cut += framesOf(pieces);
    }
    if (cut != frames || pieces.isBroken() != whole.isBroken())
        qFatal("pieces make other frames");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzSessionFrames)
