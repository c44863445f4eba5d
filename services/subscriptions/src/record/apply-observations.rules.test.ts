import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { sortByPosition } from '@billing/processor/event-order';
import { aSnapshot } from '../../test/snapshots.ts';
import { applyObservations, applyReread, type Observation } from './apply-observations.rules.ts';
import { RANK, type RecordedState } from './observation.rules.ts';
import { readTerms } from './subscription.rules.ts';

const START = Date.UTC(2026, 10, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000);

/** Events of one subscription at the processor, oldest first. */
const history: fc.Arbitrary<Observation[]> = fc
  .record({
    // Mostly several in one second, as renewals and toggles are.
    pauses: fc.array(fc.constantFrom(0, 0, 0, 1, 5), { minLength: 1, maxLength: 7 }),
    contents: fc.array(fc.record({ cancelAtPeriodEnd: fc.boolean(), isPaid: fc.boolean() }), {
      minLength: 8,
      maxLength: 8,
    }),
    ends: fc.boolean(),
  })
  .map(({ pauses, contents, ends }) => {
    const seconds = pauses.reduce<number[]>((times, pause) => [...times, (times.at(-1) ?? 0) + pause], [0]);
    return seconds.map((second, index) => {
      const { cancelAtPeriodEnd = false, isPaid = true } = contents[index] ?? {};
      const isEnd = ends && index === seconds.length - 1;
      const status = isEnd ? 'canceled' : isPaid ? 'active' : 'past_due';
      const rank = index === 0 ? RANK.created : isEnd ? RANK.deleted : RANK.updated;
      const position = { at: at(second), rank, eventId: `evt_${index}` };
      return {
        snapshot: snapshot({ status, cancelAtPeriodEnd, endedAt: isEnd ? at(second) : null }),
        position,
        reread: null,
      };
    });
  });

const snapshot = (changes: Partial<SubscriptionSnapshot>) =>
  aSnapshot({ currentPeriodStart: at(0), currentPeriodEnd: at(99), startedAt: at(0), createdAt: at(0), ...changes });

/** Something happens at the processor, a batch of its events arrives, or it is read without an event. */
type Step = { readonly kind: 'happens' | 'read' } | { readonly kind: 'arrive'; readonly picks: readonly number[] };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'happens' } as const) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('arrive' as const),
        picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'read' } as const) },
  ),
  { maxLength: 25 },
);

it('leads to the state at the processor in every order of events and reads', () => {
  fc.assert(
    fc.property(
      history,
      steps,
      fc.array(fc.nat(99), { maxLength: 5 }),
      fc.integer({ min: -30, max: 30 }),
      fc.infiniteStream(fc.nat(99)),
      (events, script, repeats, clockDifference, picks) => {
        const record = new TestRecord(events, clockDifference);
        for (const step of script) {
          if (step.kind === 'happens') record.happen();
          if (step.kind === 'arrive') record.receive(step.picks);
          if (step.kind === 'read') record.read();
        }
        for (const _ of events) record.happen();
        const left = [...events.keys(), ...repeats];
        while (left.length > 0) record.receive(left.splice(Number(picks.next().value) % left.length, 1));
        record.finish();
        expect(record.state?.terms).toEqual(record.truth);
      },
    ),
    { numRuns: runs(5_000) },
  );
});

it('leads to the state of the newest event in every order when the processor has the subscription no more', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (events, order) => {
      const [first, ...others] = [...events, ...events]
        .map(event => ({ event: { ...event, reread: 'missing' as const }, by: order.next().value ?? 0 }))
        .toSorted((one, other) => one.by - other.by)
        .map(({ event }) => event);
      if (!first) throw new Error('A history has events.');
      const termsOf = ({ snapshot: shown, position }: Observation) => readTerms(shown, { observedAt: position.at });
      const created: RecordedState = { terms: termsOf(first), position: first.position, readAt: null };
      const last = others.reduce((state, event) => applyObservations({ state, version: 1 }, [event]).state, created);
      expect(last.terms).toEqual(events.slice(-1).map(termsOf)[0]);
    }),
    { numRuns: runs(4_000) },
  );
});

