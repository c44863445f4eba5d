import { CustomerId } from '@billing/contracts/ids';
import { UpdateBillingDetails } from '@billing/contracts/rpc/calls';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { BERLIN } from '@billing/testing/addresses';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

const NUMBERS = ['DE123456789', 'DE111111111', 'FRAB123456789', 'ATU12345678'];
const someIds = fc.subarray(NUMBERS).map(values => values.map(value => ({ type: 'eu_vat', value })));
const someAddress = fc.constantFrom(null, BERLIN, { ...BERLIN, country: 'FR', city: 'Paris' });
const name = fc.constantFrom(null, 'A', 'B');
const patch = fc.record(
  {
    businessName: name,
    address: someAddress,
    taxIds: someIds,
    purchaseOrder: name,
    locale: fc.constantFrom('de', 'fr'),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  fc.record({ kind: fc.constant('patch' as const), body: patch }),
  fc.record({ kind: fc.constant('portal' as const), body: patch }),
  fc.record({ kind: fc.constant('rename' as const), name }),
  fc.record({ kind: fc.constant('add' as const), value: fc.constantFrom(...NUMBERS) }),
  fc.record({ kind: fc.constant('remove' as const), index: fc.nat(4) }),
);
const trouble = fc.option(
  fc.record({
    method: fc.constantFrom('POST', 'GET', 'DELETE'),
    mode: fc.constantFrom('500', 'done-but-response-lost', 'dropped'),
    times: fc.integer({ min: 1, max: 6 }),
  }),
  { nil: null },
);

it(
  'ends with equal details on both sides, whatever is edited where and whichever answers are lost',
  { timeout: 240_000 },
  async () => {
    await using customers = await startCustomers();
    await customers.run();
    const editInPortal = (id: string, body: object) => {
      const own = { ...customers.scope, customerId: CustomerId.schema.parse(id), audit: testAuditContext() };
      // A fault may make it fail; then it is carried out later.
      return customers.rpc.call(UpdateBillingDetails, { ...own, wanted: body }).catch(() => undefined);
    };
    let email = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, trouble), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        async (steps, seed) => {
          await customers.control.clearFaults();
          const { id, processorCustomerId } = await customers.createCustomer({ email: `c${(email += 1)}@example.com` });
          const path = `/customers/${id}/billing-details`;
          const { dashboard } = customers;
          for (const [edit, fault] of steps) {
            if (fault && 'body' in edit) await customers.control.fail({ path: '/v1/customers/', ...fault });
            if (edit.kind === 'patch') await customers.call('PATCH', path, { body: edit.body });
            else if (edit.kind === 'portal') await editInPortal(id, edit.body);
            else if (edit.kind === 'rename')
              await dashboard.customers.update(processorCustomerId, { business_name: edit.name ?? '' });
            else if (edit.kind === 'add')
              await dashboard.customers.createTaxId(processorCustomerId, { type: 'eu_vat', value: edit.value });
            else {
              const { data } = await dashboard.customers.listTaxIds(processorCustomerId, { limit: 100 });
              const taxId = data[edit.index % Math.max(data.length, 1)];
              if (taxId) await dashboard.customers.deleteTaxId(processorCustomerId, taxId.id);
            }
            await customers.control.clearFaults();
            await customers.control.advanceClock(1);
            await customers.makeDue();
            await customers.reconcile();
          }
          expect(await customers.openOperations()).toEqual([]);
          const events = (await customers.events()).filter(event =>
            JSON.stringify(event).includes(processorCustomerId),
          );
          const shuffled =
            fc.sample(fc.shuffledSubarray(events, { minLength: events.length }), { numRuns: 1, seed })[0] ?? [];
          await customers.deliver(...shuffled);

          const found = await dashboard.customers.retrieve(processorCustomerId, { expand: ['tax_ids'] });
          if (found.deleted) throw new Error('The customer is gone.');
          const { body } = await customers.call('GET', path);
          const { businessName, address, taxIds, purchaseOrder, locale } = body.billingDetails;
          const fields = found.invoice_settings.custom_fields ?? [];
          expect({
            businessName,
            country: address?.country ?? null,
            purchaseOrder,
            locale,
            taxIds: values(taxIds),
          }).toEqual({
            businessName: found.business_name ?? null,
            country: found.address?.country ?? null,
            purchaseOrder: fields.find(field => field.name === 'PO number')?.value ?? null,
            locale: found.preferred_locales?.[0] ?? null,
            taxIds: values(found.tax_ids?.data ?? []),
          });
        },
      ),
      { numRuns: runs(24) },
    );
  },
);

const values = (taxIds: readonly { value: string; verification?: unknown }[]) =>
  taxIds
    .map(({ value, verification }) => {
      const status =
        typeof verification === 'object' && verification !== null ? Reflect.get(verification, 'status') : verification;
      return `${value} ${String(status)}`;
    })
    .toSorted();
