import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLater, isNews, judge, laterOf, RANK, type KnownSubscription, type Moment } from './sighting.ts';
import { hasEnded, type SubscriptionTerms } from './subscription.ts';

const START = Date.UTC(2026, 10, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000);

const terms = (changes: Partial<SubscriptionTerms> = {}): SubscriptionTerms => ({
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  items: [],
  currentPeriodStart: at(0),
  currentPeriodEnd: at(99),
  trialEnd: null,
  startedAt: at(0),
  endedAt: null,
  metadata: {},
  ...changes,
});
const moment = (seconds: number, rank: Moment['rank'] = RANK.updated, eventId = 'evt_1'): Moment => ({
  at: at(seconds),
  rank,
  eventId,
});
const known = (changes: Partial<KnownSubscription> = {}): KnownSubscription => ({
  terms: terms(),
  asOf: moment(10),
  readAt: null,
  ...changes,
});
const changed = terms({ cancelAtPeriodEnd: true });

describe('an event', () => {
  it('counts when it is newer, and not when it is older', () => {
    expect(judge(known(), changed, moment(11))).toBe('apply');
    expect(judge(known(), changed, moment(9))).toBe('stale');
  });

  it('of the same second needs the processor, unless birth and death say which came first', () => {
    expect(judge(known(), changed, moment(10, RANK.updated, 'evt_2'))).toBe('ask');
    expect(judge(known(), changed, moment(10, RANK.created))).toBe('stale');
    expect(judge(known({ asOf: moment(10, RANK.created) }), changed, moment(10))).toBe('apply');
    const canceled = terms({ status: 'canceled', endedAt: at(10) });
    expect(judge(known(), canceled, moment(10, RANK.deleted))).toBe('apply');
  });

  it('that says what is known already only confirms it', () => {
    expect(judge(known(), terms(), moment(11))).toBe('confirm');
    expect(judge(known(), terms(), moment(9))).toBe('stale');
  });

  it('that ends counts however late it comes, and none revives', () => {
    const canceled = terms({ status: 'canceled', endedAt: at(5) });
    expect(judge(known(), canceled, moment(5, RANK.deleted))).toBe('apply');
    expect(judge(known({ terms: canceled }), terms(), moment(99))).toBe('stale');
  });

  it('from about the time of the processor’s last answer needs the processor', () => {
    const answered = known({ readAt: at(20) });
    expect(judge(answered, changed, moment(15))).toBe('ask');
    expect(judge(answered, changed, moment(20 + 3_600))).toBe('apply');
  });

  it('is settled by its id where the processor knows no more', () => {
    expect(isLater(moment(10, RANK.updated, 'evt_2'), moment(10, RANK.updated, 'evt_1'))).toBe(true);
    expect(isLater(moment(10, RANK.updated, 'evt_1'), moment(10, RANK.updated, 'evt_2'))).toBe(false);
    expect(isLater(moment(9), moment(10))).toBe(false);
  });
});

/** A subscription's life at the processor: what it was from which second on, and the event that told of it. */
interface Chapter {
  readonly terms: SubscriptionTerms;
  readonly moment: Moment;
}

const life: fc.Arbitrary<Chapter[]> = fc
  .record({
    // Mostly several in one second, as renewals and toggles are.
    pauses: fc.array(fc.constantFrom(0, 0, 0, 1, 5), { minLength: 1, maxLength: 7 }),
    contents: fc.array(fc.record({ cancelAtPeriodEnd: fc.boolean(), paid: fc.boolean() }), {
      minLength: 8,
      maxLength: 8,
    }),
    dies: fc.boolean(),
  })
  .map(({ pauses, contents, dies }) => {
    const seconds = pauses.reduce<number[]>((times, pause) => [...times, (times.at(-1) ?? 0) + pause], [0]);
    return seconds.map((second, index) => {
      const isLast = index === seconds.length - 1;
      const { cancelAtPeriodEnd = false, paid = true } = contents[index] ?? {};
      const ends = dies && isLast;
      const status = ends ? 'canceled' : paid ? 'active' : 'past_due';
      const rank = index === 0 ? RANK.created : ends ? RANK.deleted : RANK.updated;
      return {
        terms: terms({ status, cancelAtPeriodEnd, endedAt: ends ? at(second) : null }),
        moment: moment(second, rank, `evt_${index}`),
      };
    });
  });

/** Something happens at the processor, one of its events arrives, or we ask it of our own accord. */
type Step =
  | { readonly kind: 'happens' }
  | { readonly kind: 'arrives'; readonly pick: number }
  | { readonly kind: 'asked' };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'happens' } as const) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('arrives' as const), pick: fc.nat(99) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'asked' } as const) },
  ),
  { maxLength: 25 },
);

describe('the record', () => {
  it('ends as the processor has it, whatever arrives late, twice, in any order or between questions', () => {
    const deliveries = fc.array(fc.nat(99), { maxLength: 5 });
    fc.assert(
      fc.property(life, steps, deliveries, fc.integer({ min: -30, max: 30 }), fc.infiniteStream(fc.nat(99)), play),
      { numRuns: 2_000 },
    );
  });
});

function play(
  chapters: Chapter[],
  script: Step[],
  repeats: number[],
  skewSeconds: number,
  picks: Iterator<number>,
): void {
  let happened = 1;
  let record: KnownSubscription | null = null;
  const truth = () => pick(chapters, happened - 1);
  // Our clock may be off from the processor's.
  const answered = (state: KnownSubscription, asOf: Moment | null): KnownSubscription => ({
    terms: isNews(state.terms, truth().terms) ? truth().terms : state.terms,
    asOf: laterOf(state.asOf, asOf),
    readAt: new Date(truth().moment.at.getTime() + skewSeconds * 1_000),
  });
  const arrive = (chapter: Chapter) => {
    const ended = record !== null && hasEnded(record.terms.status);
    record = record ? follow(record, chapter, answered) : { terms: chapter.terms, asOf: chapter.moment, readAt: null };
    expect(hasEnded(record.terms.status) || !ended).toBe(true);
  };

  for (const step of script) {
    if (step.kind === 'happens') happened = Math.min(happened + 1, chapters.length);
    if (step.kind === 'arrives') arrive(pick(chapters, step.pick % happened));
    if (step.kind === 'asked' && record) record = answered(record, null);
  }
  happened = chapters.length;
  const missing = [...chapters.keys(), ...repeats.map(one => one % chapters.length)];
  while (missing.length > 0) {
    const [index = 0] = missing.splice(Number(picks.next().value) % missing.length, 1);
    arrive(pick(chapters, index));
  }
  expect(record).toMatchObject({ terms: truth().terms });
}

function follow(
  record: KnownSubscription,
  { terms: told, moment: when }: Chapter,
  answered: (state: KnownSubscription, asOf: Moment) => KnownSubscription,
): KnownSubscription {
  const judgement = judge(record, told, when);
  if (judgement === 'apply') return { terms: told, asOf: when, readAt: null };
  if (judgement === 'confirm') return { ...record, asOf: laterOf(record.asOf, when) };
  return judgement === 'ask' ? answered(record, when) : record;
}

function pick(chapters: readonly Chapter[], index: number): Chapter {
  const chapter = chapters[index];
  if (!chapter) throw new Error(`There is no chapter ${index}.`);
  return chapter;
}
