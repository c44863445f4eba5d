import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReferralModel, type ProgramModel } from './referral-model.ts';
import { openProject } from './project.ts';
import { startService, type Service } from './service.ts';
import { subscriptionCreated } from './subscription-created.ts';

let service: Service;
let copy: Awaited<ReturnType<Service['startCopy']>>;
beforeAll(async () => {
  service = await startService();
  copy = await service.startCopy();
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const CUSTOMERS = 6;
/** Start of every history; each step takes a second, and happens within it. */
const START_MS = Date.UTC(2026, 0, 1);

const timeAt = (step: number) => new Date(START_MS + step * 1_000 + 700);
/** The same by the processor's clock, which counts whole seconds. */
const secondOf = (step: number) => new Date(START_MS + step * 1_000);

const FIRST_PROGRAM: ProgramModel = {
  enabled: true,
  referrerCreditAmount: 500,
  refereeCreditAmount: 300,
  currency: 'usd',
};

const anyCustomer = fc.nat({ max: CUSTOMERS - 1 });
const program = fc.record<ProgramModel>({
  enabled: fc.constantFrom(true, true, false),
  referrerCreditAmount: fc.constantFrom(0, 500, 700),
  refereeCreditAmount: fc.constantFrom(0, 300),
  currency: fc.constantFrom('usd', 'eur'),
});
const step = fc.oneof(
  fc.record({ kind: fc.constant('configure' as const), program }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create code' as const), of: anyCustomer }) },
  fc.record({ kind: fc.constant('deactivate' as const), of: anyCustomer }),
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('apply' as const), of: anyCustomer, referee: anyCustomer }) },
  {
    weight: 6,
    // Mostly a new subscription, sometimes one from some steps ago that only becomes known now.
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      of: anyCustomer,
      age: fc.constantFrom(0, 0, 0, 1, 3, 10),
    }),
  },
  fc.record({ kind: fc.constant('deliver created' as const), of: anyCustomer }),
  fc.record({ kind: fc.constant('delete' as const), of: anyCustomer }),
  fc.record({ kind: fc.constant('deliver again' as const), which: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer It> ? It : never;

/** Runs one project's history in the service and in the model, and compares them. */
async function runHistory(steps: readonly Step[]): Promise<void> {
  const project = openProject(service);
  const customers = Array.from({ length: CUSTOMERS }, () => project.newCustomer());
  const model = new ReferralModel();
  const codes: string[] = customers.map(() => 'UNKNOWN2');
  const delivered: Envelope[] = [];

  const customerOf = (index: number): CustomerState => {
    const customer = customers[index];
    if (!customer) throw new Error(`There is no customer ${index}.`);
    return customer;
  };
  const codeOf = (index: number) => codes[index] ?? 'UNKNOWN2';
  const deliver = async (event: Envelope): Promise<string> => {
    delivered.push(event);
    // Two copies of the service receive each event at the same time.
    await Promise.all([service.deliver(event), copy.deliver(event)]);
    return 'done';
  };
  const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
    body.error ? `${status} ${body.error.code}` : String(status);

  /** Runs one step in both; returns the outcomes of the service and of the model. */
  const runStep = async (next: Step, index: number): Promise<[string, string]> => {
    service.setTime(timeAt(index));
    switch (next.kind) {
      case 'configure':
        return [outcomeOf(await project.request('PUT', '/config', next.program)), model.configure(next.program)];
      case 'create code': {
        const response = await project.request('POST', '/codes', { customerId: customerOf(next.of).id });
        if (response.status === 201) codes[next.of] = response.body.code.code;
        return [outcomeOf(response), model.createCode(next.of)];
      }
      case 'deactivate':
        return [outcomeOf(await project.request('DELETE', `/codes/${codeOf(next.of)}`)), model.deactivate(next.of)];
      case 'apply': {
        const response = await project.apply(codeOf(next.of), customerOf(next.referee).id);
        return [outcomeOf(response), model.apply(next.of, next.referee, timeAt(index))];
      }
      case 'subscribe': {
        const startedAt = secondOf(index - next.age);
        return [
          await deliver(subscriptionCreated(project.scope, customerOf(next.of).id, { startedAt })),
          model.subscribe(next.of, { startedAt, now: timeAt(index) }),
        ];
      }
      case 'deliver created': {
        const created = { ...customerOf(next.of), version: 1, deletedAt: null };
        return [await deliver(newEvent(CustomerCreated, project.teamId, created)), 'done'];
      }
      case 'delete': {
        const deleted = { ...customerOf(next.of), version: 2, deletedAt: new Date() };
        service.customers.set(deleted.id, deleted);
        return [await deliver(newEvent(CustomerDeleted, project.teamId, deleted)), model.delete(next.of)];
      }
      case 'deliver again':
    }
    const event = delivered[next.which % Math.max(1, delivered.length)];
    return [event ? await deliver(event) : 'done', 'done'];
  };

  const outcomes: [string, string][] = [];
  const setUp: Step[] = [{ kind: 'configure', program: FIRST_PROGRAM }];
  customers.forEach((_, of) => setUp.push({ kind: 'create code', of }));
  for (const [index, next] of [...setUp, ...steps].entries()) outcomes.push(await runStep(next, index));
  service.setTime(undefined);
  expect(outcomes.map(([actual]) => actual)).toEqual(outcomes.map(([, expected]) => expected));
  const indexOf = (id: string) => customers.findIndex(customer => customer.id === id);
  expect(await snapshot(project, indexOf)).toEqual(model.snapshot());
}

/** Returns everything that the service returns for a project; customers are numbers. */
async function snapshot({ request }: ReturnType<typeof openProject>, indexOf: (id: string) => number) {
  const codes: string[] = [];
  const referrals: string[] = [];
  for (const { code } of (await request('GET', '/codes?activeOnly=false&limit=100')).body.codes) {
    const { body } = await request('GET', `/codes/${code}`);
    const owner = indexOf(body.code.customerId);
    codes.push(`${owner} ${body.code.isActive}`);
    for (const { refereeCustomerId, status, convertedAt } of body.referrals)
      referrals.push(`${owner} ${indexOf(refereeCustomerId)} ${status} ${convertedAt ?? 'never'}`);
  }
  const credits: string[] = [];
  for (const { side, customerId, amount, currency } of (await request('GET', '/credits?limit=100')).body.credits)
    credits.push(`${side} ${indexOf(customerId)} ${amount} ${currency}`);
  return { codes: codes.toSorted(), referrals: referrals.toSorted(), credits: credits.toSorted() };
}

/** A history that converts a referral, as few random ones may not. */
const CONVERSION: Step[] = [
  { kind: 'apply', of: 0, referee: 1 },
  { kind: 'subscribe', of: 1, age: 0 },
];

it('matches a simple model of the rules in random histories', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), runHistory), {
    numRuns: runs(20),
    examples: [[CONVERSION]],
  });
  await expectOneEventEach();
});

/** Expects one event for each referral and one for each conversion in all histories. */
async function expectOneEventEach(): Promise<void> {
  const em = service.em.fork();
  const idsIn = async (query: string) => (await em.execute<{ id: string }[]>(query)).map(({ id }) => id);
  const published = (type: string) =>
    idsIn(
      `select event -> 'data' ->> 'id' as id from outbox_messages, json_array_elements(body::json) as event
        where type = '${type}' order by 1`,
    );
  const referrals = await idsIn('select id from referrals order by 1');
  const converted = await idsIn(`select id from referrals where status = 'converted' order by 1`);
  expect(converted.length).toBeGreaterThan(0);
  expect(await published('record.referral.created.v1')).toEqual(referrals);
  expect(await published('record.referral.converted.v1')).toEqual(converted);
}
