import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const HealingCursorSchema = defineEntity({
  name: 'HealingCursor',
  tableName: 'healing_cursors',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Another account at the processor has other events: for one the search begins anew. */
    accountId: p.text(),
    /** Every event from before then, by the processor's time, has been looked for. */
    healedUntil: p.datetime(),
    /** Whether what no webhook had brought before the account was connected has been looked for. */
    lookedBack: p.boolean(),
    /** Whoever searches at the moment; only the holder may write the result. */
    claimId: p.uuid().nullable(),
    /** When to search next. A claim moves it to the claim's end. */
    dueAt: p.datetime(),
    /** Searches that failed one after another. */
    failures: p.integer(),
  },
});

/** How far a team's events have been looked through for such as no webhook brought. */
export class HealingCursor extends HealingCursorSchema.class {}
HealingCursorSchema.setClass(HealingCursor);
