import { endpoint } from '../api/endpoint.ts';
import { expand, parameters } from '../api/parameters.ts';
import type { Stripe } from 'stripe';

export const accountEndpoints = [
  endpoint('GET', '/v1/account', parameters<Stripe.AccountRetrieveParams>()({ expand }), unit =>
    unit.account.describe(),
  ),
];
