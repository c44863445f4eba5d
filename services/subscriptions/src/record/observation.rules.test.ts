import { UNTAXED } from '@billing/contracts/resources/subscription';
import { describe, expect, it } from 'vitest';
import type { EventPosition } from '@billing/processor/event-order';
import { decideOnObservation, RANK, winsUnread, type RecordedState } from './observation.rules.ts';
import type { SubscriptionTerms } from './subscription.rules.ts';

const START = Date.UTC(2026, 10, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000);

const terms = (changes: Partial<SubscriptionTerms> = {}): SubscriptionTerms => ({
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  cancellation: null,
  involuntary: false,
  testClockId: null,
  pauseCollection: null,
  tax: UNTAXED,
  items: [],
  discounts: [],
  currentPeriodStart: at(0),
  currentPeriodEnd: at(99),
  trialEnd: null,
  startedAt: at(0),
  endedAt: null,
  defaultPaymentMethodId: null,
  pendingChange: null,
  schedule: null,
  metadata: {},
  ...changes,
});
const position = (seconds: number, rank: EventPosition['rank'] = RANK.updated, eventId = 'evt_1'): EventPosition => ({
  at: at(seconds),
  rank,
  eventId,
});
const recorded = (changes: Partial<RecordedState> = {}): RecordedState => ({
  terms: terms(),
  position: position(10),
  readAt: null,
  ...changes,
});
const changed = terms({ cancelAtPeriodEnd: true });
const canceled = (seconds: number) => terms({ status: 'canceled', endedAt: at(seconds) });

describe('decideOnObservation', () => {
  it('applies a newer event, and ignores an older one', () => {
    expect(decideOnObservation(recorded(), changed, position(11))).toBe('apply');
    expect(decideOnObservation(recorded(), changed, position(9))).toBe('ignore');
  });

  it('needs a read for two changes in one second', () => {
    expect(decideOnObservation(recorded(), changed, position(10, RANK.updated, 'evt_2'))).toBe('reread');
  });

  it('puts a creation before a change of the same second, and a deletion after it', () => {
    expect(decideOnObservation(recorded(), changed, position(10, RANK.created))).toBe('ignore');
    const created = recorded({ position: position(10, RANK.created) });
    expect(decideOnObservation(created, changed, position(10))).toBe('apply');
    expect(decideOnObservation(recorded(), canceled(10), position(10, RANK.deleted))).toBe('apply');
  });

  it('confirms what is recorded when a newer event shows the same', () => {
    expect(decideOnObservation(recorded(), terms(), position(11))).toBe('confirm');
    expect(decideOnObservation(recorded(), terms(), position(9))).toBe('ignore');
  });

  it('applies an end however late it arrives, and nothing after it', () => {
    expect(decideOnObservation(recorded(), canceled(5), position(5, RANK.deleted))).toBe('apply');
    expect(decideOnObservation(recorded({ terms: canceled(5) }), terms(), position(99))).toBe('ignore');
  });

  it('needs a read for an event of about the time of the last read', () => {
    const read = recorded({ readAt: at(20) });
    expect(decideOnObservation(read, changed, position(15))).toBe('reread');
    expect(decideOnObservation(read, changed, position(20 + 3_600))).toBe('apply');
    expect(decideOnObservation(read, changed, position(9))).toBe('ignore');
  });
});

describe('winsUnread', () => {
  it('prefers the later event, and of two at one position the greater id', () => {
    expect(winsUnread(position(10, RANK.updated, 'evt_2'), position(10, RANK.updated, 'evt_1'))).toBe(true);
    expect(winsUnread(position(10, RANK.updated, 'evt_1'), position(10, RANK.updated, 'evt_2'))).toBe(false);
    expect(winsUnread(position(9), position(10))).toBe(false);
  });
});
