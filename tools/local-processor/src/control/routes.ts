import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authenticate } from '../api/authentication.ts';
import { Failure, noSuch } from '../api/failure.ts';
import { answerFailure, send } from '../api/pipeline.ts';
import type { Unit } from '../api/unit.ts';
import { completeSession, declineSession } from '../billing/checkout.ts';
import { bringUpToDate } from '../billing/clock.ts';
import {
  collectFor,
  endSubscription,
  giveUpOn,
  pauseSubscription,
  renewSubscription,
} from '../billing/subscriptions.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import * as messages from './messages.ts';

/** A request to the control API: the account its key opens, its body and the id in its path. */
interface Control<Body> {
  account: Account;
  body: Body;
  id: string;
}

/** Registers one route of the control API; its body is checked before `act`. */
export type AddRoute = <Schema extends z.ZodType>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  schema: Schema,
  act: (control: Control<z.output<Schema>>) => unknown,
) => void;

/**
 * The control API, which makes happen what otherwise only time, people and bad luck bring. It takes the same secret
 * key as the API and acts on that key's account.
 */
export function controlRoutes(processor: Processor): FastifyPluginAsync {
  return async app => {
    app.addContentTypeParser('application/json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
    const add: AddRoute = (method, path, schema, act) => addRoute(app, processor, method, path, schema, act);
    clockRoutes(add, processor);
    subscriptionRoutes(add, processor);
    checkoutRoutes(add, processor);
    faultRoutes(add, processor);
    accountRoutes(add, processor);
    deliveryRoutes(add, processor);
  };
}

function addRoute<Schema extends z.ZodType>(
  app: FastifyInstance,
  processor: Processor,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  schema: Schema,
  act: (control: Control<z.output<Schema>>) => unknown,
): void {
  app.route({
    method,
    url,
    handler: async (request, reply) => {
      try {
        const account = authenticate(processor.accounts, request.headers);
        const body = parsed(schema, method === 'GET' ? { ...(request.query as object) } : (request.body ?? {}));
        const answer = await act({ account, body, id: idOf(request) });
        processor.flush();
        return await reply.send(answer ?? {});
      } catch (error) {
        return send(reply, answerFailure(error, request));
      }
    },
  });
}

function clockRoutes(add: AddRoute, processor: Processor): void {
  const clock = (account: Account) => ({ now: account.now(), offset: account.state.clockOffset });
  add('GET', '/clock', messages.nothing, ({ account }) => clock(account));
  add('POST', '/clock/advance', messages.advanceClock, ({ account, body }) => {
    account.change({ clockOffset: account.state.clockOffset + body.seconds });
    processor.run(account, unit => bringUpToDate(unit, account.now()));
    return clock(account);
  });
}

function subscriptionRoutes(add: AddRoute, processor: Processor): void {
  const change = (account: Account, id: string, act: (unit: Unit, subscription: Subscription) => Subscription) =>
    processor.run(account, unit => act(unit, liveSubscription(unit, id)));
  add('POST', '/subscriptions/:id/renew', messages.payment, ({ account, id, body }) =>
    change(account, id, (unit, row) => renewSubscription(unit, row, unit.now, body.outcome === 'decline')),
  );
  add('POST', '/subscriptions/:id/collect', messages.payment, ({ account, id, body }) =>
    change(account, id, (unit, row) => {
      const invoice = unit.tables.invoice.get(String(row.latest_invoice));
      if (invoice?.status !== 'open') throw refusal('The subscription has no open invoice.');
      return collectFor(unit, row, invoice, body.outcome === 'decline');
    }),
  );
  add('POST', '/subscriptions/:id/give-up', messages.surrender, ({ account, id, body }) =>
    change(account, id, (unit, row) => giveUpOn(unit, row, body.outcome)),
  );
  add('POST', '/subscriptions/:id/end', messages.nothing, ({ account, id }) =>
    change(account, id, (unit, row) => endSubscription(unit, row, 'cancellation_requested')),
  );
  add('POST', '/subscriptions/:id/end-trial', messages.trialEnd, ({ account, id, body }) =>
    change(account, id, (unit, row) => {
      if (row.status !== 'trialing') throw refusal('The subscription is not in a trial.');
      if (body.outcome === 'pause') return pauseSubscription(unit, row);
      return renewSubscription(unit, row, unit.now, body.outcome === 'decline');
    }),
  );
  add('POST', '/subscriptions/:id/pause', messages.nothing, ({ account, id }) =>
    change(account, id, pauseSubscription),
  );
}

function checkoutRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/checkout-sessions/:id', messages.checkoutAction, ({ account, id, body }) =>
    processor.run(account, unit => (body.action === 'pay' ? completeSession(unit, id) : declineSession(unit, id))),
  );
  add('PUT', '/payment-methods/:id', messages.cardBehavior, ({ account, id, body }) => {
    if (!account.tables.payment_method.get(id)) throw noSuch('PaymentMethod', id);
    if (body.declines) account.tables.declining_card.put({ id });
    else account.tables.declining_card.remove(id);
  });
}

function faultRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/faults', messages.fault, ({ account, body: { everyAccount, method, ...fault } }) =>
    processor.faults.add({ ...fault, method: method ?? null, account: everyAccount ? null : account.id }),
  );
  add('GET', '/faults', messages.nothing, ({ account }) => ({ faults: processor.faults.list(account) }));
  add('DELETE', '/faults', messages.nothing, ({ account }) => processor.faults.clear(account));
}

function accountRoutes(add: AddRoute, processor: Processor): void {
  add('GET', '/ledger', messages.nothing, ({ account }) => ({
    objects: account.tables.ledger.newestFirst().toReversed(),
    calls: Object.fromEntries([...account.calls].map(([call, statuses]) => [call, Object.fromEntries(statuses)])),
  }));
  add('POST', '/reset', messages.nothing, ({ account }) => {
    processor.accounts.reset(account);
    processor.faults.clear(account);
  });
}

function liveSubscription(unit: Unit, id: string): Subscription {
  const subscription = unit.tables.subscription.get(id);
  if (!subscription) throw noSuch('subscription', id);
  if (hasEnded(subscription)) throw refusal('The subscription has ended.');
  return subscription;
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw refusal(z.prettifyError(result.error));
  return result.data;
}

function idOf(request: FastifyRequest): string {
  const { id } = request.params as { id?: string };
  return id ?? '';
}

function refusal(message: string): Failure {
  return new Failure(400, { type: 'invalid_request_error', message });
}
