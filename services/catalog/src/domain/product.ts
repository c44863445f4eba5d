import { productOf, productState, type ProductState } from '@billing/contracts/events/catalog';
import { fieldsOf } from '@billing/contracts/fields-of';
import { textsOf, type Product, type ProductTexts } from '@billing/contracts/resources/product';
import type { ProductSnapshot } from '@billing/processor/port';
import { withoutKey } from '@billing/processor/metadata';

/** The fields of a product that we and the processor both store. */
export interface ProductContent extends Readonly<ProductTexts> {
  readonly key: string | null;
  readonly isActive: boolean;
  /** Without the keys that this service sets. */
  readonly metadata: Record<string, string>;
}

/** Returns the processor's product as we store it. */
export const toContent = (product: ProductSnapshot): ProductContent => ({
  ...textsOf(product),
  isActive: product.isActive,
  ...withoutKey(product.metadata),
});

interface ProductRecord extends Omit<ProductState, 'processorProductId'> {
  readonly processorId: string;
}

/** Returns a product as events and RPC replies carry it. */
export const toState = ({ processorId: processorProductId, ...product }: ProductRecord): ProductState =>
  fieldsOf(productState, { ...product, processorProductId });

/** Returns a product as callers see it. */
export const toResource = (product: ProductRecord): Product => productOf(toState(product));
