// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

/* The lock-table protocol of schema/postgres/install.sql for one name, checked by spin.
 *
 * Clients take the name by lockscope.acquire_lock, waiting or not, or by a plain INSERT whose transaction may stay open;
 * they renew, release, give up, come back after their lease ended, go on in a new session, and may crash at any step. An
 * operator purges.
 * One step of the model is what one statement does at one moment; between two steps anybody else may act.
 *
 * Numbers that only grow (tickets, fencing) are kept as ranks, so that the model is finite and clients go on for ever.
 * Time has no figures: a lease and a registration may end at any moment. That a holder's own clock ends its lease
 * before the server's does is the subject of other tests.
 *
 * Asserted: no two unexpired leases (exclusion); fencing numbers grow in the order in which grants become visible
 * (fencing); nobody passes a live waiter (queue). Claimed: while the name is free and somebody alive waits, somebody is
 * granted in the end (noStuckQueue).
 *
 * What may be defined (-D); CMakeLists.txt says what is checked with what:
 *   CLIENTS=n          2 to 4; 3 if not given
 *   CRASHES=n          how many clients crash; 1 if not given
 *   CUTS=n             how many sessions of waiters end, whose clients go on in a new one; 0 if not given
 *   NO_LAPSE           registrations don't end by themselves: everybody renews his in time
 *   LEAVERS=n          how many give up; 1 if not given
 *   NO_ASKING_AGAIN    waiters act on notifications and on the end of the holder's lease alone
 *   FAIR_GUARD         who waits for the guard gets it in turn, as the server's row locks do it: for claims
 * and, to see each fault found:
 *   NO_GUARD           acquire_lock and the trigger don't lock the name's row
 *   EARLY_FENCING      the number is drawn before the guard (a column's DEFAULT)
 *   NO_TOKEN           a release deletes by name, whoever has it
 *   ANY_TICKET         a ticket counts whoever shows it
 *   NO_WAKING          nobody is told that the name was freed
 *   NO_ROW_LOCK        a refused waiter doesn't lock the holder's row, nor sees that it is being deleted
 *   DEAD_COUNT         registrations count for ever, whether their sessions live or not
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef LEAVERS
#define LEAVERS 1
#endif
#ifndef CUTS
#define CUTS 0
#endif
#define NOBODY CLIENTS
#define OPERATOR (CLIENTS + 1)

/* How a client takes the name: the first as a script that doesn't wait, too, the last by plain SQL, too. */
mtype = { waiting, once, plain };
#define MAY_ASK_ONCE(c) (c == 0)
#define MAY_USE_PLAIN_SQL(c) (c == CLIENTS - 1)

/* lockscope.lock_name: who has the name's row FOR UPDATE. */
#ifdef FAIR_GUARD
chan guard = [CLIENTS] of { byte };
#else
byte guard = NOBODY;
#endif

/* lockscope.lock_entry as others see it: a row or none. A token is its client's number. */
byte holder = NOBODY;
bool expired;
/* Whose open transaction has inserted, changed, deleted or locked the row, or its key in the unique index. */
byte rowLock = NOBODY;

/* lockscope.lock_waiter: the place in the order of tickets, 0 = not registered; its expires_at is over. */
byte place[CLIENTS];
bool lapsed[CLIENTS];
/* pg_stat_activity: the session that registered is still there. */
bool session[CLIENTS];
/* NOTIFY lockscope_turn_… has reached the session. */
bool notified[CLIENTS];

/* nextval('lockscope.fencing'): the order in which numbers that are not visible yet were drawn, 0 = none. */
byte drawn[CLIENTS];
/* A number that was drawn later was seen first. */
bool inverted[CLIENTS];

byte crashes, cuts, leavers; /* so far */

/* For the properties only: the lease of a grant that became visible runs; somebody was granted just now. */
bool leased[CLIENTS];
bool granted;

#define me _pid
hidden byte i;
hidden byte isBehind;
hidden byte first;

#define WAITS(c) (place[c] > 0 && !lapsed[c] && session[c])
#ifdef DEAD_COUNT
#define IS_LIVE(c) (place[c] > 0)
#else
#define IS_LIVE(c) WAITS(c)
#endif
#define IS_FREE (holder == NOBODY || expired)

#define FORGET_RANK(rank, who) \
    for (i : 0 .. CLIENTS - 1) { \
        if \
        :: rank[who] > 0 && rank[i] > rank[who] -> rank[i]-- \
        :: else \
        fi \
    } \
    rank[who] = 0

#define GIVE_LAST_RANK(rank, who) \
    rank[who] = 1; \
    for (i : 0 .. CLIENTS - 1) { \
        if \
        :: i != who && rank[i] >= rank[who] -> rank[who] = rank[i] + 1 \
        :: else \
        fi \
    }

/* lock_entry_taken, for acquire_lock and plain INSERT alike: is a live waiter ahead? Who shows no registration of his own (session
 * and token) is behind everybody. */
