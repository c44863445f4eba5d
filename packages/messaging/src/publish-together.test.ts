import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { PublishMessage } from './bus.ts';
import type { NewEvent } from './new-event.ts';
import { publishTogether } from './publish-together.ts';

const event = (type = 'a.v1'): NewEvent => ({
  id: randomUUID(),
  type,
  teamId: 'team',
  data: '1',
  trace: {},
  occurredMs: 0,
});

it('publishes a single event under its id, and several under one that follows from theirs', async () => {
  const sent: { type: string; body: unknown; id: string }[] = [];
  const publish: PublishMessage = async ({ type, body, id }) => void sent.push({ type, body: JSON.parse(body), id });
  const [first, second, other] = [event(), event(), event('b.v1')];
  for (let time = 1; time <= 2; time += 1) await publishTogether(publish, [first, other, second]);
  expect(sent).toMatchObject([
    { type: 'a.v1', body: [{ id: first.id }, { id: second.id }] },
    { type: 'b.v1', body: [{ id: other.id }], id: other.id },
    { type: 'a.v1', body: [{ id: first.id }, { id: second.id }], id: sent[0]?.id },
    { type: 'b.v1', body: [{ id: other.id }], id: other.id },
  ]);
  expect([first.id, second.id]).not.toContain(sent[0]?.id);
});

it('returns the events of a message that was not published, with the reason', async () => {
  const refused = new Error('refused');
  const publish: PublishMessage = async ({ type }) => {
    if (type === 'a.v1') throw refused;
  };
  const [first, second, other] = [event(), event(), event('b.v1')];
  expect(await publishTogether(publish, [first, second, other])).toEqual(
    new Map([
      [first, refused],
      [second, refused],
    ]),
  );
});
