import { BERLIN } from '@billing/testing/addresses';
import { expect, it } from 'vitest';
import { isRefusedFor } from '../../src/errors.ts';
import type { BillingChanges } from '../../src/port.ts';
import type { Cases } from './cases.ts';

/** The United States need a postal code. https://docs.stripe.com/tax/customer-locations#supported-formats */
const SOMEWHERE = { line1: null, line2: null, city: null, state: null, postalCode: null, country: 'US' };

const LOCATION_INVALID = { code: 'customer_tax_location_invalid' };

/** Tests what customers are taxed by. */
export function taxCases({ paidIt, processor, key, createCustomer, subscribe }: Cases): void {
  const change = (id: string, billing: BillingChanges) => processor().updateCustomer(id, { billing }, key());

  it('has tax ids, which are deleted once', async () => {
    const { id } = await createCustomer();
    const wanted = { type: 'eu_vat', value: 'DE123456789' };
    const taxId = await processor().createTaxId(id, wanted, key());
    expect(taxId).toMatchObject({ ...wanted, id: expect.stringMatching(/^txi_/) });
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxIds: [{ ...wanted, id: taxId.id }] });
    for (const repeated of [taxId.id, taxId.id]) await processor().deleteTaxId(id, repeated);
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxIds: [] });
  });

  it('refuses a tax id that is not one of its kind', async () => {
    const { id } = await createCustomer();
    const refused = processor().createTaxId(id, { type: 'eu_vat', value: 'DE12' }, key());
    await expect(refused).rejects.toSatisfy(err => isRefusedFor(err, { code: 'tax_id_invalid' }));
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxIds: [] });
  });

  it('says whether the address is enough to compute tax', async () => {
    const { id } = await createCustomer();
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxLocation: 'unrecognized' });
    await change(id, { address: BERLIN });
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxLocation: 'recognized' });
    await change(id, { address: SOMEWHERE });
    expect(await processor().findBilledCustomer(id)).toMatchObject({ taxLocation: 'unrecognized' });
  });

  it('refuses an address that cannot be taxed where that is to be checked, with nothing changed', async () => {
    const { id } = await createCustomer();
    await change(id, { address: BERLIN, validatesLocation: true });
    const refused = change(id, { address: SOMEWHERE, businessName: 'Other', validatesLocation: true });
    await expect(refused).rejects.toSatisfy(err => isRefusedFor(err, LOCATION_INVALID));
    expect(await processor().findBilledCustomer(id)).toMatchObject({
      billing: { address: BERLIN, businessName: null },
    });
  });

  it('clears billing details, and lists of them', async () => {
    const { id } = await createCustomer();
    const details = {
      businessName: 'Analytical Engines GmbH',
      address: BERLIN,
      phone: '+49301234567',
      taxExempt: 'reverse',
      locale: 'de',
      invoiceFields: [{ name: 'Cost center', value: '12' }],
    } as const;
    expect(await change(id, details)).toMatchObject({ billing: details });
    const nothing = { businessName: null, address: null, phone: null, locale: null, invoiceFields: [] };
    await change(id, { ...nothing, taxExempt: 'none' });
    expect(await processor().findCustomer(id)).toMatchObject({ billing: { ...nothing, taxExempt: 'none' } });
  });

  paidIt('is taxed on a subscription only where its location is recognized', async () => {
    const { customer, subscription } = await subscribe();
    const refused = processor().setAutomaticTax(subscription.id, true, key());
    await expect(refused).rejects.toSatisfy(err => isRefusedFor(err, LOCATION_INVALID));
    await change(customer.id, { address: BERLIN });
    const taxed = { tax: { automatic: true, stoppedReason: null } };
    expect(await processor().setAutomaticTax(subscription.id, true, key())).toMatchObject(taxed);
    expect(await processor().findBilledCustomer(customer.id)).toMatchObject({ isTaxed: true });
    const untaxed = { tax: { automatic: false, stoppedReason: null } };
    expect(await processor().setAutomaticTax(subscription.id, false, key())).toMatchObject(untaxed);
  });
}
