import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import type { Envelope } from '@billing/contracts/event';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reactToCustomers } from '../src/reactions/customers.ts';
import { reactToSubscriptions } from '../src/reactions/subscriptions.ts';
import { ReferralModel, type ProgramModel } from './referral-model.ts';
import { openProject, saidFact, startService, type Service } from './service.ts';
import { subscribing } from './subscribing.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

const CUSTOMERS = 6;
/** The history starts here, and something happens every second. */
const START_MS = Date.UTC(2026, 0, 1);

const timeAt = (step: number) => new Date(START_MS + step * 1_000);

const FIRST_PROGRAM: ProgramModel = {
  enabled: true,
  referrerCreditAmount: 500,
  refereeCreditAmount: 300,
  currency: 'usd',
};

const someone = fc.nat({ max: CUSTOMERS - 1 });
const program = fc.record<ProgramModel>({
  enabled: fc.constantFrom(true, true, false),
  referrerCreditAmount: fc.constantFrom(0, 500, 700),
  refereeCreditAmount: fc.constantFrom(0, 300),
  currency: fc.constantFrom('usd', 'eur'),
});
const event = fc.oneof(
  fc.record({ kind: fc.constant('configure' as const), program }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create code' as const), of: someone }) },
  fc.record({ kind: fc.constant('deactivate' as const), of: someone }),
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('apply' as const), of: someone, referee: someone }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('subscribe' as const), of: someone }) },
  fc.record({ kind: fc.constant('hear created' as const), of: someone }),
  fc.record({ kind: fc.constant('delete' as const), of: someone }),
  fc.record({ kind: fc.constant('hear again' as const), which: fc.nat() }),
);
type Event = typeof event extends fc.Arbitrary<infer It> ? It : never;

/** One project's history, lived by the service and by the model side by side. */
async function live(events: readonly Event[]): Promise<void> {
  const project = openProject(service);
  const customers = Array.from({ length: CUSTOMERS }, () => project.newCustomer());
  const model = new ReferralModel();
  const codes: string[] = customers.map(() => 'NEVERWAS');
  const heard: Envelope[] = [];

  const customerOf = (index: number): CustomerState => {
    const customer = customers[index];
    if (!customer) throw new Error(`There is no customer ${index}.`);
    return customer;
  };
  const codeOf = (index: number) => codes[index] ?? 'NEVERWAS';
  const hear = async (fact: Envelope): Promise<string> => {
    heard.push(fact);
    // Two copies of the service hear of everything at the same time.
    const copies = [0, 1].map(() =>
      fact.type.startsWith('customer.')
        ? reactToCustomers(service.em, service.clock, service.logger)
        : reactToSubscriptions(service.em, service.clock, service.logger),
    );
    const outcomes = await Promise.all(copies.map(copy => copy.receive(fact, 1)));
    return outcomes.every(({ kind }) => kind === 'done') ? 'done' : JSON.stringify(outcomes);
  };
  const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
    body.error ? `${status} ${body.error.code}` : String(status);

  /** Lets one thing happen in both; answers what the service and what the model says to it. */
  const happen = async (next: Event, step: number): Promise<[string, string]> => {
    service.setClock(timeAt(step));
    switch (next.kind) {
      case 'configure':
        return [outcomeOf(await project.ask('PUT', '/config', next.program)), model.configure(next.program)];
      case 'create code': {
        const answer = await project.ask('POST', '/codes', { customerId: customerOf(next.of).id });
        if (answer.status === 201) codes[next.of] = answer.body.code.code;
        return [outcomeOf(answer), model.createCode(next.of)];
      }
      case 'deactivate':
        return [outcomeOf(await project.ask('DELETE', `/codes/${codeOf(next.of)}`)), model.deactivate(next.of)];
      case 'apply': {
        const answer = await project.apply(codeOf(next.of), customerOf(next.referee).id);
        return [outcomeOf(answer), model.apply(next.of, next.referee)];
      }
      case 'subscribe':
        return [await hear(subscribing(project.scope, customerOf(next.of).id)), model.subscribe(next.of, timeAt(step))];
      case 'hear created': {
        const known = { ...customerOf(next.of), version: 1, deletedAt: null };
        return [await hear(saidFact(CustomerCreated, project.teamId, known)), 'done'];
      }
      case 'delete': {
        const gone = { ...customerOf(next.of), version: 2, deletedAt: new Date() };
        service.customers.set(gone.id, gone);
        return [await hear(saidFact(CustomerDeleted, project.teamId, gone)), model.delete(next.of)];
      }
      case 'hear again':
    }
    const fact = heard[next.which % Math.max(1, heard.length)];
    return [fact ? await hear(fact) : 'done', 'done'];
  };

  const outcomes: [string, string][] = [];
  const beginning: Event[] = [{ kind: 'configure', program: FIRST_PROGRAM }];
  customers.forEach((_, of) => beginning.push({ kind: 'create code', of }));
  for (const [step, next] of [...beginning, ...events].entries()) outcomes.push(await happen(next, step));
  service.setClock(undefined);
  expect(outcomes.map(([real]) => real)).toEqual(outcomes.map(([, modelled]) => modelled));
  const indexOf = (id: string) => customers.findIndex(customer => customer.id === id);
  expect(await shown(project, indexOf)).toEqual(model.shown());
}

/** All that the service shows of a project, with customers by their number. */
async function shown({ ask }: ReturnType<typeof openProject>, indexOf: (id: string) => number) {
  const codes: string[] = [];
  const referrals: string[] = [];
  for (const { code } of (await ask('GET', '/codes?activeOnly=false&limit=100')).body.codes) {
    const { body } = await ask('GET', `/codes/${code}`);
    const owner = indexOf(body.code.customerId);
    codes.push(`${owner} ${body.code.isActive}`);
    for (const { refereeCustomerId, status, convertedAt } of body.referrals)
      referrals.push(`${owner} ${indexOf(refereeCustomerId)} ${status} ${convertedAt ?? 'never'}`);
  }
  const credits: string[] = [];
  for (const { side, customerId, amount, currency } of (await ask('GET', '/credits?limit=100')).body.credits)
    credits.push(`${side} ${indexOf(customerId)} ${amount} ${currency}`);
  return { codes: codes.toSorted(), referrals: referrals.toSorted(), credits: credits.toSorted() };
}

it('lives every history as a simple model of the rules does', { timeout: 240_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 40, size: 'max' }), live), {
    numRuns: 20,
  });
});

it('tells of each referral and each conversion once, whatever came before', async () => {
  const rows = await service.em
    .fork()
    .execute(
      `select data->>'id' as id, type from outbox_events where type like 'referral.%' group by 1, 2 having count(*) > 1`,
    );
  expect(rows).toEqual([]);
  const [{ count } = { count: 0 }] = await service.em.fork().execute<{ count: number }[]>(
    `select count(*)::int from referrals r where status = 'converted' and not exists (
         select 1 from outbox_events where type = 'referral.converted.v1' and data->>'id' = r.id)`,
  );
  expect(count).toBe(0);
});
