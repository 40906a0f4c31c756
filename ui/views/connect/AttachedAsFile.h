// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"

#include <QByteArray>

namespace lockscope::ui {

/// An attached table as a file of a framework, to be completed by hand: then it is recognised on each server.
/// A row that says by a column that it is held is freed by the opposite of a truth value or of 1; where the
/// opposite is not known, the file says that it is not to be touched.
QByteArray attachedAsFile(const db::AttachedTable& table, Engine engine);
QString attachedFileName(const db::AttachedTable& table); ///< "running-jobs.json"
/// "Liquibase": the framework of the catalogue whose lock table that is; null if it is none's.
FrameworkPtr frameworkOf(
    const QString& schema, const QString& table, const QStringList& columns, Engine engine);

} // namespace lockscope::ui
