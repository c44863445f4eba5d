import { randomUUID } from 'node:crypto';
import { conflict, unavailable } from '@billing/contracts/problem';
import { ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import { catalogOperations } from '@billing/contracts/operations/catalog';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '../src/testing/identity.ts';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDatabase } from '@billing/database/database';
import { createHttpServer } from '../src/http.ts';
import { idempotencyEntities, idempotencyMigrations } from '../src/idempotency.ts';
import { serve } from '../src/serve.ts';

it('replays the response to the same key and body', async () => {
  await using service = await startCatalog();
  const [first, second] = [await service.create('k1', 'Pro'), await service.create('k1', 'Pro')];
  expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
  expect(second.json()).toEqual(first.json());
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  expect(service.created()).toBe(1);
});

it('rejects the key for another body, and separates projects', async () => {
  await using service = await startCatalog();
  await service.create('k1', 'Pro');
  const reused = await service.create('k1', 'Plus');
  expect([reused.statusCode, reused.json().error.code]).toEqual([422, 'idempotency_key_reused']);
  expect((await service.create('k1', 'Plus', ProjectId.create())).statusCode).toBe(201);
});

it('runs once when the same request arrives twenty times at once', async () => {
  await using service = await startCatalog();
  const responses = await Promise.all(Array.from({ length: 20 }, () => service.create('k1', 'Pro')));
  const codes = responses.map(response => (response.statusCode === 201 ? 'ok' : response.json().error.code));
  expect(codes.filter(code => code !== 'ok' && code !== 'idempotency_key_in_use')).toEqual([]);
  expect(codes).toContain('ok');
  expect(service.created()).toBe(1);
});

it('replays a conflict, and runs again after a failure that will pass', async () => {
  await using service = await startCatalog();
  service.failNext(unavailable('Down.'));
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

it('runs again under the same operation key after the process died', async () => {
  await using service = await startCatalog();
  service.failNext(unavailable('Down.'));
  await service.create('k1', 'Pro');
  await service.database.em.execute(`update idempotent_requests set due_at = now() + interval '1 hour'`);
  expect((await service.create('k1', 'Pro')).json().error.code).toBe('idempotency_key_in_use');
  await service.database.em.execute(`update idempotent_requests set due_at = now() - interval '1 second'`);
  expect((await service.create('k1', 'Pro')).statusCode).toBe(201);
  expect(new Set(service.operationKeys).size).toBe(1);
});

it('keeps the lease of a slow request, and tells others when to retry', async () => {
  await using service = await startCatalog();
  const release = service.holdNext();
  const first = service.create('k1', 'Pro');
  const isLeased = async () => {
    const rows = await service.database.em
      .fork()
      .execute<unknown[]>(`select 1 from idempotent_requests where due_at > clock_timestamp() + interval '5 seconds'`);
    return rows.length === 1;
  };
  await waitFor(isLeased, { what: 'the lease' });
  await service.database.em.execute(`update idempotent_requests set due_at = now() + interval '4 seconds'`);
  await waitFor(isLeased, { what: 'the lease to be renewed' });
  const meanwhile = await service.create('k1', 'Pro');
  expect([meanwhile.statusCode, meanwhile.json().error.code]).toEqual([409, 'idempotency_key_in_use']);
  expect(meanwhile.headers['retry-after']).toBe('2');
  release();
  expect((await first).statusCode).toBe(201);
  expect((await service.create('k1', 'Pro')).headers['idempotent-replayed']).toBe('true');
});

it('accepts a key again after a day', async () => {
  await using service = await startCatalog();
  await service.create('k1', 'Pro');
  await service.database.em.execute(`update idempotent_requests set created_at = now() - interval '25 hours'`);
  expect((await service.create('k1', 'Plus')).headers['idempotent-replayed']).toBeUndefined();
  expect(service.created()).toBe(2);
  expect(new Set(service.operationKeys).size).toBe(2);
});

it.each(['', 'x'.repeat(256), 'tab\there'])('rejects the key %j', async key => {
  await using service = await startCatalog();
  const response = await service.create(key, 'Pro');
  expect([response.statusCode, response.json().error.code]).toEqual([400, 'validation_error']);
});

async function startCatalog() {
  const resources = new AsyncDisposableStack();
  const schema = { entities: idempotencyEntities, migrations: idempotencyMigrations };
  const { url } = resources.use(await createTestDatabase('catalog', schema));
  const database = openDatabase({ service: 'catalog', url, ...schema });
  resources.defer(() => database.close());
  const { verifyIdentityToken, asKey } = testIdentity('catalog');
  const app = createHttpServer({ logger: pino({ level: 'silent' }), verifyIdentityToken, idempotency: database.em });
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const operationKeys: (string | undefined)[] = [];
  let created = 0;
  let failure: Error | undefined;
  let held: Promise<void> | undefined;

  serve(app, catalogOperations.createProduct, async ({ params, body, operationKey }) => {
    operationKeys.push(operationKey);
    const error = failure;
    failure = undefined;
    await held;
    if (error) throw error;
    created += 1;
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
    created: () => created,
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
