import { randomUUID } from 'node:crypto';
import { conflict, unavailable } from '@billing/contracts/problem';
import { ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import { catalogOperations } from '@billing/contracts/operations/catalog';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { migrate, openDatabase } from '../src/database.ts';
import { createHttpServer } from '../src/http.ts';
import { idempotencyEntities, idempotencyMigrations } from '../src/idempotency.ts';
import { serve } from '../src/serve.ts';

it('answers the same key and body once more without doing it again', async () => {
  await using service = await startCatalog();
  const [first, second] = [await service.create('k1', 'Pro'), await service.create('k1', 'Pro')];
  expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
  expect(second.json()).toEqual(first.json());
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  expect(service.made()).toBe(1);
});

it('refuses the key for another body, and keeps projects apart', async () => {
  await using service = await startCatalog();
  await service.create('k1', 'Pro');
  const reused = await service.create('k1', 'Plus');
  expect([reused.statusCode, reused.json().error.code]).toEqual([422, 'idempotency_key_reused']);
  expect((await service.create('k1', 'Plus', ProjectId.create())).statusCode).toBe(201);
});

it('does one thing when the same request comes twenty times at once', async () => {
  await using service = await startCatalog();
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.create('k1', 'Pro')));
  const codes = answers.map(answer => (answer.statusCode === 201 ? 'ok' : answer.json().error.code));
  expect(codes.filter(code => code !== 'ok' && code !== 'idempotency_key_in_use')).toEqual([]);
  expect(codes).toContain('ok');
  expect(service.made()).toBe(1);
});

it('keeps a refusal, but tries again after a failure and after what will pass', async () => {
  await using service = await startCatalog();
  service.failNext(unavailable('away'));
  expect((await service.create('k1', 'Pro')).statusCode).toBe(503);
  expect((await service.create('k1', 'Pro')).statusCode).toBe(201);
  service.failNext(conflict('in_use', 'Still under way.', 2));
  const passing = await service.create('k3', 'Pro');
  expect([passing.statusCode, passing.headers['retry-after']]).toEqual([409, '2']);
  expect((await service.create('k3', 'Pro')).statusCode).toBe(201);
  service.failNext(conflict('taken', 'Taken.'));
  expect((await service.create('k2', 'Pro')).statusCode).toBe(409);
  const repeated = await service.create('k2', 'Pro');
  expect([repeated.statusCode, repeated.headers['idempotent-replayed']]).toEqual([409, 'true']);
});

it('runs a request again under the same operation key when the process died over it', async () => {
  await using service = await startCatalog();
  service.failNext(unavailable('away'));
  await service.create('k1', 'Pro');
  await service.database.em.execute(`update idempotent_requests set claimed_until = now() + interval '1 hour'`);
  expect((await service.create('k1', 'Pro')).json().error.code).toBe('idempotency_key_in_use');
  await service.database.em.execute(`update idempotent_requests set claimed_until = now() - interval '1 second'`);
  expect((await service.create('k1', 'Pro')).statusCode).toBe(201);
  expect(new Set(service.operationKeys).size).toBe(1);
});

it('keeps the key of a request that takes long, and tells others when to ask again', async () => {
  await using service = await startCatalog();
  const letGo = service.holdNext();
  const first = service.create('k1', 'Pro');
  const isClaimed = async () => {
    const rows = await service.database.em
      .fork()
      .execute<unknown[]>(
        `select 1 from idempotent_requests where claimed_until > clock_timestamp() + interval '5 seconds'`,
      );
    return rows.length === 1;
  };
  await waitFor(isClaimed, { what: 'the claim' });
  await service.database.em.execute(`update idempotent_requests set claimed_until = now() + interval '4 seconds'`);
  await waitFor(isClaimed, { what: 'the claim to be renewed' });
  const meanwhile = await service.create('k1', 'Pro');
  expect([meanwhile.statusCode, meanwhile.json().error.code]).toEqual([409, 'idempotency_key_in_use']);
  expect(meanwhile.headers['retry-after']).toBe('2');
  letGo();
  expect((await first).statusCode).toBe(201);
  expect((await service.create('k1', 'Pro')).headers['idempotent-replayed']).toBe('true');
});

it('may use a key anew after a day', async () => {
  await using service = await startCatalog();
  await service.create('k1', 'Pro');
  await service.database.em.execute(`update idempotent_requests set created_at = now() - interval '25 hours'`);
  expect((await service.create('k1', 'Plus')).headers['idempotent-replayed']).toBeUndefined();
  expect(service.made()).toBe(2);
  expect(new Set(service.operationKeys).size).toBe(2);
});

it.each(['', 'x'.repeat(256), 'tab\there'])('refuses the key %j', async key => {
  await using service = await startCatalog();
  const answer = await service.create(key, 'Pro');
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'validation_error']);
});

async function startCatalog() {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase('catalog'));
  const database = openDatabase({
    service: 'catalog',
    url,
    entities: idempotencyEntities,
    migrations: idempotencyMigrations,
  });
  resources.defer(() => database.close());
  await migrate(database);
  const { verifyIdentityToken, asKey } = testIdentity('catalog');
  const app = createHttpServer({ logger: pino({ level: 'silent' }), verifyIdentityToken, idempotency: database.em });
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const operationKeys: (string | undefined)[] = [];
  let made = 0;
  let failure: Error | undefined;
  let held: Promise<void> | undefined;

  serve(app, catalogOperations.createProduct, async ({ params, body, operationKey }) => {
    operationKeys.push(operationKey);
    const error = failure;
    failure = undefined;
    await held;
    if (error) throw error;
    made += 1;
    const { projectId } = params;
    const processorProductId = randomUUID();
    const { name, metadata } = body;
    return {
      product: {
        id: ProductId.create(),
        name,
        isActive: true,
        processorProductId,
        metadata,
        projectId,
        createdAt: new Date(),
      },
    };
  });
  return {
    database,
    operationKeys,
    made: () => made,
    failNext: (error: Error) => (failure = error),
    holdNext() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    create: (key: string, name: string, projectId = scope.projectId) =>
      app.inject({
        method: 'POST',
        url: `/api/service/teams/${scope.teamId}/projects/${projectId}/products`,
        headers: { ...asKey({ teamId: scope.teamId, projectId }), 'idempotency-key': key },
        payload: { name },
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
