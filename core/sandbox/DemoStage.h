// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/DemoActor.h"

#include <condition_variable>
#include <mutex>
#include <vector>

namespace lockscope::sandbox {

/// What one program does in a scene: a transaction of some statements.
struct DemoPart {
    struct Step {
        const char* statement; ///< below schema/postgres/demo/
        std::vector<db::Param> params;
    };
    QString program;
    milliseconds entersAfter; ///< once the head blocker has its locks
    std::vector<Step> steps;
};

/// A transaction that stays open too long, and those who get stuck behind it.
struct DemoScene {
    DemoPart head;
    std::vector<DemoPart> victims;
};

/// The scenes that the demo repeats for ever.
const std::vector<DemoScene>& demoScenes();
/// So many victims at most stand behind one head.
inline constexpr int demoVictims = 5;

/// Where the head blocker and the victims meet: the head says which scene is on. Any thread.
class DemoStage {
public:
    void raiseCurtain(const DemoScene& scene);
    void lowerCurtain();
    /// The scene after number `seen`, which becomes its number. Null after `stop`.
    const DemoScene* nextScene(int& seen, const std::stop_token& stop);
    bool isOn(int number) const;

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    const DemoScene* m_scene = nullptr; ///< guarded by m_mutex; null between scenes
    int m_number = 0; ///< guarded by m_mutex
};

/// Bodies of the threads; they return after `stop`.
void playHead(DemoStage& stage, DemoActor actor);
void playVictim(DemoStage& stage, DemoActor actor, int index);

} // namespace lockscope::sandbox
