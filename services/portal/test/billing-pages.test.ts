import { expect, it } from 'vitest';
import { unprocessable } from '@billing/contracts/problem';
import { BERLIN } from '@billing/testing/addresses';
import { textOf } from './page-text.ts';
import { startService } from './start-service.ts';

const VAT = { type: 'eu_vat', value: 'DE123456789', verification: 'verified' } as const;
const EIN = { type: 'us_ein', value: '12-3456789', verification: 'unavailable' } as const;
const PATH = '/billing-details';

/** Starts a portal that shows billing details to a customer in Berlin with two tax ids. */
async function startDetails() {
  const service = await startService();
  await service.configure({ billingDetails: { enabled: true } });
  const { otherServices } = service;
  otherServices.details = { ...otherServices.details, address: BERLIN, taxIds: [VAT, EIN] };
  const { token } = await service.createLink();
  return {
    service,
    token,
    otherServices,
    call: (method: 'GET' | 'PATCH', payload?: object) =>
      service.app.inject({
        method,
        url: `/api/portal/${token}${PATH}`,
        headers: service.identity.anonymous(),
        ...(payload && { payload }),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

it('shows and changes the customer’s own details, without tax exemption', async () => {
  await using details = await startDetails();
  const { call, otherServices, service } = details;
  const found = (await call('GET')).json<{ billingDetails: object }>().billingDetails;
  expect(found).toMatchObject({ address: BERLIN, taxIds: [VAT, EIN] });
  expect(found).not.toHaveProperty('taxExempt');
  const changed = await call('PATCH', { businessName: 'Engines', purchaseOrder: null });
  expect(changed.json()).toMatchObject({ billingDetails: { businessName: 'Engines' } });
  const { scope, customerId } = service;
  const audit = { actor: { type: 'customer', id: customerId }, action: 'updatePortalBillingDetails' };
  const wanted = { businessName: 'Engines', purchaseOrder: null };
  expect(otherServices.detailsChanges).toMatchObject([{ ...scope, customerId, wanted, audit }]);
});

it.each([{ taxExempt: 'exempt' }, { customerId: 'cust_1' }, { taxIds: [VAT] }, { address: { country: 'Germany' } }])(
  'S8: rejects the body %j',
  async body => {
    await using details = await startDetails();
    expect((await details.call('PATCH', body)).statusCode).toBe(400);
    expect(details.otherServices.detailsChanges).toEqual([]);
  },
);

it('shows nothing of it, and changes nothing, until the project has it enabled', async () => {
  await using details = await startDetails();
  const { service, token, call, otherServices } = details;
  expect((await service.visit(token)).body).toContain(`href="/portal/${token}${PATH}"`);
  await service.configure({});
  expect((await service.visit(token)).body).not.toContain(PATH);
  for (const method of ['GET', 'PATCH'] as const) {
    const refused = await call(method, method === 'PATCH' ? { phone: '1' } : undefined);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      404,
      { error: { code: 'billing_details_not_offered' } },
    ]);
  }
  const pages = [await service.visit(token, PATH), await service.submit(token, PATH, { phone: '1' })];
  expect(pages.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
  expect(otherServices.detailsChanges).toEqual([]);
});

it('passes on why a change is refused', async () => {
  await using details = await startDetails();
  details.otherServices.detailsRefusal = unprocessable('tax_id_invalid', 'Not one of its kind.', { index: 1 });
  const refused = await details.call('PATCH', { taxIds: [] });
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    { error: { code: 'tax_id_invalid', details: { index: 1 } } },
  ]);
});

it('saves the form, and then says so with what the registers say in words', async () => {
  await using details = await startDetails();
  const { service, token, otherServices } = details;
  const before = await service.visit(token, PATH);
  expect(textOf(before.body).replaceAll(/\s+/g, ' ')).toMatch(
    /EU VAT DE123456789 Verified Remove EU VAT DE123456789 US EIN 12-3456789 Not checked by a register/,
  );
  expect(before.body).toMatch(/<option value="DE" selected>Germany<\/option>/);
  const form = { businessName: ' Engines ', country: 'FR', city: 'Paris', locale: 'fr', purchaseOrder: '' };
  const removed = { 'remove.us_ein:12-3456789': 'on' };
  const added = { taxIdKind: 'FR:eu_vat', taxIdValue: 'FRAB123456789' };
  const saved = await service.submit(token, `${PATH}?lang=en`, { ...form, ...removed, ...added });
  expect([saved.statusCode, saved.headers.location]).toEqual([
    303,
    `/portal/${token}${PATH}?notice=details-saved&lang=en`,
  ]);
  expect(otherServices.detailsChanges.map(({ wanted }) => wanted)).toEqual([
    {
      businessName: 'Engines',
      address: { line1: null, line2: null, city: 'Paris', state: null, postalCode: null, country: 'FR' },
      taxIds: [
        { type: VAT.type, value: VAT.value },
        { type: 'eu_vat', value: 'FRAB123456789' },
      ],
      locale: 'fr',
      purchaseOrder: null,
    },
  ]);
  const after = textOf((await service.visit(token, `${PATH}?notice=details-saved`)).body);
  expect(after).toContain('Your billing details are saved.');
  expect(after).toMatch(/FRAB123456789\s+Being checked/);
});

it.each([
  ['tax_id_invalid', 'taxIdValue', 'isn’t accepted as EU VAT'],
  ['tax_location_invalid', 'country', 'Tax can’t be computed'],
  ['invoice_fields_full', 'purchaseOrder', 'no room on your invoices'],
])('explains %s beside its field, and keeps what was typed', async (code, field, explanation) => {
  await using details = await startDetails();
  const { service, token, otherServices } = details;
  otherServices.detailsRefusal = unprocessable(code, 'Refused.');
  const typed = { businessName: '<b>Engines</b>', taxIdKind: 'FR:eu_vat', taxIdValue: 'FR1', country: 'FR' };
  const { statusCode, body } = await service.submit(token, PATH, { ...typed, 'remove.us_ein:12-3456789': 'on' });
  expect(statusCode).toBe(422);
  expect(textOf(body)).toContain('Nothing is saved yet.');
  expect(textOf(body)).toContain(explanation);
  expect(body).toMatch(new RegExp(`name="${field}"\\s+aria-invalid="true" aria-describedby="${field}-problem"`));
  expect(body).toContain('value="&lt;b&gt;Engines&lt;/b&gt;"');
  expect(body).toContain('value="FR1"');
  expect(body).toMatch(/<option value="FR:eu_vat" selected>/);
  expect(body.match(/ checked\s*\/>/g)).toHaveLength(1);
});

it('names what cannot be saved before anything is sent', async () => {
  await using details = await startDetails();
  const { service, token, otherServices } = details;
  const tooLong = await service.submit(token, PATH, { phone: '1'.repeat(21), city: '\u200b', country: 'DE' });
  expect(tooLong.statusCode).toBe(422);
  expect(Array.from(tooLong.body.matchAll(/id="(\w+)-problem"/g), ([, name]) => name)).toEqual(['city', 'phone']);
  const noCountry = await service.submit(token, PATH, { city: 'Berlin', country: '' });
  expect(textOf(noCountry.body)).toContain('Choose the country of the address.');
  const noKind = await service.submit(token, PATH, { taxIdKind: '', taxIdValue: 'DE1' });
  expect(textOf(noKind.body)).toContain('Choose the country and kind of this number.');
  expect(otherServices.detailsChanges).toEqual([]);
});

it('offers no further tax id to a customer who has five', async () => {
  await using details = await startDetails();
  const { service, token, otherServices } = details;
  const taxIds = ['1', '2', '3', '4', '5'].map(last => ({ ...VAT, value: `DE12345678${last}` }));
  otherServices.details = { ...otherServices.details, taxIds };
  const { body } = await service.visit(token, PATH);
  expect(body.match(/type="checkbox"/g)).toHaveLength(5);
  expect(body).not.toContain('name="taxIdValue"');
});
