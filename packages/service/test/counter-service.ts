import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p } from '@mikro-orm/postgresql';
import { defineEvent } from '@billing/contracts/event';
import { defineRpc } from '@billing/contracts/rpc';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import { consumer } from '@billing/messaging/consumer/consumer';
import { serviceEnv } from '../src/env.ts';
import { z } from 'zod';
import { defineService, rpcHandler, type Chassis } from '../src/definition.ts';

const CountSchema = defineEntity({
  name: 'Count',
  tableName: 'counts',
  properties: { id: p.integer().primary(), number: p.integer() },
});

class CreateCounts extends Migration {
  override up(): void {
    this.addSql('create table counts (id serial primary key, number int not null)');
  }
}

export const NumberDrawn = defineEvent('test.number-drawn.v1', z.object({ number: z.int() }));
export const NumberCounted = defineEvent('test.number-counted.v1', z.object({ number: z.int() }));
export const Sum = defineRpc('portal', 'sum', z.object({}), z.object({ sum: z.int() }));
/** A call to a neighbour. */
export const Factor = defineRpc('catalog', 'factor', z.object({}), z.object({ factor: z.int() }));

interface Hooks {
  readonly onRequest?: () => Promise<void>;
  readonly onNumber?: () => Promise<void>;
  readonly onJobStop?: (chassis: Chassis) => Promise<void>;
  readonly onResourcesClose?: (chassis: Chassis) => Promise<void>;
}

/** A small service with one part of each kind: it counts the numbers that it reads from the bus. */
export const counterService = ({ onRequest, onNumber, onJobStop, onResourcesClose }: Hooks = {}) =>
  defineService({
    name: 'portal',
    access: {
      publishes: new Set([NumberCounted.name]),
      consumers: new Map([['counter', 'test.number-drawn.v1']]),
      follows: new Set(),
      serves: new Set([Sum, ...Object.values(deadLetterCalls.portal)].map(({ name }) => name)),
      calls: new Map([[Factor.name, Factor]]),
    },
    env: serviceEnv.extend({ GREETING: z.string().default('hello') }),
    database: { entities: [CountSchema], migrations: [{ name: '0001-create-counts', class: CreateCounts }] },
    parts: chassis => {
      const { em, env, rpc, resources } = chassis;
      resources.defer(async () => onResourcesClose?.(chassis));
      return {
        consumers: [
          consumer('counter', 'test.number-drawn.v1').on(NumberDrawn, async (tx, deliveries, publish) => {
            await onNumber?.();
            for (const { data, teamId } of deliveries) {
              if (data.number < 0) throw new Error('negative');
              await tx.execute('insert into counts (number) values (?)', [data.number]);
              publish(NumberCounted, teamId, data);
            }
          }),
        ],
        rpc: [
          rpcHandler(Sum, async () => {
            const [row] = await em.fork().execute<{ sum: string }[]>('select sum(number) from counts');
            return { sum: Number(row?.sum) };
          }),
        ],
        jobs: [() => () => onJobStop?.(chassis)],
        routes: [
          app => {
            app.get('/api/greeting', async () => {
              await onRequest?.();
              return { greeting: env.GREETING };
            });
            const limit = async () => (await em.fork().execute<object[]>('show statement_timeout'))[0];
            app.get('/api/statement-limit', limit);
            app.post('/api/statement-limit', limit);
            app.get('/api/product', async () => ({ product: 2 * (await rpc.call(Factor, {})).factor }));
            app.post('/api/greeting', async request => ({ received: request.body }));
          },
        ],
      };
    },
  });
