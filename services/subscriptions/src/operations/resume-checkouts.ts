import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { CheckoutSession } from '#persistence/checkout-session.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { openReserved } from './open-reserved.ts';

/** Attempts after which a reservation is given up. */
const MAX_ATTEMPTS = 10;
const BATCH = 20;

/**
 * Finishes reservations whose request came to no end: a crash or a lost answer may have left a session at the
 * processor, which the same idempotency key finds again. What is too old for that becomes void: the processor has
 * forgotten the key, and its session expires by itself. Answers how many were taken up.
 */
export function resumeCheckouts(dependencies: Pick<Dependencies, 'em' | 'processors' | 'logger'>) {
  const { em, logger } = dependencies;
  const open = openReserved(dependencies);
  return async (): Promise<number> => {
    await voidOld(em.fork());
    const claimed = await claim(em.fork());
    await Promise.all(
      claimed.map(row =>
        open(row).then(
          ({ sessionId }) => logger.info({ checkoutId: row.id, sessionId }, 'checkout resumed'),
          (err: unknown) => logger.warn({ err, checkoutId: row.id }, 'checkout not resumed, will try again'),
        ),
      ),
    );
    return claimed.length;
  };
}

/** Resumes what was left behind, now and then, until stopped. */
export function startResuming(resume: () => Promise<number>, logger: Logger, intervalMs = 15_000): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(resume).catch((err: unknown) => logger.warn({ err }, 'checkouts not resumed'));
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Claims may be made by several copies of the service at once; each row goes to one, for a growing while. */
async function claim(em: EntityManager): Promise<CheckoutSession[]> {
  const claimed = await em.execute<{ id: string }[]>(
    `update checkout_sessions
        set attempts = attempts + 1, claimed_until = clock_timestamp() + make_interval(secs => 30 * (attempts + 1))
      where id in (
        select id from checkout_sessions where state = 'reserved' and claimed_until < clock_timestamp()
         order by claimed_until limit ${BATCH} for update skip locked)
      returning id`,
  );
  return em.find(CheckoutSession, { id: { $in: claimed.map(row => row.id) } });
}

async function voidOld(em: EntityManager): Promise<void> {
  await em.execute(
    `update checkout_sessions set state = 'void', updated_at = clock_timestamp()
      where state = 'reserved' and claimed_until < clock_timestamp()
        and (attempts >= ${MAX_ATTEMPTS} or created_at < clock_timestamp() - interval '23 hours')`,
  );
}