inline lookAhead(who)
{
    isBehind = false;
    for (i : 0 .. CLIENTS - 1) {
        if
        :: i != who && IS_LIVE(i) && (place[who] == 0 || place[i] < place[who]) -> isBehind = true
        :: else
        fi
    }
#ifdef ANY_TICKET
    isBehind = isBehind && place[who] > 0
#endif
}

/* wake_first_waiter, in lock_entry_freed and leave_queue: whom the notification will reach. */
inline findFirstWaiter(except)
{
    first = NOBODY;
#ifndef NO_WAKING
    for (i : 0 .. CLIENTS - 1) {
        if
        :: i != except && IS_LIVE(i) && (first == NOBODY || place[i] < place[first]) -> first = i
        :: else
        fi
    }
#endif
}

/* COMMIT delivers the notification. */
inline tell(who)
{
    if
    :: who != NOBODY -> notified[who] = session[who]
    :: else
    fi
}

/* COMMIT makes the row visible. */
inline becomeHolder(who)
{
    for (i : 0 .. CLIENTS - 1) {
        assert(i == who || !leased[i]); /* exclusion */
        /* queue: registrations are made and renewed under the guard, which we have */
        assert(i == who || !WAITS(i) || (place[who] > 0 && place[who] < place[i]));
        inverted[i] = inverted[i] || (drawn[i] > 0 && drawn[i] < drawn[who])
    }
    assert(!inverted[who]); /* fencing */
    FORGET_RANK(place, who); /* DELETE FROM lock_waiter, UNLISTEN */
    lapsed[who] = false;
    notified[who] = false;
    session[who] = true;
    holder = who;
    expired = false;
    leased[who] = true;
    granted = true
}

/* COMMIT, ROLLBACK or the end of the session: what the transaction had, it has no more. */
inline endTransaction(who)
{
    if
    :: rowLock == who -> rowLock = NOBODY
    :: else
    fi;
    FORGET_RANK(drawn, who);
    inverted[who] = false;
#ifdef FAIR_GUARD
    if
    :: guard??[eval(who)] -> guard??eval(who)
    :: else
    fi
#else
    if
    :: guard == who -> guard = NOBODY
    :: else
    fi
#endif
}

/* An option beside a step: the client is gone, its session ends, and with it what was not committed. */
#define OR_CRASH \
    :: d_step { \
           crashes < CRASHES -> crashes++; \
           session[me] = false; notified[me] = false; isMine = false; soon = false; way = waiting; next = NOBODY; \
           endTransaction(me) \
       }; \
       goto gone

/* lock_entry_taken: SELECT … FROM lockscope.lock_name … FOR UPDATE, or its INSERT */
#ifdef NO_GUARD
#define LOCK_GUARD skip
#elif defined(FAIR_GUARD)
#define LOCK_GUARD \
    guard!me; \
    if \
    :: guard?[eval(me)] \
    OR_CRASH \
    fi
#else
#define LOCK_GUARD \
    if \
    :: d_step { guard == NOBODY -> guard = me } \
    OR_CRASH \
    fi
#endif

