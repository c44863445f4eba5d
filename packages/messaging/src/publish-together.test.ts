import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NewEvent } from './new-event.ts';
import { groupByMessage, publishTogether } from './publish-together.ts';

type Shape = Partial<Pick<NewEvent, 'type' | 'teamId' | 'trace'>> & { readonly size?: number };

const event = ({ type = 'a.v1', teamId = 'team', size = 10, trace = {} }: Shape = {}): NewEvent => ({
  id: randomUUID(),
  type,
  teamId,
  data: 'x'.repeat(size),
  trace,
  occurredMs: 0,
});
const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

const anyEvent = fc.record({
  type: fc.constantFrom('a.v1', 'b.v1'),
  teamId: fc.constantFrom('team', 'other'),
  size: fc.constantFrom(1, 5_000, 50_000, 200_000),
  trace: fc.constantFrom({}, traced),
});

it('puts each event into one message, with others of its team and type, in their order, as far as they fit', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 200 }), shapes => {
      const events = shapes.map(event);
      const groups = groupByMessage(events);
      expect(groups.flat().toSorted((a, b) => events.indexOf(a) - events.indexOf(b))).toEqual(events);
      for (const group of groups) {
        expect(new Set(group.map(({ teamId, type }) => `${teamId} ${type}`)).size).toBe(1);
        const places = group.map(one => events.indexOf(one));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        if (group.length === 1) continue;
        expect(group.length).toBeLessThanOrEqual(32);
        expect(group.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThanOrEqual(131_072);
        expect(group.map(({ trace }) => trace)).not.toContainEqual(traced);
      }
    }),
  );
});

it('fills messages', () => {
  expect(groupByMessage(Array.from({ length: 70 }, () => event())).map(group => group.length)).toEqual([32, 32, 6]);
});

it('sends a single event as it always was, and several under an id that follows from theirs', async () => {
  const sent: { type: string; body: unknown; id: string }[] = [];
  const publish = async (type: string, body: string, id: string) =>
    void sent.push({ type, body: JSON.parse(body.replaceAll(/x+/g, '1')), id });
  const [first, second, other] = [event(), event(), event({ type: 'b.v1' })];
  for (let time = 1; time <= 2; time += 1) await publishTogether(publish, [first, other, second]);
  expect(sent).toMatchObject([
    { type: 'a.v1', body: [{ id: first.id }, { id: second.id }] },
    { type: 'b.v1', body: { id: other.id }, id: other.id },
    { type: 'a.v1', body: [{ id: first.id }, { id: second.id }], id: sent[0]?.id },
    { type: 'b.v1', body: { id: other.id }, id: other.id },
  ]);
  expect([first.id, second.id]).not.toContain(sent[0]?.id);
});

it('returns the events of a message that was not published, with the reason', async () => {
  const refused = new Error('refused');
  const publish = async (type: string) => {
    if (type === 'a.v1') throw refused;
  };
  const [first, second, other] = [event(), event(), event({ type: 'b.v1' })];
  expect(await publishTogether(publish, [first, second, other])).toEqual(
    new Map([
      [first, refused],
      [second, refused],
    ]),
  );
});
