// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/FrameworkProgram.h"
#include "tests/support/Lockctl.h"

namespace lockscope::test {

/// A database for one framework, and lockctl at it.
class FrameworkBench {
public:
    FrameworkBench(const QString& inLanguage, const QString& of, Engine on = Engine::Postgres);

    /// A server on a port, since not every driver knows the sockets of files.
    static TestServer& server();
    /// Lets programs log in to it from an address of this machine that other machines don't have, and returns
    /// that; empty if there is none.
    static QString admitOwnAddress();

    std::unique_ptr<FrameworkProgram> start(
        const QString& program, const QString& act, const FrameworkProgram::Environment& more = {}) const;
    /// Runs SQL as the superuser; does nothing for an empty text.
    void run(const QString& sql) const;
    QJsonObject listed() const;
    /// Those of "entries" or "locks" that are this framework's.
    QList<QJsonObject> shown(const QString& list) const { return shown(listed(), list); }
    QList<QJsonObject> shown(const QJsonObject& snapshot, const QString& list) const;

    const QString language;
    const QString framework; ///< file of resources/frameworks
    const Engine engine;
    const QTemporaryDir directory;
    const db::ServerUrl url;
    Lockctl ctl;
};

} // namespace lockscope::test
