// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.time.Duration;
import java.util.Map;

/**
 * Frameworks NAME hold|work: see tests/frameworks/fetch for what a program writes and how it ends.
 */
public final class Frameworks {
    /** Thrown where the framework says that somebody else holds its lock. */
    static final class Locked extends Exception {
        private static final long serialVersionUID = 1;

        Locked(String reason) {
            super(reason);
        }
    }

    interface Program {
        /** The framework's job: under its lock it calls {@link Frameworks#underTheLock}. */
        void run(Database database) throws Exception;
    }

    private static final Map<String, Program> PROGRAMS = Map.ofEntries( //
            Map.entry("liquibase", new LiquibaseProgram(0)), //
            Map.entry("liquibase-that-waits", new LiquibaseProgram(5)), //
            Map.entry("flyway", new FlywayProgram()), //
            Map.entry("shedlock", new ShedLockProgram(true)), //
            Map.entry("shedlock-by-its-own-clock", new ShedLockProgram(false)), //
            Map.entry("quartz", new QuartzProgram()), //
            Map.entry("db-scheduler", new DbSchedulerProgram(Duration.ofMinutes(5))), //
            Map.entry("db-scheduler-each-hour", new DbSchedulerProgram(Duration.ofHours(1))), //
            Map.entry("spring-integration", new SpringIntegrationProgram()), //
            Map.entry("camunda", new CamundaProgram()), //
            Map.entry("axon", new AxonProgram()), //
            Map.entry("jobrunr", new JobRunrProgram()));
    private static boolean isHolder;

    private Frameworks() {
    }

    /** How many seconds a program waits for its job to be done: a holder stays in it. */
    static long patience() {
        return isHolder ? Long.MAX_VALUE : 8;
    }

    /** What the framework does while it holds its lock: nothing; a holder never comes back. */
    static void underTheLock() {
        if (!isHolder) {
            return;
        }
        say("held");
        for (;;) {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException ignored) {
                // Only its death ends it.
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    public static void main(String[] arguments) {
        isHolder = "hold".equals(arguments[1]);
        int code = 0;
        try {
            PROGRAMS.get(arguments[0]).run(new Database());
            say("done");
        } catch (Locked locked) {
            say("locked: " + locked.getMessage());
            code = 3;
        } catch (Exception failed) {
            failed.printStackTrace();
            code = 1;
        }
        System.exit(code); // threads of a framework may live on
    }
}
