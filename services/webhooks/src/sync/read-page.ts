import type { SyncType } from '@billing/contracts/resources/sync';
import { isMissing } from '@billing/processor/errors';
import { decideFirst } from './decide-first.ts';
import { saveProgress, type LeasedSync } from './lease-syncs.ts';
import { insertObjects } from './object-rows.ts';
import type { Step, StepParts } from './step.ts';

type PageParts = Pick<StepParts, 'em' | 'rpc' | 'processors' | 'pace' | 'now' | 'recheckMs'>;

/**
 * Reads the next page of the processor's list, compares its objects with the records, and stores what is decided together
 * with the position of the next page. The processor is asked for that page meanwhile.
 */
export function readPage(parts: PageParts): Step {
  const { em } = parts;
  const decide = decideFirst(parts);
  const fetchPage = pageReader(parts);
  let ahead: { readonly of: string; readonly page: ReturnType<typeof fetchPage> } | undefined;

  return async (sync, { type, after }) => {
    const page = await (ahead?.of === keyOf(type, after) ? ahead.page : fetchPage(sync, type, after));
    ahead = undefined;
    // What the page before ended with was deleted: the list is read from its start, and known objects are left alone.
    if (!page) return { next: 'again', after: null };
    const last = page.hasMore ? (page.objects.at(-1)?.id ?? null) : null;
    if (last !== null) {
      ahead = { of: keyOf(type, last), page: fetchPage(sync, type, last) };
      ahead.page.catch(() => {}); // whoever takes the page gets the error
    }
    const decisions = await decide(sync, type, page);
    await em.fork().transactional(async tx => {
      const read = await insertObjects(tx, sync, type, page, decisions);
      await saveProgress(tx, sync, { type, read, after: last, isLast: last === null });
    });
    return last === null ? { next: 'done' } : { next: 'again', after: last };
  };
}

const keyOf = (type: SyncType, after: string | null): string => `${type} ${after}`;

/** Returns a page; null where the object that it begins after is gone. */
function pageReader({ processors, pace }: Pick<PageParts, 'processors' | 'pace'>) {
  return async ({ teamId }: LeasedSync, type: SyncType, after: string | null) => {
    const processor = await processors.of(teamId);
    await pace();
    return processor.listObjects(type, after ?? undefined).catch((err: unknown) => {
      if (isMissing(err) && after !== null) return null;
      throw err;
    });
  };
}
