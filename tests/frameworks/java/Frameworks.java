// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

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

    private static final Map<String, Program> PROGRAMS = Map.of( //
            "liquibase", new LiquibaseProgram(), //
            "flyway", new FlywayProgram(), //
            "shedlock", new ShedLockProgram(), //
            "quartz", new QuartzProgram(), //
            "db-scheduler", new DbSchedulerProgram());
    private static boolean isHolder;

    private Frameworks() {
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
            } catch (InterruptedException told) {
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
