// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/BlockingGraph.h"

namespace lockscope::test {

/// "51<-63 51<-70 63<-80": 63 and 70 wait for 51, 80 waits for 63.
std::vector<WaitEdge> edgesFromText(const QString& text);
BlockingGraph graphFromText(const QString& text);

/// A snapshot of PostgreSQL's kind, taken at second 1,000, one resource a part:
/// "a: 51 Exclusive, 63 ?Share@990; b: 63 Exclusive". "?" waits, "@990" since that second, "63/51" is a
/// parallel worker of 51. Waits are not computed; the index is built.
Snapshot snapshotFromText(const QString& text, Engine engine = Engine::Postgres);

/// The same with its waits.
Snapshot waitingFromText(const QString& text, Engine engine = Engine::Postgres);
/// "63->51 70->51 70~>63": "->" waits for a holder, "~>" is only behind it in the queue. Sorted.
QString textOf(const std::vector<WaitEdge>& edges);
QString textOf(const std::vector<SessionId>& sessions); ///< "51 63"

} // namespace lockscope::test