/* The first processes: their numbers are 0, 1 and so on. */
active [CLIENTS] proctype Client()
{
    mtype way = waiting;
    bool isMine;
    bool soon; /* recheck_us is a moment only */
    byte next = NOBODY; /* whom the notification of this transaction will reach */
    session[me] = true;

idle:
    if
    :: true
    :: MAY_ASK_ONCE(me) -> way = once /* lockctl --no-wait */
    :: MAY_USE_PLAIN_SQL(me) -> way = plain /* INSERT INTO lockscope.lock_entry … by any program */
    fi;

ask: /* SELECT … FROM lockscope.acquire_lock(…), or INSERT: the trigger lock_entry_taken */
#ifdef EARLY_FENCING
    skip;
    d_step { GIVE_LAST_RANK(drawn, me) };
#endif
    LOCK_GUARD;
    d_step {
        lookAhead(me);
        isMine = !isBehind;
#ifndef EARLY_FENCING
        if
        :: isMine -> GIVE_LAST_RANK(drawn, me)
        :: else
        fi
#endif
    };
    if
    :: isMine ->
       if
       /* The unique index waits for whoever inserts or deletes the row. */
       :: d_step { rowLock == NOBODY && (holder == NOBODY || way == plain) ->
              isMine = (holder == NOBODY);
              if
              :: isMine -> rowLock = me
              :: else
              fi
          }
       /* DELETE … WHERE expires_at <= … FOR UPDATE SKIP LOCKED: acquire_lock waits for no row. */
       :: d_step { way != plain && holder != NOBODY ->
              isMine = (expired && rowLock == NOBODY);
              if
              :: isMine -> rowLock = me
              :: else
              fi
          }
       OR_CRASH
       fi
    :: else
    fi;
    if
    :: isMine ->
       if
       :: d_step { becomeHolder(me); endTransaction(me); isMine = false; way = waiting };
          goto hold
       :: d_step { way == plain -> becomeHolder(me); endTransaction(me); isMine = false; way = waiting;
              expired = true; leased[me] = false }; /* was open for longer than its lease */
          goto hold
       :: d_step { way == plain -> endTransaction(me); isMine = false; way = waiting }; /* ROLLBACK */
          goto idle
       OR_CRASH
       fi
    :: !isMine && way == waiting ->
       /* SELECT … FROM lock_entry … FOR KEY SHARE SKIP LOCKED: a release comes after the registration and finds it; or it
        * is under way, and recheck_us is 20 ms. Free, and nobody in front: recheck_us is 0. */
       if
       :: d_step {
              lookAhead(me);
#ifndef NO_ROW_LOCK
              soon = (IS_FREE && !isBehind) || (!IS_FREE && rowLock != NOBODY);
              if
              :: !IS_FREE && rowLock == NOBODY -> rowLock = me
              :: else
              fi
#else
              soon = IS_FREE && !isBehind
#endif
          }
       OR_CRASH
       fi;
       /* UPDATE lock_waiter SET expires_at, else INSERT INTO lock_waiter and LISTEN; COMMIT */
       d_step {
           if
           :: place[me] == 0 -> GIVE_LAST_RANK(place, me)
           :: else
           fi;
           lapsed[me] = false;
           session[me] = true;
           endTransaction(me)
       };
    :: !isMine && way != waiting ->
       d_step { endTransaction(me); way = waiting }; /* refused, by 23505 or by an empty answer */
       goto idle
    fi;

    /* Asleep, but for a moment. */
    if
    :: soon -> soon = false; goto ask
    :: else
    fi;
    if
    :: notified[me] -> notified[me] = false
    :: holder != NOBODY && expired /* recheck_us is over */
#ifndef NO_ASKING_AGAIN
    :: true /* the first two in line each second, the others to keep their registrations */
#endif
    :: leavers < LEAVERS -> leavers++; goto leave
    :: d_step { cuts < CUTS -> cuts++; session[me] = false; notified[me] = false } /* asks again in a new session */
    OR_CRASH
    fi;
    goto ask;

leave: /* SELECT lockscope.leave_queue(…), which has no guard: others see the registration up to COMMIT */
    skip;
    d_step { findFirstWaiter(me); next = first }; /* whoever has the name: a release may have chosen me */
    d_step {
        FORGET_RANK(place, me);
        lapsed[me] = false;
        notified[me] = false;
        tell(next);
        next = NOBODY
    };
    goto idle;

hold:
    granted = false;
    if
    :: true
    :: d_step { rowLock == NOBODY && holder == me && expired -> expired = false; leased[me] = true } /* SELECT lockscope.renew_lock(…), late */
    OR_CRASH
    fi;
    /* SELECT lockscope.release_lock(…), be the lease long over or not: DELETE … WHERE name AND token */
    if
#ifdef NO_TOKEN
    :: d_step { rowLock == NOBODY && holder != NOBODY -> rowLock = me }
#else
    :: d_step { rowLock == NOBODY && holder == me -> rowLock = me }
#endif
    :: rowLock == NOBODY && holder != me -> goto idle
    OR_CRASH
    fi;
    if
    :: d_step { findFirstWaiter(NOBODY); next = first } /* AFTER DELETE */
    OR_CRASH
    fi;
    if
    :: d_step { holder = NOBODY; expired = false; leased[me] = false; tell(next); next = NOBODY; endTransaction(me) }
    OR_CRASH
    fi;
    goto idle;

gone: skip
}

/* The server's clock. */
active proctype Time()
{
end:
    do
    :: d_step {
           holder != NOBODY && !expired -> expired = true;
           leased[holder] = false
       }
#ifndef NO_LAPSE
    :: d_step { place[0] > 0 && !lapsed[0] -> lapsed[0] = true }
    :: d_step { place[1] > 0 && !lapsed[1] -> lapsed[1] = true }
#if CLIENTS > 2
    :: d_step { place[2] > 0 && !lapsed[2] -> lapsed[2] = true }
#endif
#if CLIENTS > 3
    :: d_step { place[3] > 0 && !lapsed[3] -> lapsed[3] = true }
#endif
#endif
    od
}

/* SELECT lockscope.purge_stale() */
active proctype Operator()
{
    byte next = NOBODY;
end:
    do
    :: d_step { rowLock == NOBODY && holder != NOBODY && expired -> rowLock = OPERATOR; findFirstWaiter(NOBODY); next = first };
       d_step { holder = NOBODY; expired = false; tell(next); next = NOBODY; rowLock = NOBODY }
    od
}

#if CLIENTS > 3
#define SOMEBODY_WAITS (WAITS(0) || WAITS(1) || WAITS(2) || WAITS(3))
#elif CLIENTS > 2
#define SOMEBODY_WAITS (WAITS(0) || WAITS(1) || WAITS(2))
#else
#define SOMEBODY_WAITS (WAITS(0) || WAITS(1))
#endif

ltl noStuckQueue { ([]<> (IS_FREE && SOMEBODY_WAITS)) -> ([]<> granted) }