describe('a read of the processor', () => {
  const VERSION = 3;
  const second = at(10);
  const recorded = {
    version: VERSION,
    state: {
      terms: readTerms(snapshot({}), { observedAt: second }),
      position: { at: second, rank: RANK.updated, eventId: 'evt_0' },
      readAt: null,
    },
  };
  /** An event of the same second as the record: only the processor knows which state holds. */
  const tie = (eventId: string, reread: Observation['reread']): Observation => ({
    snapshot: snapshot({ cancelAtPeriodEnd: true }),
    position: { at: second, rank: RANK.updated, eventId },
    reread,
  });
  const readOf = (changes: Partial<SubscriptionSnapshot>, seconds: number, version = VERSION) => ({
    snapshot: snapshot(changes),
    version,
    readAt: at(seconds),
  });

  it('is applied when the record has not changed since', () => {
    const read = readOf({ status: 'past_due' }, 12);
    const { state, unprepared } = applyObservations(recorded, [tie('evt_1', read)]);
    expect(state.terms.status).toBe('past_due');
    expect(unprepared).toEqual([]);
  });

  it('is outdated when another transaction has changed the record', () => {
    const event = tie('evt_1', readOf({ status: 'past_due' }, 12, VERSION - 1));
    const { state, unprepared } = applyObservations(recorded, [event]);
    expect(state).toBe(recorded.state);
    expect(unprepared).toEqual([event]);
  });

  it('is outdated when an earlier event of the batch has only confirmed the record', () => {
    const position = { at: at(11), rank: RANK.updated, eventId: 'evt_1' };
    const confirming = { snapshot: snapshot({}), position, reread: null };
    const event = { ...tie('evt_2', readOf({ status: 'past_due' }, 12)), position };
    const { state, unprepared } = applyObservations(recorded, [confirming, event]);
    expect(state).toEqual({ ...recorded.state, position });
    expect(unprepared).toEqual([event]);
  });

  it('is outdated when an earlier event of the batch has changed the record', () => {
    const newer = tie('evt_1', readOf({ status: 'past_due' }, 14));
    const older = tie('evt_2', readOf({ cancelAtPeriodEnd: true }, 12));
    const { state, cause, unprepared } = applyObservations(recorded, [newer, older]);
    expect(state.terms).toMatchObject({ status: 'past_due', cancelAtPeriodEnd: false });
    expect(cause).toBe(newer);
    expect(unprepared).toEqual([older]);
  });
});

/** A record that follows events as `apply-subscription-events` does, without a database. */
class TestRecord {
  state: RecordedState | null = null;
  #version = 1;
  #happened = 1;
  #prepared: readonly Observation[] = [];
  readonly #events: readonly Observation[];
  readonly #clockDifference: number;

  constructor(events: readonly Observation[], clockDifferenceSeconds: number) {
    this.#events = events;
    this.#clockDifference = clockDifferenceSeconds;
  }

  get truth() {
    return readTerms(this.#latest.snapshot, { observedAt: this.#latest.position.at });
  }

  happen(): void {
    this.#happened = Math.min(this.#happened + 1, this.#events.length);
  }

  read(): void {
    if (this.state) this.#change(applyReread(this.state, this.#reread()));
  }

  /** Receives events that have happened, together with those that were prepared since the last batch. */
  receive(picks: readonly number[]): void {
    const wasEnded = this.state !== null && hasEnded(this.state.terms.status);
    const batch = [...picks.flatMap(index => this.#events[index % this.#happened] ?? []), ...this.#prepared];
    const [oldest] = sortByPosition(batch);
    if (!oldest) throw new Error('A batch has events.');
    const { snapshot: first, position } = oldest;
    this.state ??= { terms: readTerms(first, { observedAt: position.at }), position, readAt: null };
    const applied = applyObservations({ state: this.state, version: this.#version }, batch);
    this.#change(applied.state);
    this.#prepared = applied.unprepared.map(event => ({ ...event, reread: this.#reread() }));
    if (wasEnded && !hasEnded(this.state.terms.status)) throw new Error('The subscription came back.');
  }

  /** Receives what is still prepared. */
  finish(): void {
    for (let round = 0; this.#prepared.length > 0; round += 1) {
      if (round > 3) throw new Error('The events need too many reads.');
      this.receive([]);
    }
  }

  #change(state: RecordedState): void {
    if (state !== this.state) this.#version += 1;
    this.state = state;
  }

  /** The clocks of this service and the processor may differ. */
  #reread() {
    const { snapshot: current, position } = this.#latest;
    const readAt = new Date(position.at.getTime() + this.#clockDifference * 1_000);
    return { snapshot: current, version: this.#version, readAt };
  }

  get #latest(): Observation {
    const latest = this.#events[this.#happened - 1];
    if (!latest) throw new Error('A history has events.');
    return latest;
  }
}
