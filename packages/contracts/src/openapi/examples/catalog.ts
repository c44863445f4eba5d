import type { z } from 'zod';
import type { price } from '../../resources/price.ts';
import type { product } from '../../resources/product.ts';
import { createdAt, exampleIds } from './shared.ts';

export const exampleProduct = {
  id: exampleIds.product,
  name: 'Pro',
  description: 'Everything, for one team',
  isActive: true,
  processorProductId: 'prod_U2bQ8xVd3KfL1a',
  metadata: { tier: 'pro' },
  projectId: exampleIds.project,
  createdAt,
} as const satisfies z.input<typeof product>;

export const examplePrice = {
  id: exampleIds.price,
  productId: exampleIds.product,
  unitAmount: 2999,
  currency: 'usd',
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  isActive: true,
  processorPriceId: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
  metadata: {},
  createdAt,
} as const satisfies z.input<typeof price>;
