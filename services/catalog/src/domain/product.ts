import type { ProductState } from '@billing/contracts/events/catalog';
import type { ProductId, ProjectId } from '@billing/contracts/ids';
import type { ProductSnapshot } from '@billing/processor/port';
import { withoutRouting } from '@billing/processor/metadata';

/** The fields of a product that we and the processor both store. */
export interface ProductContent {
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** Returns the processor's product as we store it. */
export function toContent({ name, description, isActive, metadata }: ProductSnapshot): ProductContent {
  return {
    name: name.normalize('NFC'),
    description: description?.normalize('NFC') || null,
    isActive,
    metadata: withoutRouting(metadata),
  };
}

interface ProductRecord extends Pick<ProductContent, 'name' | 'isActive'> {
  readonly id: ProductId;
  readonly projectId: ProjectId;
  readonly processorId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a product as events and RPC replies carry it. */
export function toState(product: ProductRecord): ProductState {
  const { id, projectId, name, isActive, processorId: processorProductId, version, createdAt, deletedAt } = product;
  return { id, projectId, name, isActive, processorProductId, version, createdAt, deletedAt };
}
