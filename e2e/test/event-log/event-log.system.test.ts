import { startReceiver, type Receiver } from '@billing/testing/receiver';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDocumentedApi } from '../../system/documented-api.ts';
import { act, actAtOnce, ACTION_NAMES, changeNothing, type ActionName } from './actions.ts';
import { checkCauses } from './causes.ts';
import { checkCustomerStates, checkDifferences, checkOrder, checkStates, checkTypes } from './checks.ts';
import { newWorld } from './world.ts';

// The events say all that happened and nothing else, whatever happens and however webhooks arrive.

/** It wants no more webhooks. */
let gone: Receiver;
beforeAll(async () => void (gone = await startReceiver(() => 410)));
afterAll(() => gone[Symbol.asyncDispose]());

/** What is done, and to which of the objects that it can be done to. */
type Step = readonly [ActionName, number];
/** What comes together is done at once. */
type History = readonly (readonly Step[])[];
const toHistory = (names: string): History => names.split(/\s+/).map(name => [[name as ActionName, 0]]);

/** A history in which each documented type of event occurs. */
const TOUR = toHistory(`addGoneEndpoint newCustomer newPrice changeCustomer renameProduct archivePrice newPrice
  giveSeats refer subscribe settle renew settle refund settle renew settle dispute settle winDispute settle
  renew settle dispute settle loseDispute settle failToRenew settle giveInvoiceUp voidInvoice cancelInPortal settle
  refer refuseNextCredit subscribe settle retryCredit newCustomer subscribeOnTrial settle look cancelNow deactivateCode
  newCustomer holdSubscriptions subscribe look settle holdCharges renew look settle
  newPrice subscribe settle growNow scheduleQuantity dropChange setDiscount setDiscountThere declineCards growNow
  payForChange settle acceptCards scheduleQuantity renew settle
  hold newAccountThere sync settle newAccountThere linkCustomer moveEmailThere settle
  deletePrice deleteProduct deleteCustomer deleteCustomerThere cancelThere`);

/** What a subscription shows of changes of its plan, each in some event. */
const PLAN_FIELDS = ['discounts', 'pendingChange', 'scheduledChange'] as const;

/** What every drawn history begins with, so that there is something to change. */
const BEGINNING = toHistory(
  'newCustomer newPrice newPrice giveSeats subscribe refer subscribe subscribeOnTrial settle renew',
);
const OFTEN = [
  'settle',
  'settle',
  'release',
  'look',
  'look',
  'renew',
  'cancelAtEnd',
  'changeCustomer',
  'changePlan',
] as const;

it('publishes every change once, in order, as it was shown, by its type and its cause', async () => {
  const documented = await openDocumentedApi();
  const types = new Set<string>();
  const changes = new Set<string>();
  const step = fc.tuple(fc.constantFrom(...ACTION_NAMES, ...OFTEN), fc.nat(9));
  const together = fc.oneof({ arbitrary: fc.tuple(step), weight: 3 }, fc.array(step, { minLength: 2, maxLength: 5 }));
  const histories = fc
    .array(together, { minLength: 10, maxLength: 30 })
    .map((drawn): History => [...BEGINNING, ...drawn]);
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(), async (history, seed) => {
      const world = await newWorld(gone.url);
      for (const steps of history) await actAtOnce(world, steps);
      await world.settle();
      await act(world, 'sync', 0);
      await world.settle();
      const published = await world.events();
      const before = await world.look();

      await world.tenant.processor.resendAll({ seed });
      await act(world, 'sync', 0);
      await changeNothing(world);
      await world.settle();
      const events = await world.events();
      expect(events.slice(published.length)).toEqual([]);
      expect(await world.look()).toEqual(before);

      const problems: string[] = [];
      checkOrder(events, problems);
      await checkStates(world, events, problems);
      await checkCustomerStates(world, events, problems);
      checkDifferences(events, problems);
      checkTypes(events, problems);
      await checkCauses(world, events, problems);
      expect(problems).toEqual([]);
      for (const event of events) {
        documented.checkEvent(event);
        types.add(event.type);
        for (const name of PLAN_FIELDS) if (Object.keys(event.data[name] ?? {}).length > 0) changes.add(name);
      }
    }),
    { numRuns: runs(4), examples: [[TOUR, 1]], endOnFailure: true },
  );
  const { webhooks } = (await (await fetch(`${inject('gatewayUrl')}/openapi.json`)).json()) as { webhooks: object };
  const documentedTypes = Object.keys(webhooks).filter(type => type !== 'ping');
  expect([...types].toSorted()).toEqual(documentedTypes.toSorted());
  expect(changes).toEqual(new Set(PLAN_FIELDS));
}, 900_000);
