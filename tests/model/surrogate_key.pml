// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

/* A surrogate key on PostgreSQL (schema/postgres/surrogates.sql, lock_surrogate_key in install.sql), checked by spin: one key,
 * whose row clients lock in their transactions, while an administrator removes rows that nobody has locked, and ends sessions.
 * One step of the model is what one statement does at one moment; a statement that waits has a step before and after. Whose
 * session is ended believes that he has the key until he hears of it: his next statement tells him.
 *
 * Asserted: no two transactions have the key (exclusion), and who has it has a row locked or inserted (nothing held). What is
 * done in the transactions is as if they came one after the other: between the grant and the commit of one nobody else commits
 * (fencing), whatever those do who only believe that they have the key. Dead ends count as faults: somebody who waits goes on once
 * nobody is in his way.
 *
 * What may be defined (-D); CMakeLists.txt says what is checked with what:
 *   CLIENTS=n      3 if not given
 *   TERMINATES=n   how many sessions of holders are ended; 0 if not given
 * and, to see each fault found:
 *   NO_LOOP        whoever has waited for the row has the key, whether there still is a row or not
 *   NO_UNIQUE      the table has no unique index: everybody may insert a row of his own
 *   ONLY_EXCLUSION goes on where nothing is held, up to two who have the key
 *   ELSEWHERE      whoever believes that he has the key works under it where no transaction undoes it (files, other sessions):
 *                  after an administrator has ended a session, two may
 *   LATE_COMMIT    what somebody does whose session was ended is kept: there would be no fencing
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef TERMINATES
#define TERMINATES 0
#endif
#define NOBODY CLIENTS
#define CLEANER (CLIENTS + 1)

/* lockscope.surrogate_key: the row as others see it, and whose open transaction has locked, or deletes, it. */
bool row;
byte rowLock = NOBODY;
/* Whose open transaction has inserted the row, which others don't see; the unique index lets them wait for it. */
byte inserter = NOBODY;
/* Of whoever waits for the row: that row was deleted meanwhile. One that was made anew is another one. */
bool isGone[CLIENTS];

byte terminates; /* so far */

/* For the properties only. */
byte holders; /* transactions that have the key */
byte believers; /* whose sessions were ended, and who do not know it yet */
bool isFirst[CLIENTS]; /* nobody else has committed since the grant */

#define me _pid
hidden byte i;

inline commit()
{
    assert(isFirst[me]); /* fencing */
    for (i : 0 .. CLIENTS - 1) {
        isFirst[i] = false
    }
}

inline rollBack()
{
    if
    :: inserter == me -> inserter = NOBODY
    :: else
    fi;
    if
    :: rowLock == me -> rowLock = NOBODY
    :: else
    fi;
    holders--
}

active [CLIENTS] proctype Client()
{
    bool isFound;

try: /* SELECT … FOR UPDATE SKIP LOCKED */
    skip;
    if
    :: d_step { row && rowLock == NOBODY -> rowLock = me };
       goto hold
    :: d_step { !(row && rowLock == NOBODY) -> skip }
    fi;

add: /* INSERT … ON CONFLICT DO NOTHING: waits for an insert and for a delete that are not decided, not for a lock */
    skip;
#ifdef NO_UNIQUE
    if
    :: true -> goto hold
    fi;
#else
    if
    :: d_step { !row && inserter == NOBODY -> inserter = me };
       goto hold
    :: d_step { row && rowLock != CLEANER -> skip }
    fi;
#endif

    /* SELECT … FOR UPDATE: what it sees when it begins, and what it finds when it needs to wait no more */
    d_step { isFound = row; isGone[me] = !row };
    if
    :: d_step { isGone[me] -> isFound = false }
    :: d_step { !isGone[me] && rowLock == NOBODY -> rowLock = me }
    fi;
    isGone[me] = false;
#ifndef NO_LOOP
    if
    :: !isFound -> goto add
    :: else
    fi;
#endif

hold:
    skip;
    d_step {
#ifdef ELSEWHERE
        assert(believers == 0);
#endif
        assert(holders == 0); /* exclusion */
#ifndef ONLY_EXCLUSION
        assert(rowLock == me || inserter == me); /* nothing held */
#endif
        holders++;
        isFirst[me] = true;
        isFound = false
    };
    /* COMMIT; or ROLLBACK; or the end of the session, which the server tells while it frees the key, or later */
    if
    :: d_step {
           commit();
           row = row || inserter == me;
           if
           :: inserter == me -> inserter = NOBODY
           :: else
           fi;
           if
           :: rowLock == me -> rowLock = NOBODY
           :: else
           fi;
           holders--
       }
    :: d_step {
           rollBack();
           isFirst[me] = false
       }
    :: d_step {
           terminates < TERMINATES -> terminates++;
           rollBack();
           believers++
       };
       d_step {
           believers--; /* its next statement, a COMMIT too, is refused */
#ifdef LATE_COMMIT
           commit();
#endif
           isFirst[me] = false
       }
    fi;
    goto try
}

/* DELETE FROM lockscope.surrogate_key, which waits for whoever has the row */
active proctype Cleaner()
{
end:
    do
    :: d_step { row && rowLock == NOBODY -> rowLock = CLEANER };
       if
       :: d_step {
              row = false;
              rowLock = NOBODY;
              for (i : 0 .. CLIENTS - 1) {
                  isGone[i] = true
              }
          }
       :: rowLock = NOBODY /* ROLLBACK */
       fi
    od
}
