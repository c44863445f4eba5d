import type { Stripe } from 'stripe';
import { endpoint, endpointOn, noParameters, onlyExpand } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { isTaxIdType, readTaxId, registerSays } from '../domain/tax-ids.ts';
import { existing } from '../objects/finding.ts';
import type { Customer, TaxId } from '../objects/stored.ts';

const PATH = '/v1/customers/:id/tax_ids';

const createParameters = parameters<Stripe.CustomerCreateTaxIdParams>()({ expand, type: text(), value: text(100) });

/** The tax ids of a customer. They cannot be changed, only replaced. */
export const taxIdEndpoints = [
  endpointOn('customer', 'POST', PATH, createParameters, createTaxId),
  endpoint('GET', PATH, parameters<Stripe.CustomerListTaxIdsParams>()(page), (unit, given, { id, url }) =>
    listPage(unit.tables.tax_id.withField('customer', existing(unit, 'customer', id).id), given, url, 'tax_id'),
  ),
  endpoint('GET', `${PATH}/:child`, onlyExpand, (unit, _, { id, child }) => taxIdOf(unit, id, child)),
  endpoint('DELETE', `${PATH}/:child`, noParameters, (unit, _, { id, child }) => {
    const taxId = taxIdOf(unit, id, child);
    unit.tables.tax_id.remove(taxId.id);
    unit.emit('customer.tax_id.deleted', taxId);
    return { id: taxId.id, object: 'tax_id', deleted: true };
  }),
];

/**
 * Adds a tax id, which a register is asked about if there is one.
 * @throws ApiError 400 `tax_id_invalid` when its type does not take the value
 */
function createTaxId(unit: UnitOfWork, customer: Customer, { type, value }: { type: string; value: string }): TaxId {
  if (!isTaxIdType(type)) throw invalidRequest(`Invalid type: ${type} is no type of tax ID.`, 'type');
  const read = readTaxId(type, value);
  if (!read) throw invalidRequest(`Invalid value for ${type}.`, 'value', 'tax_id_invalid');
  const status = read.isVerified ? 'pending' : 'unavailable';
  const made = unit.create(
    'tax_id',
    {
      id: newId('txi_1'),
      object: 'tax_id',
      country: read.country,
      created: unit.now,
      customer: customer.id,
      customer_account: null,
      livemode: unit.livemode,
      owner: { customer: customer.id, customer_account: null, type: 'customer' },
      type,
      value,
      verification: { status, verified_address: null, verified_name: null },
    },
    'customer.tax_id.created',
  );
  const said = registerSays(value);
  if (read.isVerified && said !== 'pending')
    unit.update('tax_id', made, { verification: { status: said, verified_address: null, verified_name: null } });
  return made;
}

/** @throws ApiError 404 when the customer has no such tax id */
function taxIdOf(unit: UnitOfWork, customer: string, id: string): TaxId {
  const taxId = existing(unit, 'tax_id', id);
  if (taxId.customer !== existing(unit, 'customer', customer).id) throw noSuch('tax_id', id);
  return taxId;
}
