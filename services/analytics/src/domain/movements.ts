import { sumTerms, type RevenueTerm } from '@billing/contracts/item-revenue';
import { movementMetric, onDay, type Contribution, type Movement } from './metrics.ts';
import { combineTerms, negateTerms } from './revenue.ts';
import type { Timeline } from './timeline.ts';
import { dayOf } from './utc-day.ts';

/** Revenue from a time on. */
interface Step {
  readonly at: Date;
  readonly revenue: readonly RevenueTerm[];
  readonly isEnd: boolean;
}

/** What a subscription adds to the daily revenue movements. Over all days they add up to its present revenue. */
export function movementContributions({ periods, endedAt }: Timeline): Contribution[] {
  const steps: Step[] = periods.map(({ from, revenue }) => ({ at: from, revenue, isEnd: false }));
  if (endedAt) steps.push({ at: endedAt, revenue: [], isEnd: true });
  const currencies = new Set(steps.flatMap(({ revenue }) => revenue.map(({ currency }) => currency)));
  return [...currencies].flatMap(currency => movementContributionsIn(currency, steps));
}

function movementContributionsIn(currency: string, steps: readonly Step[]): Contribution[] {
  const contributions: Contribution[] = [];
  let revenue: readonly RevenueTerm[] = [];
  for (const step of steps) {
    const next = step.revenue.filter(term => term.currency === currency);
    const hadNone = sumTerms(revenue).numerator === 0n;
    const change = combineTerms([...next, ...negateTerms(revenue)]);
    revenue = next;
    const { numerator: direction } = sumTerms(change);
    // Terms can change while their sum stays the same.
    if (direction === 0n) continue;
    const movement = movementOf(direction, { isFirst: contributions.length === 0, hadNone, isEnd: step.isEnd });
    for (const term of change)
      contributions.push(onDay(movementMetric(movement, term), dayOf(step.at), term.numerator));
  }
  return contributions;
}

interface Circumstances {
  /** Whether the subscription never had revenue in the currency. */
  readonly isFirst: boolean;
  /** Whether it had none in the currency just before. */
  readonly hadNone: boolean;
  readonly isEnd: boolean;
}

/**
 * Names a rise or fall of a subscription's revenue in one currency. A rise from none is `new` the first time, and
 * `reactivated` when there was revenue before: as usual for the movements of an account
 * (https://support.recurly.com/hc/en-us/articles/360041810792), here of a subscription.
 */
function movementOf(direction: bigint, { isFirst, hadNone, isEnd }: Circumstances): Movement {
  if (direction < 0n) return isEnd ? 'churned' : 'contraction';
  if (isFirst) return 'new';
  return hadNone ? 'reactivated' : 'expansion';
}
